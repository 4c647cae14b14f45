"""Thresholds for bundles of mixed sizes (theorem T14): optimal on one resource if m divides c."""

from __future__ import annotations

import math
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.above_least import tables_above_least
from hadaropt.online.prices.lazy import LazyTable
from hadaropt.online.prices.tables import Declared, ExactPrice, PriceTables


class MixedThreshold:
    """k(g) = max(L', (rho/c) h(g)); U from N = c - m + 1 on.

    h(g) is the least that can have been paid for g GPUs: h(s) = s L' for s < m, and h(g + m) = h(g)
    + m max(L', (rho/c) h(g)). L' is the largest price on the grid below L. rho is the least factor
    >= 1 at which (rho/c) h(N) reaches U; on one resource it is the guarantee, for bundles of any
    size up to m. With m = 1 it is `Threshold`. Several resources have a table each, and no theorem.
    """

    name = "mixed_threshold"

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the tables."""
        return tables_above_least(
            known, "rho", lambda at, spread: optimal_rho(at.c, at.m, spread), _rising
        )


def least_paid(g: int, rho: float, c: int, m: int) -> float:
    """Return h(g)/L', at most inf.

    In steps of m it rises by m as long as (rho/c) h/L' <= 1, and by the factor 1 + m rho/c after.
    """
    steps, held = divmod(g, m)
    straight = min(steps, max(0, math.ceil((c / rho - held) / m)))
    growth = (steps - straight) * math.log1p(m * rho / c)
    return (held + straight * m) * math.exp(min(growth, 700.0))


def optimal_rho(c: int, m: int, spread: float) -> float:
    """Return the least rho >= 1 with (rho/c) h(N) >= U; ``spread`` is ln(U/L').

    Examples
    --------
    >>> round(optimal_rho(4, 2, math.log(100)), 4)  # -1 + sqrt(801)
    27.3019
    """
    target, N = math.exp(min(spread, 700.0)), c - m + 1
    low, high = 1.0, max(1.0, c * target / N)  # h(N) >= N
    for _ in range(200):
        middle = (low + high) / 2
        if middle / c * least_paid(N, middle, c, m) >= target:
            high = middle
        else:
            low = middle
    return high


def _rising(at: Declared, low: Fraction, rho: float) -> LazyTable[ExactPrice]:
    def price(g: int, before: ExactPrice | None) -> ExactPrice:
        if before is None:
            return low
        if g >= at.N:
            return max(before, at.U)
        paid = least_paid(g, rho, at.c, at.m)
        return max(before, min(at.U, low * Fraction(min(max(1.0, rho / at.c * paid), 1e300))))

    return LazyTable(at.c + 1, price)
