"""The step price (T11): the largest table from 0 that hypothesis (I) allows.

level(g) = (1 + (g mod m) a/c) (1 + m a/c)^(g div m); k(g) = min(U, delta L (level(g) - 1)), with
one a >= 1 for all resources, the least with delta L (level(N) - 1) >= U. Then OPT <= a (1 + delta)
P; on one resource that is within a factor 2 of every deterministic rule where m divides c (T12).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge, Resource
from hadaropt.online.prices.tables import PriceTables, log, make_tables


def step(known: Foreknowledge, scale: Fraction) -> PriceTables:
    """Return the step tables; delta minimises a (1 + delta)."""
    L = known.least_density
    shapes = {
        (c, known.bundle[place], known.value_per_unit[place])
        for place, c in known.capacity.items()
        if known.value_per_unit[place] > 0
    }
    if not shapes:
        return PriceTables(make_tables(known, scale, _none, _nothing), scale, 1.0, {})

    def growth(delta: Fraction) -> float:
        """Return the least a >= 1 at which every table reaches its U at N."""
        heights = {U: log(1 + U / (delta * L)) for _, _, U in shapes}
        return max(_least_growth(c, m, heights[U]) for c, m, U in shapes)

    def guarantee(delta: Fraction) -> float:
        return growth(delta) * (1 + float(delta))

    centre = min((Fraction(2) ** e for e in range(-12, 13)), key=guarantee)
    delta = min((centre * Fraction(k, 8) for k in range(4, 17)), key=guarantee)
    a = growth(delta)
    heights = _heights(known, delta * L)

    def share(g: int, steepness: float, c: int, N: int) -> float:
        reached = log_level(g, a, c, c - N + 1)
        if reached >= steepness or g >= N:
            return 1.0
        if reached == 0:
            return 0.0
        return math.exp(reached - steepness) * math.expm1(-reached) / math.expm1(-steepness)

    tables = make_tables(known, scale, lambda place: heights[place], share)
    return PriceTables(tables, scale, guarantee(delta), {"delta": str(delta), "a": f"{a:.9g}"})


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


def _heights(known: Foreknowledge, floor: Fraction) -> Mapping[Resource, float]:
    """Return ln(1 + U / floor) of every resource."""
    memo = {U: log(1 + U / floor) for U in set(known.value_per_unit.values())}
    return {place: memo[U] for place, U in known.value_per_unit.items()}


def _none(place: Resource) -> float:
    return 0.0


def _nothing(g: int, steepness: float, c: int, N: int) -> float:
    return 0.0
