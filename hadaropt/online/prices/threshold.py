"""The discrete-optimal threshold price (T9): optimal for ONE resource and unit demand."""

from __future__ import annotations

import math
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge, Resource
from hadaropt.online.prices.tables import PriceTables, log


def threshold(known: Foreknowledge, scale: Fraction) -> PriceTables:
    """Return the threshold tables: L below tau, (alpha/c) tau L (1 + alpha/c)^(g - tau) above.

    L is the largest multiple of 1/scale below every density, so that values lie in (L, U].
    """
    least = max(0, math.ceil(known.least_density * scale) - 1)
    tables: dict[Resource, tuple[int, ...]] = {}
    made: dict[tuple[Fraction, int], tuple[int, ...]] = {}
    worst = 1.0
    for place, c in known.capacity.items():
        U = known.value_per_unit[place]
        if (U, c) not in made:
            if U == 0 or least == 0:
                made[U, c] = (math.ceil(U * scale),) * (c + 1)
            else:
                spread = max(0.0, log(U * scale / least))
                alpha = optimal_alpha(c, spread)
                worst = max(worst, alpha)
                made[U, c] = _one(U, scale, least, c, alpha)
        tables[place] = made[U, c]
    return PriceTables(tables, scale, worst, {"alpha": f"{worst:.6g}"})


def _reach(alpha: float, c: int) -> float:
    """Ln of the price at g = c over L."""
    tau = max(1, math.ceil(c / alpha - 1e-12))
    return math.log(alpha / c * tau) + (c - tau) * math.log1p(alpha / c)


def optimal_alpha(c: int, spread: float) -> float:
    """Return alpha*_c: the least alpha >= 1 whose table reaches U; ``spread`` = ln(U/L)."""
    low, high = 1.0, max(2.0, math.exp(min(spread, 700.0)) * 1.0001)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if _reach(middle, c) >= spread else (middle, high)
    return high


def _one(U: Fraction, scale: Fraction, least: int, c: int, alpha: float) -> tuple[int, ...]:
    tau = max(1, math.ceil(c / alpha - 1e-12))
    top = math.ceil(U * scale)
    table = [least] * min(tau, c + 1)
    for g in range(len(table), c + 1):
        growth = math.log(alpha / c * tau) + (g - tau) * math.log1p(alpha / c)
        table.append(max(table[-1], min(top, math.ceil(least * Fraction(math.exp(growth))))))
    table[c] = max(table[c], top)
    return tuple(table)
