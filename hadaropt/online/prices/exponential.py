"""Price tables k_r(g), g = 0 .. c_r: rounded once to multiples of 1/scale; THAT is the price.

Formulas (x = min(g, N)/N, N = c - m + 1; U, L, m from `Foreknowledge`):

=================  ==============================================================  =========
name               k(g)                                                            theorem
=================  ==============================================================  =========
zero_start         delta L ((1 + U/(delta L))^x - 1)                               T7
exponential        L (U/L)^x, L = min(U, omega u*/(2 c))                           T5
exponential_paper  L (U/L)^(g/c), L = u_min/(4 sum c)                              T5 if m=1
last_unit          w units cost w k(g + w - 1), k(g) = L (U/L)^(g/c)               T8
telescoped         w units cost k(g) + ... + k(g + w - 1), the same k              T8
threshold          L below tau, (alpha/c) tau L (1 + alpha/c)^(g - tau) above      T9
linear             U x                                                             T4
step               delta L (level(g) - 1), the largest table that (I) allows       T11
=================  ==============================================================  =========

The tables are irrational: they are evaluated in floating point, in log space, and rounded UP to
integers of 1/scale, with k(g) = U (rounded up) exactly where the formula reaches U. Nothing is
claimed of the formula: the theorem's hypotheses are checked on the integers (`hypotheses`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge, Resource
from hadaropt.online.prices.bundle import last_unit, telescoped
from hadaropt.online.prices.step import step
from hadaropt.online.prices.tables import PriceTables, expm1, log, log_ratio, make_tables
from hadaropt.online.prices.threshold import threshold


def _zero_start_share(g: int, steepness: float, c: int, N: int) -> float:
    """(e^{yx} - 1)/(e^y - 1), stably, for y = ln(1 + U/(delta L)) and x = min(g, N)/N."""
    x = min(g, N) / N
    if x == 0:
        return 0.0
    below = math.exp(steepness * (x - 1))
    return below * math.expm1(-steepness * x) / math.expm1(-steepness)


def _exponential_share(g: int, steepness: float, c: int, N: int) -> float:
    """(L/U)^(1 - x) for steepness ln(U/L) and x = min(g, N)/N."""
    return math.exp(steepness * (min(g, N) / N - 1))


def _paper_share(g: int, steepness: float, c: int, N: int) -> float:
    """(L/U)^(1 - g/c)."""
    return math.exp(steepness * (g / c - 1))


def _theta(known: Foreknowledge, steepness: Callable[[Resource], float]) -> float:
    """max(1, max_r (c/w)(e^{s w/N} - 1)) with w = min(m, N): the factor of T5 and T7."""
    theta = 1.0
    for c, m, s in {
        (c, known.bundle[place], steepness(place))
        for place, c in known.capacity.items()
        if known.value_per_unit[place] > 0
    }:
        N = c - m + 1
        w = min(m, N)
        theta = max(theta, c / w * expm1(s * w / N))
    return theta


def zero_start(known: Foreknowledge, scale: Fraction, delta: Fraction | None = None) -> PriceTables:
    """Return the zero-start exponential tables; delta minimises (1 + delta) theta(delta)."""
    L = known.least_density

    def steepness(delta: Fraction) -> Callable[[Resource], float]:
        memo: dict[Fraction, float] = {}

        def of(place: Resource) -> float:
            U = known.value_per_unit[place]
            if U not in memo:
                memo[U] = log(1 + U / (delta * L))
            return memo[U]

        return of

    def guarantee(delta: Fraction) -> float:
        return (1 + float(delta)) * _theta(known, steepness(delta))

    if L == 0:
        return PriceTables(
            make_tables(known, scale, lambda place: 0.0, _paper_share), scale, 1.0, {}
        )
    if delta is None:
        grid = [Fraction(2) ** e for e in range(-12, 7)]
        centre = min(grid, key=guarantee)
        delta = min((centre * Fraction(k, 8) for k in range(4, 17)), key=guarantee)
    tables = make_tables(known, scale, steepness(delta), _zero_start_share)
    return PriceTables(tables, scale, guarantee(delta), {"delta": str(delta)})


def exponential(known: Foreknowledge, scale: Fraction) -> PriceTables:
    """Return the repaired exponential tables (the exponent saturates at N = c - m + 1)."""
    omega = Fraction(1, max(1, len(known.capacity)))

    def steepness(place: Resource) -> float:
        U = known.value_per_unit[place]
        L = min(U, omega * known.first_value / (2 * known.capacity[place]))
        return max(0.0, log_ratio(U, L))

    tables = make_tables(known, scale, steepness, _exponential_share)
    return PriceTables(tables, scale, _theta(known, steepness), {"omega": str(omega)})


def exponential_from(
    known: Foreknowledge, scale: Fraction, level: Mapping[Resource, Fraction]
) -> PriceTables:
    """Return the repaired exponential tables with L = min(U, level) of each resource."""

    def steepness(place: Resource) -> float:
        U = known.value_per_unit[place]
        return max(0.0, log_ratio(U, min(U, level[place]))) if level[place] > 0 else 0.0

    tables = make_tables(known, scale, steepness, _exponential_share)
    return PriceTables(tables, scale, _theta(known, steepness), {"L": "given"})


def exponential_paper(known: Foreknowledge, scale: Fraction) -> PriceTables:
    """Return the exponential tables as published: k(g) = L (U/L)^(g/c)."""
    total = sum(known.capacity.values())

    def steepness(place: Resource) -> float:
        U = known.value_per_unit[place]
        return log_ratio(U, min(U, known.least_best_value / (4 * total)))

    tables = make_tables(known, scale, steepness, _paper_share)
    alpha = max(
        (steepness(place) for place, U in known.value_per_unit.items() if U > 0), default=0.0
    )
    return PriceTables(tables, scale, max(1.0, 2 * alpha), {"claimed": f"2 alpha, alpha = {alpha}"})


def linear(known: Foreknowledge, scale: Fraction) -> PriceTables:
    """Return the linear tables U min(g, N)/N."""

    def share(g: int, steepness: float, c: int, N: int) -> float:
        return min(g, N) / N

    tables = make_tables(known, scale, lambda place: 0.0, share)
    worst = max(
        (
            c * known.value_per_unit[place] / ((c - known.bundle[place] + 1) * known.least_density)
            for place, c in known.capacity.items()
            if known.value_per_unit[place] > 0
        ),
        default=Fraction(0),
    )
    return PriceTables(tables, scale, 1.0 + float(worst), {})


PRICES: dict[str, Callable[[Foreknowledge, Fraction], PriceTables]] = {
    "zero_start": zero_start,
    "exponential": exponential,
    "exponential_paper": exponential_paper,
    "last_unit": last_unit,
    "telescoped": telescoped,
    "threshold": threshold,
    "linear": linear,
    "step": step,
}
