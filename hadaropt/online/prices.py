"""Price tables k_r(g), g = 0 .. c_r: rounded once to multiples of 1/scale; THAT is the price.

Formulas (x = min(g, N)/N, N = c - m + 1; U, L, m from `Foreknowledge`):

=================  ===============================================================  ========
name               k(g)                                                             theorem
=================  ===============================================================  ========
zero_start         delta L ((1 + U/(delta L))^x - 1)                                T7
exponential        L (U/L)^x, L = min(U, omega u*/(2 c))                            T5
exponential_paper  L (U/L)^(g/c), L = u_min/(4 sum c)                               T5 if m = 1
=================  ===============================================================  ========

The tables are irrational: they are evaluated in floating point, in log space, and rounded UP to
integers of 1/scale, with k(g) = U (rounded up) exactly where the formula reaches U. Nothing is
claimed of the formula: the theorem's hypotheses are checked on the integers (`hypotheses`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge, Resource


@dataclass(frozen=True)
class PriceTables:
    """One table per resource.

    Attributes
    ----------
    tables : dict
        Resource -> tuple of c + 1 ints: the price of a GPU, in units of 1/scale, when g are sold.
    scale : Fraction
    closed_form : float
        theta of the formula before rounding (inf where it overflows).
    parameters : dict
        Parameters of the formula, for the record.
    """

    tables: dict[Resource, tuple[int, ...]]
    scale: Fraction
    closed_form: float
    parameters: dict[str, str]


def log_ratio(a: Fraction, b: Fraction) -> float:
    """Return ln(a / b) for positive Fractions of any size."""
    return _log(a) - _log(b)


def _log(x: Fraction) -> float:
    return _log_integer(x.numerator) - _log_integer(x.denominator)


def _log_integer(n: int) -> float:
    shift = max(0, n.bit_length() - 900)
    return math.log(n >> shift) + shift * math.log(2)


def _expm1(x: float) -> float:
    return math.expm1(x) if x < 700 else math.inf


Share = Callable[[int, float, int, int], float]
"""(g, steepness, c, N) -> k(g)/U in [0, 1]."""


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


def _table(
    U: Fraction, scale: Fraction, steepness: float, c: int, N: int, share: Share
) -> list[int]:
    top = math.ceil(U * scale)
    units = []
    for g in range(c + 1):
        part = share(g, steepness, c, N)
        units.append(top if part >= 1 else min(top, math.ceil(Fraction(part) * U * scale)))
    for g in range(1, c + 1):
        units[g] = max(units[g], units[g - 1])
    return units


def _tables(
    known: Foreknowledge, scale: Fraction, steepness: Callable[[Resource], float], share: Share
) -> dict[Resource, tuple[int, ...]]:
    """Return all tables; equal resources share one."""
    made: dict[tuple[object, ...], tuple[int, ...]] = {}
    tables = {}
    for place, c in known.capacity.items():
        U, m = known.value_per_unit[place], known.bundle[place]
        key = (U, c, m, steepness(place) if U > 0 else 0.0)
        if key not in made:
            if U == 0:
                made[key] = (0,) * (c + 1)
            else:
                made[key] = tuple(_table(U, scale, key[3], c, c - m + 1, share))
        tables[place] = made[key]
    return tables


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
        theta = max(theta, c / w * _expm1(s * w / N))
    return theta


def zero_start(known: Foreknowledge, scale: Fraction, delta: Fraction | None = None) -> PriceTables:
    """Return the zero-start exponential tables; delta minimises (1 + delta) theta(delta)."""
    L = known.least_density

    def steepness(delta: Fraction) -> Callable[[Resource], float]:
        memo: dict[Fraction, float] = {}

        def of(place: Resource) -> float:
            U = known.value_per_unit[place]
            if U not in memo:
                memo[U] = _log(1 + U / (delta * L))
            return memo[U]

        return of

    def guarantee(delta: Fraction) -> float:
        return (1 + float(delta)) * _theta(known, steepness(delta))

    if L == 0:
        return PriceTables(_tables(known, scale, lambda place: 0.0, _paper_share), scale, 1.0, {})
    if delta is None:
        grid = [Fraction(2) ** e for e in range(-12, 7)]
        centre = min(grid, key=guarantee)
        delta = min((centre * Fraction(k, 8) for k in range(4, 17)), key=guarantee)
    tables = _tables(known, scale, steepness(delta), _zero_start_share)
    return PriceTables(tables, scale, guarantee(delta), {"delta": str(delta)})


def exponential(known: Foreknowledge, scale: Fraction) -> PriceTables:
    """Return the repaired exponential tables (the exponent saturates at N = c - m + 1)."""
    omega = Fraction(1, max(1, len(known.capacity)))

    def steepness(place: Resource) -> float:
        U = known.value_per_unit[place]
        L = min(U, omega * known.first_value / (2 * known.capacity[place]))
        return max(0.0, log_ratio(U, L))

    tables = _tables(known, scale, steepness, _exponential_share)
    return PriceTables(tables, scale, _theta(known, steepness), {"omega": str(omega)})


def exponential_paper(known: Foreknowledge, scale: Fraction) -> PriceTables:
    """Return the exponential tables as published: k(g) = L (U/L)^(g/c)."""
    total = sum(known.capacity.values())

    def steepness(place: Resource) -> float:
        U = known.value_per_unit[place]
        return log_ratio(U, min(U, known.least_best_value / (4 * total)))

    tables = _tables(known, scale, steepness, _paper_share)
    alpha = max(
        (steepness(place) for place, U in known.value_per_unit.items() if U > 0), default=0.0
    )
    return PriceTables(tables, scale, max(1.0, 2 * alpha), {"claimed": f"2 alpha, alpha = {alpha}"})


PRICES: dict[str, Callable[[Foreknowledge, Fraction], PriceTables]] = {
    "zero_start": zero_start,
    "exponential": exponential,
    "exponential_paper": exponential_paper,
}
