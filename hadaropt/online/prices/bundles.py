"""Charges by the bundle (theorem T8): what the last-unit and the telescoped price have in common.

k(g) = L_r (U/L_r)^(g/c), defined past c. The dual price is k(g + m - 1): at least what any bundle
of up to m GPUs was charged per GPU, and at least U as soon as a bundle may not fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.logarithms import expm1, log_ratio
from hadaropt.online.prices.tables import Declared, PriceTables, Resource

Further = Callable[[Sequence[int], int, int], int]
"""(k, g, i) -> the charge for GPU i = 0, 1, ... of a bundle, in the units of k."""


def bundle_tables(known: Foreknowledge, further: Further) -> PriceTables:
    """Return dual prices and charges, with L_r = min(U, omega u*/(2 c)) as in `Exponential`."""
    omega = Fraction(1, max(1, len(known.capacity)))
    widest = known.most_charged
    prices: dict[Resource, tuple[Fraction, ...]] = {}
    charges: dict[Resource, tuple[tuple[Fraction, ...], ...]] = {}
    made: dict[Declared, tuple[tuple[Fraction, ...], tuple[tuple[Fraction, ...], ...]]] = {}
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


def _one(
    at: Declared, scale: Fraction, steepness: float, widest: int, further: Further
) -> tuple[tuple[Fraction, ...], tuple[tuple[Fraction, ...], ...]]:
    """Return the dual prices and the charges of one resource.

    Charges are sums and differences of prices, so the prices are rounded up to multiples of
    1/scale first. Charges are made non-decreasing (rounding could break the convexity by a unit),
    and the dual price at least the charge per GPU of every bundle, so that hypothesis (C) holds.
    """
    c, m, top = at.c, at.m, at.U * scale
    k = [math.ceil(Fraction(math.exp((g - c) * steepness)) * top) for g in range(c + widest)]
    for g in range(1, len(k)):
        k[g] = max(k[g], k[g - 1])
    rows = []
    for g in range(c):
        row = [further(k, g, i) for i in range(widest)]
        for i in range(1, widest):
            if i >= m:  # only under a wrong m; no job is worth c U, and 64 bits must hold it
                row[i] = min(row[i], c * math.ceil(top))
            row[i] = max(row[i], row[i - 1])
        rows.append(row)
    dual: list[int] = []
    for g in range(c + 1):
        price, charged = k[g + m - 1], 0
        for i in range(m if g < c else 0):
            charged += rows[g][i]
            price = max(price, -(-charged // (i + 1)))
        dual.append(max([price, *dual[-1:]]))
    exact = {units: units / scale for units in {*dual, *(x for row in rows for x in row)}}
    return tuple(exact[x] for x in dual), tuple(tuple(exact[x] for x in row) for row in rows)
