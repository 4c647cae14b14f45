"""Prices that do not know U (theorem T16): they double, each level on its share of the GPUs."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

from hadaropt.exact import to_integer
from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.lazy import LazyTable, constant_table
from hadaropt.online.prices.tables import Declared, ExactPrice, PriceTables


class Doubling:
    """k(g) = 2^i L' for the GPUs of level i = 0 .. M - 1, and 2^M L' from N = c - m + 1 on.

    Level i has a share of N in proportion to 1/(i + 1). L' is the largest price on the grid below
    L. U is not used: where U <= 2^n L' with n <= M the guarantee on one resource with single GPUs
    is about 2 n (1 + 1/2 + ... + 1/M); for n > M there is none. Told U, a rule has about
    1 + ln(U/L).

    Parameters
    ----------
    doublings : int
        M, >= 1.
    """

    name = "doubling"

    def __init__(self, doublings: int = 10) -> None:
        self.doublings = to_integer(doublings, "doublings", least=1)
        self._share = tuple(accumulate(Fraction(1, i + 1) for i in range(self.doublings)))

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the tables."""
        low = max(0, math.ceil(known.least_density * known.scale) - 1) / known.scale

        def table(at: Declared) -> LazyTable[ExactPrice]:
            if low == 0:
                return constant_table(at.c + 1, at.U)
            return LazyTable(at.c + 1, lambda g, before: low * 2 ** self._level(at.N, g))

        found = known.tabulate(table)
        return PriceTables(found.prices, parameters={"doublings": str(self.doublings)})

    def _level(self, N: int, g: int) -> int:
        """Return the level of the GPU that is sold after g others."""
        whole = self._share[-1]
        return sum(share * N <= g * whole for share in self._share)
