"""The step price (theorem T11): the largest table from 0 that hypothesis (I) allows.

level(g) = (1 + (g mod m) a/c) (1 + m a/c)^(g div m) multiplies by 1 + m a/c every m GPUs and is
straight in between. One a >= 1 serves all resources: the least for which every table reaches its U
at N. Then OPT <= a (1 + delta) P; on one resource that is within a factor 2 of every deterministic
rule where m divides c (T12).
"""

from __future__ import annotations

import math
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.lazy import constant_table
from hadaropt.online.prices.logarithms import log
from hadaropt.online.prices.saturating import saturating_table, used
from hadaropt.online.prices.tables import Declared, PriceTables


class StepPrice:
    """k(g) = min(U, delta L (level(g) - 1)).

    delta > 0 is chosen for the least a (1 + delta), on a grid of eight points to a power of two.
    """

    name = "step"

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the tables."""
        L, kinds = known.least_density, used(known)
        if not kinds:
            return known.tabulate(lambda at: constant_table(at.c + 1, 0), closed_form=1.0)

        def heights(delta: Fraction) -> dict[Fraction, float]:
            """Return ln(1 + U/(delta L)), which ln level(N) has to reach, for every U."""
            return {U: log(1 + U / (delta * L)) for U in {at.U for at in kinds}}

        def growth(delta: Fraction) -> float:
            high = heights(delta)
            return max(_least_growth(at.c, at.m, high[at.U]) for at in kinds)

        def guarantee(delta: Fraction) -> float:
            return growth(delta) * (1 + float(delta))

        centre = min((Fraction(2) ** e for e in range(-12, 13)), key=guarantee)
        delta = min((centre * Fraction(k, 8) for k in range(4, 17)), key=guarantee)
        a, high = growth(delta), heights(delta)

        def share(g: int, at: Declared) -> float:
            """(level(g) - 1)/(U/(delta L)), without overflow."""
            reached, height = log_level(g, a, at.c, at.m), high[at.U]
            if reached >= height or g >= at.N:
                return 1.0
            if reached == 0:
                return 0.0
            return math.exp(reached - height) * math.expm1(-reached) / math.expm1(-height)

        return known.tabulate(
            lambda at: saturating_table(at, share),
            closed_form=guarantee(delta),
            parameters={"delta": str(delta), "a": f"{a:.9g}"},
        )


def log_level(g: int, a: float, c: int, m: int) -> float:
    """Return ln level(g)."""
    whole, part = divmod(g, m)
    return math.log1p(part * a / c) + whole * math.log1p(m * a / c)


def _least_growth(c: int, m: int, height: float) -> float:
    """Return the least a >= 1 with ln level(N) >= height, by bisection in ln a."""
    N = c - m + 1
    if log_level(N, 1.0, c, m) >= height:
        return 1.0
    low, high = 0.0, height + math.log(c)  # level(N) >= 1 + a/c
    for _ in range(80):
        middle = (low + high) / 2
        if log_level(N, math.exp(min(middle, 700.0)), c, m) >= height:
            high = middle
        else:
            low = middle
    return math.exp(min(high, 700.0))
