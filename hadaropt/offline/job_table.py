"""All jobs of an instance as integer arrays, grouped so that many share one pricing table.

Progress is counted in units of a quantum: exactly where that is a short table, else rounded up
(necessary, for bounds) or down (sufficient, for schedules). Worths are rounded up to integers in
units of 1 / scale. See `kernels.lagrangian` for the meaning of groups, ways and worths.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from hadaropt.instance import Instance, Job
from hadaropt.kernels import lagrangian as kernel
from hadaropt.offline.model import Ints
from hadaropt.offline.units import choose_units
from hadaropt.pricing.model import JobModel, job_model
from hadaropt.pricing.worth import sigmoid_values
from hadaropt.utility import Completion, EffectiveThroughput, Linear, Sigmoid, Step

PEAK_BITS = 44
SUM_BITS = 60
SIGMOID_BITS = 30

Rounding = Literal["up", "down"]


@dataclass(frozen=True)
class Way:
    """How a gang may be held in one round.

    Attributes
    ----------
    gang : int
        Units that one row has to provide: 1 where only the price of one GPU matters.
    rows : tuple of (R,) capacities
        A gang is filled within one row.
    picks : int
        Number of rows that each hold a gang (more than one: copies).
    """

    gang: int
    rows: tuple[tuple[int, ...], ...]
    picks: int


@dataclass(frozen=True)
class Shape:
    """What jobs of equal speeds, gang and limits have in common.

    Attributes
    ----------
    progress, ways : tuple
        Iterations in one round of every option and its way, by decreasing progress.
    unit : bool
        Whether costs are per GPU (else per gang).
    """

    progress: tuple[int, ...]
    ways: tuple[Way, ...]
    unit: bool


@dataclass(frozen=True)
class JobTable:
    """Arrays of the jobs that could earn something, group after group.

    Attributes
    ----------
    scale : int
        Worths and prices are in units of 1 / scale.
    index : (n,) int64
        Index of the job in the instance.
    weight, need, kind, a, b, last, values
        See `kernels.lagrangian.relaxed`.
    exact : (n,) bool
        Whether progress is counted exactly.
    group_start, group_release, option_start, gain, way
        See `kernels.lagrangian.relaxed`.
    ways : tuple of Way
    """

    scale: int
    index: Ints
    weight: Ints
    need: Ints
    kind: Ints
    a: Ints
    b: Ints
    last: Ints
    exact: Ints
    values: Ints
    group_start: Ints
    group_release: Ints
    option_start: Ints
    gain: Ints
    way: Ints
    ways: tuple[Way, ...]

    def __len__(self) -> int:
        return len(self.index)

    @property
    def width(self) -> int:
        """Entries of one row of a table over progress."""
        return int(self.gain.max(initial=0)) + int(self.need.max(initial=0)) + 1


def job_table(instance: Instance, *, rounding: Rounding = "up", detail: int = 1) -> JobTable:
    """Return the arrays of an instance.

    Parameters
    ----------
    instance : Instance
    rounding : {"up", "down"}
        Of progress that is not counted exactly.
    detail : int
        Multiplies the number of units of tables over rounded progress.

    Raises
    ------
    OverflowError
        If the utilities are too large for sums in 64 bits.
    """
    return _Builder(instance, rounding, detail).build()


class _Builder:
    def __init__(self, instance: Instance, rounding: Rounding, detail: int) -> None:
        self.instance, self.rounding, self.detail = instance, rounding, detail
        self._shapes: dict[object, Shape | None] = {}

    def build(self) -> JobTable:
        groups: dict[tuple[Shape, int, int], list[tuple[int, int]]] = defaultdict(list)
        rounds = self.instance.num_rounds
        first_worths, peaks = [Fraction(0)], [Fraction(0)]
        for j, job in enumerate(self.instance.jobs):
            if job.release >= rounds:
                continue
            shape = self._shape(j, job)
            if shape is None:
                continue
            least = -(-job.iterations // shape.progress[0])
            if least <= rounds - job.release:
                bucket = (min(max(least, 4), 256) - 1).bit_length() // 2
                groups[shape, bucket, job.release].append((job.iterations, j))
                first_worths.append(self.instance.value(j, job.release))
                peaks.append(self.instance.value(j, job.release + least - 1))
        self.scale = _scale(max(first_worths), max(peaks), sum(peaks, Fraction(0)))
        self.worths = _Worths(self.instance, self.scale)
        return self._arrays(groups)

    def _arrays(self, groups: dict[tuple[Shape, int, int], list[tuple[int, int]]]) -> JobTable:
        longest: dict[tuple[Shape, int], int] = defaultdict(int)
        for (shape, bucket, _), members in groups.items():
            longest[shape, bucket] = max(longest[shape, bucket], *(q for q, _ in members))
        option_rows: dict[tuple[Shape, int], tuple[int, int]] = {}
        quanta: dict[tuple[Shape, int], tuple[Fraction, bool]] = {}
        way_index: dict[Way, int] = {}
        gains: list[int] = []
        ways: list[int] = []
        for (shape, bucket), most in longest.items():
            quantum, exact = choose_units(shape.progress, most, self.rounding, self.detail)
            quanta[shape, bucket] = quantum, exact
            first = len(gains)
            for progress, way in zip(shape.progress, shape.ways, strict=True):
                gain = progress / quantum
                whole = math.ceil(gain) if self.rounding == "up" else math.floor(gain)
                if whole > 0:
                    gains.append(whole)
                    ways.append(way_index.setdefault(way, len(way_index)))
            option_rows[shape, bucket] = first, len(gains)
        rows: list[tuple[int, ...]] = []
        start, release, options = [0], [], []
        for (shape, bucket, first_round), members in groups.items():
            quantum, exact = quanta[shape, bucket]
            before = len(rows)
            for iterations, j in sorted(members):
                code = self.worths.code(j)
                if code is None:
                    continue
                weight = self.instance.jobs[j].gang_size if shape.unit else 1
                need = math.ceil(iterations / quantum)
                rows.append((j, weight, need, *code, exact))
            if len(rows) > before:
                start.append(len(rows))
                release.append(first_round)
                options.append(option_rows[shape, bucket])
        table = np.array(rows, np.int64).reshape(-1, 8)
        index, weight, need, kind, a, b, last, exact = np.ascontiguousarray(table.T)
        return JobTable(
            self.scale,
            index,
            weight,
            need,
            kind,
            a,
            b,
            last,
            exact,
            np.array(self.worths.values or [0], np.int64),
            np.array(start, np.int64),
            np.array(release, np.int64),
            np.array(options, np.int64).reshape(-1, 2),
            np.array(gains, np.int64),
            np.array(ways, np.int64),
            tuple(way_index),
        )

    def _shape(self, j: int, job: Job) -> Shape | None:
        # Only `max_copies` may differ where all else is equal and the model is not forked.
        copies = self.instance.max_copies(j)
        key = (self.instance.throughput[j], job.gang_size, job.spread_factor, copies)
        if key not in self._shapes:
            self._shapes[key] = self._make_shape(job_model(self.instance, j, {}))
        return self._shapes[key]

    def _make_shape(self, model: JobModel) -> Shape | None:
        found = list(self._ways(model))
        if not found:
            return None
        unit = all(self._is_unit(way, model.gang_size) for _, way in found)
        if unit:
            found = [(p, Way(1, self._unit_rows(way, model.gang_size), 1)) for p, way in found]
        found.sort(key=lambda option: -option[0])
        return Shape(tuple(p for p, _ in found), tuple(way for _, way in found), unit)

    def _ways(self, model: JobModel) -> Iterator[tuple[int, Way]]:
        """Yield (progress, way) of every option of a job."""
        cluster, gang = self.instance.cluster, model.gang_size
        nodes = cluster.capacity
        levels = model.gang
        parts = zip(levels.progress, levels.admitted, levels.spread, strict=True)
        for progress, admitted, spread in parts:
            rows = (cluster.pooled_capacity,) if spread or model.pooled else nodes
            usable = _masked(rows, admitted.tolist(), gang)
            if usable:
                yield progress, Way(gang, tuple(dict.fromkeys(usable)), 1)
        copy = model.copy
        for progress, admitted in zip(copy.progress, copy.admitted, strict=True):
            usable = _masked(nodes, admitted.tolist(), gang)
            for copies in range(2, min(model.max_copies, len(usable)) + 1):
                yield copies * progress, Way(gang, tuple(usable), copies)

    @staticmethod
    def _is_unit(way: Way, gang: int) -> bool:
        """Whether the least cost of a gang is its size times the least price of one GPU."""
        if way.picks > 1:
            return False
        most = [max(column) for column in zip(*way.rows, strict=True)]
        offered = [any(column) for column in zip(*way.rows, strict=True)]
        return all(count >= gang for count, some in zip(most, offered, strict=True) if some)

    @staticmethod
    def _unit_rows(way: Way, gang: int) -> tuple[tuple[int, ...], ...]:
        most = [max(column) for column in zip(*way.rows, strict=True)]
        return (tuple(int(count >= gang) for count in most),)


def _scale(first: Fraction, peak: Fraction, total: Fraction) -> int:
    """Return a power of two so that worths, payoffs and their sum fit 64 bits."""

    def bits(value: Fraction) -> int:
        return math.ceil(value).bit_length()

    found = min(SUM_BITS - bits(first), PEAK_BITS - bits(peak), SUM_BITS - bits(total))
    if found < 0:
        raise OverflowError(f"utilities up to {first} are too large for sums in 64 bits")
    return 1 << found


def _masked(
    rows: tuple[tuple[int, ...], ...], admitted: list[bool], gang: int
) -> list[tuple[int, ...]]:
    """Return the rows with only admitted types, those that can hold the gang."""
    kept = [tuple(c if ok else 0 for c, ok in zip(row, admitted, strict=True)) for row in rows]
    return [row for row in kept if sum(row) >= gang]


class _Worths:
    """Utilities as integers, rounded up."""

    def __init__(self, instance: Instance, scale: int) -> None:
        self.instance, self.scale = instance, scale
        self.values: list[int] = []
        self._places: dict[object, tuple[int, int]] = {}

    def code(self, j: int) -> tuple[int, int, int, int] | None:
        """Return (kind, a, b, last), or None if the job is worth nothing."""
        job, scale = self.instance.jobs[j], self.scale
        utility, horizon = job.utility, self.instance.num_rounds - job.release
        if isinstance(utility, EffectiveThroughput):
            a = math.ceil(utility.value(1, job.iterations, self.instance.round_seconds) * scale)
            return (kernel.INVERSE, a, 0, horizon) if a > 0 else None
        if isinstance(utility, Linear):
            first, fall = Fraction(utility.peak), Fraction(utility.decay)
            last = math.ceil(first / fall) if fall > 0 else horizon
        elif isinstance(utility, Step):
            first, fall = Fraction(utility.peak), Fraction(0)
            last = math.floor(Fraction(utility.deadline))
        elif isinstance(utility, Completion):
            weight, end = Fraction(utility.weight), Fraction(utility.horizon)
            first, fall, last = weight * (end - 1), weight, math.ceil(end) - 1
        elif isinstance(utility, Sigmoid) and Fraction(utility.peak) >= 1:
            kind, a, b, _ = self._sigmoid(utility)
            return kind, a, b, horizon
        else:
            return self._table(j, horizon)
        last = min(horizon, last)
        if first <= 0 or last <= 0:
            return None
        return kernel.LINEAR, math.ceil(first * scale), math.floor(fall * scale), last

    def _sigmoid(self, utility: Sigmoid) -> tuple[int, int, int, int]:
        """Share 1 / (1 + exp(steepness * (d - deadline))) between jobs of any peak >= 1."""
        key = (utility.steepness, utility.deadline)
        horizon = self.instance.num_rounds
        if key not in self._places:
            # U(d) and these shares are rounded half-even to 9 decimals: 10^-9 more covers both.
            one = Sigmoid(1, utility.steepness, utility.deadline)
            shares = [share + 1 for share in sigmoid_values(one, horizon)]
            shares += [1] * (horizon - len(shares))
            self._places[key] = len(self.values), horizon
            self.values += [-(-(share << SIGMOID_BITS) // 10**9) for share in shares]
        peak = Fraction(utility.peak) * self.scale
        return (
            kernel.SIGMOID,
            math.ceil(peak / 2**kernel.SIGMOID_DROP),
            self._places[key][0],
            horizon,
        )

    def _table(self, j: int, horizon: int) -> tuple[int, int, int, int] | None:
        release = self.instance.jobs[j].release
        found: list[int] = []
        for d in range(horizon):
            value = self.instance.value(j, release + d)
            if value == 0:
                break
            found.append(math.ceil(value * self.scale))
        if not found:
            return None
        key = tuple(found)
        if key not in self._places:
            self._places[key] = len(self.values), len(found)
            self.values += found
        start, last = self._places[key]
        return kernel.TABLE, start, 0, last
