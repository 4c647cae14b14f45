"""Charges by the bundle (theorem T8): what the last-unit and the telescoped price have in common.

k(g) = L_r (U/L_r)^(g/c), defined past c. The dual price is k(g + m - 1): at least what any bundle
of up to m GPUs was charged per GPU, and at least U as soon as a bundle may not fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.lazy import MOST_CHARGES, LazyTable, LoneTable, UnitRow
from hadaropt.online.prices.logarithms import expm1, log_ratio
from hadaropt.online.prices.tables import Declared, ExactPrice, PriceTables, Resource

Further = Callable[[list[int]], list[int]]
"""[k(g), k(g + 1), ...] -> the charges for GPU 0, 1, ... of a bundle, in the units of k."""
_Bundle = tuple[Sequence[ExactPrice], Sequence[Sequence[ExactPrice]]]
"""Dual prices, and charges."""


def bundle_tables(known: Foreknowledge, further: Further) -> PriceTables:
    """Return dual prices and charges, with L_r = min(U, omega u*/(2 c)) as in `Exponential`."""
    omega = Fraction(1, max(1, len(known.capacity)))
    widest = known.most_charged
    prices: dict[Resource, Sequence[ExactPrice]] = {}
    charges: dict[Resource, Sequence[Sequence[ExactPrice]]] = {}
    made: dict[tuple[Declared, bool], _Bundle] = {}
    theta = 1.0
    for place, at in known.resources().items():
        reach = known.highest(place)
        lone = reach * min(at.m, reach) > MOST_CHARGES
        if (at, lone) not in made:
            steepness = 0.0
            if at.U > 0:
                low = min(at.U, omega * known.first_value / (2 * at.c))
                steepness = log_ratio(at.U, low) / at.c
                theta = max(theta, at.c * expm1(steepness) * math.exp((at.m - 1) * steepness))
            made[at, lone] = _one(at, known.scale, steepness, widest, further, lone)
        prices[place], charges[place] = made[at, lone]
    return PriceTables(prices, charges, theta, {"omega": str(omega)})


def _one(
    at: Declared, scale: Fraction, steepness: float, widest: int, further: Further, lone: bool
) -> _Bundle:
    """Return the dual prices and the charges of one resource.

    Charges are sums and differences of prices, so the prices are rounded up to multiples of
    1/scale first. Charges are made non-decreasing (rounding could break the convexity by a unit),
    and the dual price at least the charge per GPU of every bundle, so that hypothesis (C) holds.
    With ``lone`` there are too many to look at: each is made when a run comes to it, the dual
    prices without regard to those before, and no hypothesis is checked.
    """
    c, m, top = at.c, at.m, at.U * scale
    highest = c * math.ceil(top)

    def units(g: int, before: int | None) -> int:
        n, d = math.exp((g - c) * steepness).as_integer_ratio()
        return max(-(-n * top.numerator // (d * top.denominator)), before or 0)

    k = LazyTable(c + widest, units)

    def row(g: int, before: object = None) -> UnitRow:
        charges = further(list(k[g : g + widest]))
        for i in range(m, widest):  # only under a wrong m; no job is worth c U: 64 bits hold that
            charges[i] = min(charges[i], highest)
        return UnitRow(list(accumulate(charges, max)), scale)

    rows: Sequence[UnitRow] = LoneTable(c, row) if lone else LazyTable(c, row)

    def dual(g: int, before: ExactPrice | None = None) -> Fraction:
        price = k[g + m - 1]
        if g < c:  # the charge per GPU grows with the bundle, as the charges do
            price = max(price, -(-sum(rows[g].units[:m]) // m))
        return max(price / scale, Fraction(before or 0))

    if lone:
        return LoneTable[ExactPrice](c + 1, dual), rows
    return LazyTable[ExactPrice](c + 1, dual), rows
