"""The zero-start exponential (theorem T7): the price of the first GPU is 0."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.lazy import constant_table
from hadaropt.online.prices.logarithms import log
from hadaropt.online.prices.saturating import exponential_theta, saturating_table, used
from hadaropt.online.prices.tables import Declared, PriceTables


class ZeroStart:
    """k(g) = delta L ((1 + U/(delta L))^x - 1) with x = min(g, N)/N.

    One delta > 0 serves all resources: the one with the least guarantee (1 + delta) theta(delta)
    on a grid, eight points to a power of two. A larger delta makes prices rise earlier: theta
    falls, and (1 + delta) grows.
    """

    name = "zero_start"

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the tables; no price is above U, which is reached at g = N."""
        L, kinds = known.least_density, used(known)
        if L == 0:  # no job is worth anything
            return known.tabulate(lambda at: constant_table(at.c + 1, at.U), closed_form=1.0)

        def steepness(delta: Fraction) -> Callable[[Declared], float]:
            heights = {U: log(1 + U / (delta * L)) for U in {at.U for at in kinds}}
            return lambda at: heights[at.U]

        def guarantee(delta: Fraction) -> float:
            return (1 + float(delta)) * exponential_theta(kinds, steepness(delta))

        centre = min((Fraction(2) ** e for e in range(-12, 7)), key=guarantee)
        delta = min((centre * Fraction(k, 8) for k in range(4, 17)), key=guarantee)
        height = steepness(delta)
        return known.tabulate(
            lambda at: saturating_table(at, lambda g, at: share(min(g, at.N) / at.N, height(at))),
            closed_form=guarantee(delta),
            parameters={"delta": str(delta)},
        )


def share(x: float, steepness: float) -> float:
    """(e^(s x) - 1)/(e^s - 1) for 0 <= x <= 1, without overflow."""
    if x == 0:
        return 0.0
    return math.exp(steepness * (x - 1)) * math.expm1(-steepness * x) / math.expm1(-steepness)
