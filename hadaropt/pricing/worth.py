"""Utilities as integers: floor(U(d) * scale) and the fraction left, without a value per round.

A utility is *encoded* once by a kind and three integers (see
`hadaropt.kernels.pricing.utility`), so that its values over any number of rounds cost no memory and
no rational arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, takewhile

import numpy as np

from hadaropt.exact import Exact
from hadaropt.instance import Instance
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
_BLOCK = 256
"""Jobs of which the sigmoids are evaluated at once: it bounds the memory."""
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


def encode_jobs(
    instance: Instance, jobs: Iterable[int], scale: Fraction
) -> Iterator[tuple[int, Code]]:
    """Yield jobs, each with the code of its utility; sigmoids are evaluated many at once."""
    waiting = iter(jobs)
    while block := list(islice(waiting, _BLOCK)):
        ends = {j: max(0, instance.num_rounds - instance.jobs[j].release) for j in block}
        curves = [(j, u) for j in block if isinstance(u := instance.jobs[j].utility, Sigmoid)]
        units = sigmoid_units([u for _, u in curves], [ends[j] for j, _ in curves])
        known = {j: own for (j, _), own in zip(curves, units, strict=True)}
        for j in block:
            job = instance.jobs[j]
            yield (
                j,
                encode(
                    job.utility,
                    job.iterations,
                    instance.round_seconds,
                    scale,
                    ends[j],
                    known.get(j),
                ),
            )


def encode(
    utility: Utility,
    iterations: int,
    round_seconds: Fraction,
    scale: Fraction,
    horizon: int,
    units: Ints | None = None,
) -> Code:
    """Return the code of ``U(d) * scale`` for the flow times d = 1 .. horizon.

    `units` are the `sigmoid_units` of a sigmoid, if they are known.
    """
    found = _formula(utility, iterations, round_seconds, scale, horizon)
    if found is not None:
        a, b, c = found.parameters
        products = (a, b * horizon, c) if found.kind == kinds.LINEAR else (a, b * horizon**2)
        if max(products) < _LIMIT:
            return found
    if isinstance(utility, Sigmoid):
        units = sigmoid_units([utility], [horizon])[0] if units is None else units
        n, c = scale.numerator, scale.denominator * 10**SIGMOID_DECIMALS
        common = math.gcd(n, c)
        n, c = n // common, c // common
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
    found: list[int] = sigmoid_units([utility], [horizon])[0].tolist()
    return found


def sigmoid_units(utilities: Sequence[Sigmoid], horizons: Sequence[int]) -> list[Ints]:
    """Return what `sigmoid_values` does of each; of objects where 64 bits may not hold them.

    Floats only tell which unit is the nearest one: the exponents are rounded once, so that the
    error is below ``peak * 2^-49`` (`exp` to 4 ulp, three more roundings), and a value closer than
    that to the middle of two units is left to `Utility.value`. Every value is thus the exact one.
    """
    units = 10**SIGMOID_DECIMALS
    found: list[Ints] = [np.empty(0, np.int64)] * len(utilities)
    by_floats: list[int] = []
    rows: list[tuple[int, int, int, int, float]] = []
    large: dict[int, list[float]] = {}
    for k, (utility, horizon) in enumerate(zip(utilities, horizons, strict=True)):
        peak, below = _ratio(utility.peak)
        (rise, p), (middle, q) = _ratio(utility.steepness), _ratio(utility.deadline)
        common = math.gcd(rise * q, rise * middle, p * q)
        slope, shift, q = rise * q // common, rise * middle // common, p * q // common
        if peak * units >= _FLOAT_TOP * below or shift >= q << 1000:
            exact = (utility.value(d, 1, Fraction(1)) * units for d in range(1, horizon + 1))
            found[k] = np.array([int(u) for u in takewhile(bool, exact)], object)
            continue
        if slope:
            horizon = min(horizon, (_FAR * q + shift) // slope)
        if max(slope * max(1, horizon), shift, q) >= 2**53:  # floats do not hold them exactly
            large[len(rows)] = [(slope * d - shift) / q for d in range(1, horizon + 1)]
            slope, shift, q = 0, 0, 1
        by_floats.append(k)
        rows.append((horizon, slope, shift, q, peak * units / below))
    if not rows:
        return found
    lengths = np.array([row[0] for row in rows], np.int64)
    slopes, shifts, below_all, tops = np.repeat(
        np.array(rows, np.float64)[:, 1:], lengths, axis=0
    ).T
    ends = lengths.cumsum()
    begins = ends - lengths
    flow_times = np.arange(1, ends[-1] + 1) - np.repeat(begins, lengths)
    exponents = (slopes * flow_times - shifts) / below_all
    for i, own in large.items():
        exponents[begins[i] : ends[i]] = own
    values = tops / (1 + np.exp(exponents))
    near = np.rint(values)
    nearest = near.astype(np.int64)
    for at in np.flatnonzero(np.abs(values - near) >= 0.5 - tops * 2.0**-49 - 2.0**-54).tolist():
        one = utilities[by_floats[int(np.searchsorted(ends, at, side="right"))]]
        nearest[at] = int(one.value(int(flow_times[at]), 1, Fraction(1)) * units)
    positive = np.concatenate([[0], (nearest > 0).cumsum()])
    lasts = begins + positive[ends] - positive[begins]
    for k, begin, last in zip(by_floats, begins.tolist(), lasts.tolist(), strict=True):
        found[k] = nearest[begin:last]
    return found


def _formula(
    utility: Utility, iterations: int, round_seconds: Fraction, scale: Fraction, horizon: int
) -> Code | None:
    """Return the code by parameters, or None where only a table will do."""
    # Whole numbers are several times faster than fractions.
    n, m = scale.numerator, scale.denominator
    if isinstance(utility, EffectiveThroughput):
        top, below = _ratio(utility.scale)
        a, b, c = top * n * iterations * round_seconds.denominator, below * m, 0
        b *= round_seconds.numerator
        kind = kinds.INVERSE
    else:
        if isinstance(utility, Linear):
            (top, c), (fall, d) = _ratio(utility.peak), _ratio(utility.decay)
        elif isinstance(utility, Step):
            (top, c), (fall, d) = _ratio(utility.peak), (0, 1)
        elif isinstance(utility, Completion):
            (fall, d), (end, c) = _ratio(utility.weight), _ratio(utility.horizon)
            top, c = fall * (end - c), c * d
        else:
            return None
        a, b, c = top * d * n, fall * c * n, c * d * m
        kind = kinds.LINEAR
    last = utility.last_flow_time(horizon, iterations, round_seconds)
    common = math.gcd(a, b, c)
    return Code(kind, (a // common, b // common, c // common), last)


def _ratio(number: Exact) -> tuple[int, int]:
    """Return the numerator and the denominator of a parameter, which is kept exact."""
    assert isinstance(number, Fraction)
    return number.numerator, number.denominator


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
    a, b, c = code.parameters
    one = np.ones(code.last, np.int64)
    if code.kind == kinds.LINEAR:
        total = a - b * np.arange(code.last, dtype=np.int64)
        return Worth(total // c, total % c, one)
    if code.kind == kinds.INVERSE:
        d = np.arange(1, code.last + 1, dtype=np.int64)
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
