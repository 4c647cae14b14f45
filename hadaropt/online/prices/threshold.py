"""The discrete-optimal threshold price (theorem T9): optimal for ONE resource and unit demand."""

from __future__ import annotations

import math
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.above_least import tables_above_least
from hadaropt.online.prices.lazy import LazyTable
from hadaropt.online.prices.tables import Declared, ExactPrice, PriceTables


class Threshold:
    """k(g) = L' below tau, (alpha/c) tau L' (1 + alpha/c)^(g - tau) from tau = ceil(c/alpha) on.

    L' is the largest price on the grid below L, so that every value lies above it. alpha is the
    least factor >= 1 at which the table reaches U; on one resource with unit demand it is the
    guarantee. Several resources have a table each, and no theorem.
    """

    name = "threshold"

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the tables."""
        return tables_above_least(
            known, "alpha", lambda at, spread: optimal_alpha(at.c, spread), _rising
        )


def _tau(alpha: float, c: int) -> int:
    """Return the number of GPUs that are sold at the lowest price."""
    return max(1, math.ceil(c / alpha - 1e-12))


def _reach(alpha: float, c: int) -> float:
    """Return ln(k(c)/L')."""
    tau = _tau(alpha, c)
    return math.log(alpha / c * tau) + (c - tau) * math.log1p(alpha / c)


def optimal_alpha(c: int, spread: float) -> float:
    """Return alpha*_c: the least alpha >= 1 whose table reaches U; ``spread`` is ln(U/L')."""
    low, high = 1.0, max(2.0, math.exp(min(spread, 700.0)) * 1.0001)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if _reach(middle, c) >= spread else (middle, high)
    return high


def _rising(at: Declared, low: Fraction, alpha: float) -> LazyTable[ExactPrice]:
    tau = _tau(alpha, at.c)

    def price(g: int, before: ExactPrice | None) -> ExactPrice:
        if before is None or g < tau:
            return low
        growth = math.log(alpha / at.c * tau) + (g - tau) * math.log1p(alpha / at.c)
        here = max(before, min(at.U, low * Fraction(math.exp(growth))))
        return max(here, at.U) if g == at.c else here

    return LazyTable(at.c + 1, price)
