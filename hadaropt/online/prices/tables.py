"""Price tables: integers in units of 1/scale, evaluated in log space and rounded up once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.frozen import FrozenDict
from hadaropt.online.foreknowledge import Foreknowledge, Resource


@dataclass(frozen=True)
class PriceTables:
    """One table per resource.

    Attributes
    ----------
    tables : dict
        Resource -> tuple of c + 1 ints: the (dual) price of a GPU, in units of 1/scale, when g are
        sold.
    marginals : dict or None
        Resource -> for g = 0 .. c - 1, what the first, second, ... further unit is charged. None
        where every unit is charged the price in ``tables``.
    scale : Fraction
    closed_form : float
        theta of the formula before rounding (inf where it overflows).
    parameters : dict
        Parameters of the formula, for the record.
    """

    tables: Mapping[Resource, tuple[int, ...]]
    scale: Fraction
    closed_form: float
    parameters: Mapping[str, str]
    marginals: Mapping[Resource, tuple[tuple[int, ...], ...]] | None = None

    def __post_init__(self) -> None:
        for name in ("tables", "parameters", "marginals"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, FrozenDict(given))


def log_ratio(a: Fraction, b: Fraction) -> float:
    """Return ln(a / b) for positive Fractions of any size."""
    return log(a) - log(b)


def log(x: Fraction) -> float:
    """Return ln(x) for a positive Fraction of any size."""
    return _log_integer(x.numerator) - _log_integer(x.denominator)


def _log_integer(n: int) -> float:
    shift = max(0, n.bit_length() - 900)
    return math.log(n >> shift) + shift * math.log(2)


def expm1(x: float) -> float:
    """Return e^x - 1, inf where it overflows."""
    return math.expm1(x) if x < 700 else math.inf


Share = Callable[[int, float, int, int], float]
"""(g, steepness, c, N) -> k(g)/U in [0, 1]."""


def make_table(
    U: Fraction, scale: Fraction, steepness: float, c: int, N: int, share: Share
) -> list[int]:
    """Return k(0) .. k(c) in units of 1/scale, rounded up, non-decreasing, at most U rounded up."""
    top = math.ceil(U * scale)
    units = []
    for g in range(c + 1):
        part = share(g, steepness, c, N)
        units.append(top if part >= 1 else min(top, math.ceil(Fraction(part) * U * scale)))
    for g in range(1, c + 1):
        units[g] = max(units[g], units[g - 1])
    return units


def make_tables(
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
                made[key] = tuple(make_table(U, scale, key[3], c, c - m + 1, share))
        tables[place] = made[key]
    return tables
