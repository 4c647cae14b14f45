"""Tables that begin just below the least value and rise by a factor chosen for each resource."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.lazy import LazyTable, constant_table
from hadaropt.online.prices.logarithms import log
from hadaropt.online.prices.tables import Declared, ExactPrice, PriceTables

Factor = Callable[[Declared, float], float]
"""(resource, ln(U/L')) -> the factor of its table."""
Rising = Callable[[Declared, Fraction, float], LazyTable[ExactPrice]]
"""(resource, L', factor) -> its table."""


def tables_above_least(
    known: Foreknowledge, symbol: str, factor: Factor, rising: Rising
) -> PriceTables:
    """Return a table for each resource, and the largest factor under its symbol.

    L' is the largest price on the grid below L: a price equal to a value would reject it, and
    prices are rounded up to this grid. Where there is none, prices are U throughout.
    """
    low = max(0, math.ceil(known.least_density * known.scale) - 1) / known.scale
    worst = 1.0

    def table(at: Declared) -> LazyTable[ExactPrice]:
        nonlocal worst
        if low == 0:
            return constant_table(at.c + 1, at.U)
        own = factor(at, max(0.0, log(at.U / low)))
        worst = max(worst, own)
        return rising(at, low, own)

    found = known.tabulate(table)
    return PriceTables(found.prices, closed_form=worst, parameters={symbol: f"{worst:.6g}"})


__all__ = ["tables_above_least"]
