"""Utilities as integers: floor(U(d) * scale) and the fraction left, without a value per round.

A utility is *encoded* once by a kind and three integers (see
`hadaropt.kernels.pricing.utility`), so that its values over any number of rounds cost no memory and
no rational arithmetic.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile

import numpy as np

from hadaropt.kernels.pricing import utility as kinds
from hadaropt.pricing.model import Ints
from hadaropt.utility import (
    SIGMOID_DECIMALS,
    Completion,
    EffectiveThroughput,
    Linear,
    Sigmoid,
    Step,
    Utility,
)

_LIMIT = 2**61
_FLOAT_TOP = 2**48
"""From here on, floats do not tell a unit of 10^-9 from the next one."""
_FAR = 60
"""From this exponent on, a sigmoid of a smaller peak is 0."""


@dataclass(frozen=True, eq=False)
class Code:
    """A utility as a kernel evaluates it.

    Attributes
    ----------
    kind : int
        LINEAR, INVERSE or TABLE of `hadaropt.kernels.pricing.utility`.
    parameters : tuple of int
        a, b, c; of a TABLE 0, n, c.
    last : int
        Largest flow time of positive value within the horizon, 0 if none.
    values : (last,) int64, or tuple of int
        U(d) * scale * c / n for d = 1 .. last, of a TABLE only. An array has n * c < 2**61.
    """

    kind: int
    parameters: tuple[int, int, int]
    last: int
    values: Ints | tuple[int, ...] = ()

    @property
    def peak(self) -> int:
        """floor(U(1) * scale), 0 if no flow time has a positive value."""
        a, b, c = self.parameters
        if self.last == 0:
            return 0
        if self.kind == kinds.TABLE:
            return int(self.values[0]) * b // c
        return a // (b if self.kind == kinds.INVERSE else c)


def encode(
    utility: Utility, iterations: int, round_seconds: Fraction, scale: Fraction, horizon: int
) -> Code:
    """Return the code of ``U(d) * scale`` for the flow times d = 1 .. horizon."""
    found = _formula(utility, iterations, round_seconds, scale, horizon)
    if found is not None:
        a, b, c = found.parameters
        products = (a, b * horizon, c) if found.kind == kinds.LINEAR else (a, b * horizon**2)
        if max(products) < _LIMIT:
            return found
    if isinstance(utility, Sigmoid):
        units = _sigmoid_units(utility, horizon)
        ratio = scale / 10**SIGMOID_DECIMALS
        n, c = ratio.numerator, ratio.denominator
        if units.dtype == np.int64 and len(units) and max(n * c, int(units[0]) // c * n) < _LIMIT:
            return Code(kinds.TABLE, (0, n, c), len(units), units)
        scaled = [int(v) * n for v in units]
    else:
        exact = [utility.value(d, iterations, round_seconds) for d in range(1, horizon + 1)]
        positive = list(takewhile(bool, exact))
        c = math.lcm(*(u.denominator for u in positive)) * scale.denominator
        scaled = [int(u * c * scale) for u in positive]
    common = math.gcd(c, *scaled)
    values = tuple(v // common for v in scaled)
    return Code(kinds.TABLE, (0, 1, c // common), len(values), values)


def sigmoid_values(utility: Sigmoid, horizon: int) -> list[int]:
    """Return U(d) in units of 10^-9 for d = 1, 2, ... while it is positive, up to the horizon."""
    found: list[int] = _sigmoid_units(utility, horizon).tolist()
    return found


def _sigmoid_units(utility: Sigmoid, horizon: int) -> Ints:
    """Return what `sigmoid_values` does, as an array; of objects where 64 bits may not hold them.

    Floats only tell which unit is the nearest one: the exponents are rounded once, so that the
    error is below ``peak * 2^-49`` (`exp` to 4 ulp, three more roundings), and a value closer than
    that to the middle of two units is left to `Utility.value`. Every value is thus the exact one.
    """
    units = 10**SIGMOID_DECIMALS
    peak, steepness = Fraction(utility.peak), Fraction(utility.steepness)
    middle = steepness * Fraction(utility.deadline)
    q = math.lcm(steepness.denominator, middle.denominator)
    slope, shift = int(steepness * q), int(middle * q)
    top = peak * units
    if top >= _FLOAT_TOP or shift >= q << 1000:
        exact = (utility.value(d, 1, Fraction(1)) * units for d in range(1, horizon + 1))
        return np.array([int(u) for u in takewhile(bool, exact)], object)
    if slope:
        horizon = min(horizon, (_FAR * q + shift) // slope)
    if max(slope * horizon, shift, q) < 2**53:  # floats hold them exactly
        exponents = (slope * np.arange(1.0, horizon + 1) - shift) / q
    else:
        exponents = np.array([(slope * d - shift) / q for d in range(1, horizon + 1)], np.float64)
    values = float(top) / (1 + np.exp(exponents))
    near = np.rint(values)
    found = near.astype(np.int64)
    for d in np.flatnonzero(np.abs(np.abs(values - near) - 0.5) <= float(top) * 2.0**-49).tolist():
        found[d] = int(utility.value(d + 1, 1, Fraction(1)) * units)
        if found[d] == 0:
            break
    zero = np.flatnonzero(found == 0)
    return found[: zero[0]] if len(zero) else found


def _formula(
    utility: Utility, iterations: int, round_seconds: Fraction, scale: Fraction, horizon: int
) -> Code | None:
    """Return the code by parameters, or None where only a table will do."""
    if isinstance(utility, EffectiveThroughput):
        ratio = Fraction(utility.scale) * scale * iterations / round_seconds
        parameters = (ratio.numerator, ratio.denominator, 0)
        return Code(kinds.INVERSE, parameters, horizon if ratio > 0 else 0)
    if isinstance(utility, Linear):
        first, fall = Fraction(utility.peak), Fraction(utility.decay)
        last = -(-first // fall) if fall > 0 else horizon
    elif isinstance(utility, Step):
        first, fall = Fraction(utility.peak), Fraction(0)
        last = math.floor(Fraction(utility.deadline))
    elif isinstance(utility, Completion):
        weight, end = Fraction(utility.weight), Fraction(utility.horizon)
        first, fall, last = weight * (end - 1), weight, math.ceil(end) - 1
    else:
        return None
    last = max(0, min(horizon, last)) if first > 0 else 0
    # In lowest terms; whole numbers are several times faster than fractions.
    c = math.lcm(first.denominator, fall.denominator)
    a = first.numerator * (c // first.denominator) * scale.numerator
    b = fall.numerator * (c // fall.denominator) * scale.numerator
    c *= scale.denominator
    common = math.gcd(a, b, c)
    return Code(kinds.LINEAR, (a // common, b // common, c // common), last)


@dataclass(frozen=True)
class Worth:
    """U(d) * scale for d = 1, 2, ... as long as it is positive.

    Attributes
    ----------
    floors : (N,) int64
        Integer parts.
    parts, weights : (N,) int64
        ``part / weight`` orders the fractional parts.
    """

    floors: Ints
    parts: Ints
    weights: Ints

    def best(self, charge: Ints) -> int:
        """Return the first index of maximum ``U * scale - charge`` if that is > 0, else -1.

        The comparison is exact: a payoff lies in [floor, floor + 1), so only the fractions of
        equal floors need be compared. Entries of `charge` above the floor never win.
        """
        payoffs = self.floors - charge
        highest = payoffs.max(initial=-1)
        if highest < 0:
            return -1
        ties = np.flatnonzero(payoffs == highest)
        first, *others = map(int, ties)
        for n in others:
            ahead = int(self.parts[n]) * int(self.weights[first])
            if ahead > int(self.parts[first]) * int(self.weights[n]):
                first = n
        return first if highest > 0 or self.parts[first] > 0 else -1


def worth(code: Code) -> Worth:
    """Return the values of a code; they must fit 61 bits."""
    d = np.arange(1, code.last + 1, dtype=np.int64)
    a, b, c = code.parameters
    one = np.ones(code.last, np.int64)
    if code.kind == kinds.LINEAR:
        total = a - b * (d - 1)
        return Worth(total // c, total % c, one)
    if code.kind == kinds.INVERSE:
        return Worth(a // (b * d), a % (b * d), d)
    if isinstance(code.values, np.ndarray):
        whole = code.values // c
        rest = (code.values - whole * c) * b
        more = rest // c
        return Worth(whole * b + more, rest - more * c, one)
    floors, parts = [v // c for v in code.values], [v % c for v in code.values]
    if c >= _LIMIT:
        rank = {part: i for i, part in enumerate(sorted({0, *parts}))}
        parts = [rank[part] for part in parts]
    return Worth(np.array(floors, np.int64), np.array(parts, np.int64), one)
