"""Charges by the bundle (theorem T8): what the last-unit and the telescoped price have in common.

k(g) = L_r (U/L_r)^(g/c), defined past c. The dual price is k(g + m - 1): at least what any bundle
of up to m GPUs was charged per GPU, and at least U as soon as a bundle may not fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.lazy import LazyTable
from hadaropt.online.prices.logarithms import expm1, log_ratio
from hadaropt.online.prices.tables import Declared, ExactPrice, PriceTables, Resource

Further = Callable[[Sequence[int], int, int], int]
"""(k, g, i) -> the charge for GPU i = 0, 1, ... of a bundle, in the units of k."""
_Bundle = tuple[Sequence[ExactPrice], Sequence[Sequence[ExactPrice]]]
"""Dual prices, and charges."""


def bundle_tables(known: Foreknowledge, further: Further) -> PriceTables:
    """Return dual prices and charges, with L_r = min(U, omega u*/(2 c)) as in `Exponential`."""
    omega = Fraction(1, max(1, len(known.capacity)))
    widest = known.most_charged
    prices: dict[Resource, Sequence[ExactPrice]] = {}
    charges: dict[Resource, Sequence[Sequence[ExactPrice]]] = {}
    made: dict[Declared, _Bundle] = {}
    theta = 1.0
    for place, at in known.resources().items():
        if at not in made:
            steepness = 0.0
            if at.U > 0:
                low = min(at.U, omega * known.first_value / (2 * at.c))
                steepness = log_ratio(at.U, low) / at.c
                theta = max(theta, at.c * expm1(steepness) * math.exp((at.m - 1) * steepness))
            made[at] = _one(at, known.scale, steepness, widest, further)
        prices[place], charges[place] = made[at]
    return PriceTables(prices, charges, theta, {"omega": str(omega)})


def _one(at: Declared, scale: Fraction, steepness: float, widest: int, further: Further) -> _Bundle:
    """Return the dual prices and the charges of one resource.

    Charges are sums and differences of prices, so the prices are rounded up to multiples of
    1/scale first. Charges are made non-decreasing (rounding could break the convexity by a unit),
    and the dual price at least the charge per GPU of every bundle, so that hypothesis (C) holds.
    """
    c, m, top = at.c, at.m, at.U * scale
    highest = c * math.ceil(top)

    def units(g: int, before: int | None) -> int:
        return max(math.ceil(Fraction(math.exp((g - c) * steepness)) * top), before or 0)

    k = LazyTable(c + widest, units)

    def row_units(g: int, before: object) -> list[int]:
        row = [further(k, g, i) for i in range(widest)]
        for i in range(1, widest):
            if i >= m:  # only under a wrong m; no job is worth c U, and 64 bits must hold it
                row[i] = min(row[i], highest)
            row[i] = max(row[i], row[i - 1])
        return row

    rows = LazyTable(c, row_units)

    def dual(g: int, before: ExactPrice | None) -> Fraction:
        price, charged = k[g + m - 1], 0
        for i in range(m if g < c else 0):
            charged += rows[g][i]
            price = max(price, -(-charged // (i + 1)))
        return max(price / scale, Fraction(before or 0))

    def row(g: int, before: object) -> tuple[Fraction, ...]:
        return tuple(units / scale for units in rows[g])

    return LazyTable[ExactPrice](c + 1, dual), LazyTable[Sequence[ExactPrice]](c, row)
