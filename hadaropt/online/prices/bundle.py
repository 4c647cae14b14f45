"""Bundle prices (T8): w units are charged the last unit's price each, or the telescoped sum.

k(g) = L (U/L)^(g/c), defined past c. The dual price is k(g + m - 1): at least what any bundle of up
to m units was charged per unit, and at least U as soon as a bundle may not fit.
"""

from __future__ import annotations

import math
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge, Resource
from hadaropt.online.prices.tables import PriceTables, expm1, log_ratio


def telescoped(known: Foreknowledge, scale: Fraction) -> PriceTables:
    """Return the tables of the telescoped charge: unit i of a bundle costs k(g + i)."""
    return _bundle_tables(known, scale, last_unit=False)


def last_unit(known: Foreknowledge, scale: Fraction) -> PriceTables:
    """Return the tables of the last-unit charge: a bundle of w units costs w k(g + w - 1)."""
    return _bundle_tables(known, scale, last_unit=True)


def _bundle_tables(known: Foreknowledge, scale: Fraction, *, last_unit: bool) -> PriceTables:
    omega = Fraction(1, max(1, len(known.capacity)))
    most = max(known.widest, *known.bundle.values(), 1)
    tables: dict[Resource, tuple[int, ...]] = {}
    marginals: dict[Resource, tuple[tuple[int, ...], ...]] = {}
    made: dict[tuple[object, ...], tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]] = {}
    theta = 1.0
    for place, c in known.capacity.items():
        U, m = known.value_per_unit[place], known.bundle[place]
        key = (U, c, m)
        if key not in made:
            L = min(U, omega * known.first_value / (2 * c))
            steepness = log_ratio(U, L) / c if U > 0 else 0.0
            if U > 0:
                theta = max(theta, c * expm1(steepness) * math.exp((m - 1) * steepness))
            made[key] = _one(U, scale, steepness, c, m, most, last_unit=last_unit)
        tables[place], marginals[place] = made[key]
    return PriceTables(tables, scale, theta, {"omega": str(omega)}, marginals)


def _one(
    U: Fraction, scale: Fraction, steepness: float, c: int, m: int, most: int, *, last_unit: bool
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Return the dual price table and the marginal charges of one resource.

    Marginal charges are made non-decreasing (rounding could break the convexity by a unit), and the
    dual price at least the charge per unit of every bundle, so that hypothesis (C) holds.
    """
    k = [math.ceil(Fraction(math.exp((g - c) * steepness)) * U * scale) for g in range(c + most)]
    for g in range(1, len(k)):
        k[g] = max(k[g], k[g - 1])
    rows = []
    for g in range(c):
        charges = [
            (i + 1) * k[g + i] - (i * k[g + i - 1] if i else 0) if last_unit else k[g + i]
            for i in range(most)
        ]
        for i in range(1, most):
            if i >= m:  # only under a wrong m; no job is worth c U, and 64 bits must hold it
                charges[i] = min(charges[i], c * math.ceil(U * scale))
            charges[i] = max(charges[i], charges[i - 1])
        rows.append(tuple(charges))
    dual: list[int] = []
    for g in range(c + 1):
        price, charged = k[g + m - 1], 0
        for i in range(m if g < c else 0):
            charged += rows[g][i]
            price = max(price, -(-charged // (i + 1)))
        dual.append(max([price, *dual[-1:]]))
    return tuple(dual), tuple(rows)
