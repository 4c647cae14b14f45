"""All jobs of an instance as integer arrays, grouped so that many share one pricing table.

Progress is counted in units of a quantum: exactly where that is a short table, else rounded up
(necessary, for bounds), down (sufficient, for schedules) or to the nearest. The *worth* of a job is
its utility by flow time, rounded up to integers in units of 1 / scale. Jobs of a *group* have equal
release, speeds and gang; `hadaropt.kernels.pricing.lagrangian` works on these arrays.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from hadaropt.errors import USE_ILP, LimitError, limited
from hadaropt.exact import Exact
from hadaropt.instance import Instance, Job
from hadaropt.kernels.pricing import lagrangian as kernel
from hadaropt.mip.model import Ints
from hadaropt.modes import by_progress, copy_modes, gang_modes
from hadaropt.modes.quantisation import Rounding, choose_units, rounded
from hadaropt.pricing.worth import sigmoid_values
from hadaropt.utility import Completion, EffectiveThroughput, Linear, Sigmoid, Step

PEAK_BITS = 44
"""Bits of the largest value of a job, times scale. More: finer values, fewer bits for prices."""
SUM_BITS = 60
"""Bits of the sum of all payoffs, times scale: it has to fit 64 bits with a sign."""
SIGMOID_BITS = 30
"""Bits of the shares of a sigmoid's peak; those of its products are at most `PEAK_BITS` more."""


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
class Option:
    """One option of a job in a round.

    Attributes
    ----------
    progress : int
        Iterations.
    way : Way
    mask : int
        Bits of the admitted types.
    inside : bool
        Whether a gang has to lie within one node.
    """

    progress: int
    way: Way
    mask: int
    inside: bool


@dataclass(frozen=True, eq=False)
class Shape:
    """What jobs of equal speeds, gang and limits have in common; compared by identity.

    Attributes
    ----------
    options : tuple of Option
        By decreasing progress.
    unit : bool
        Whether costs are per GPU (else per gang).
    """

    options: tuple[Option, ...]
    unit: bool

    @cached_property
    def speeds(self) -> tuple[int, ...]:
        """Iterations in one round of every option, decreasing."""
        return tuple(option.progress for option in self.options)


@dataclass(frozen=True)
class JobTable:
    """Arrays of the jobs that could earn something, group after group.

    Attributes
    ----------
    scale : int
        Worths and prices are in units of 1 / scale.
    index : (n,) int64
        Index of the job in the instance.
    weight : (n,) int64
        Units of cost of a job: its gang size where costs are per GPU, else 1.
    need : (n,) int64
        Units of progress until it completes.
    kind, a, b, last : (n,) int64, and values : int64
        Its worth by flow time: see `hadaropt.kernels.pricing.lagrangian.worth`; 0 after ``last``.
    exact : (n,) bool
        Whether progress is counted exactly.
    gang : (n,) int64
        GPUs of one gang.
    group_start : (G + 1,) int64
        Rows of group g are group_start[g] .. group_start[g + 1] - 1.
    group_release : (G,) int64
    option_start : (G, 2) int64
        Options of group g are option_start[g, 0] .. option_start[g, 1] - 1.
    gain, way : int64
        Of every option: its units of progress in a round, and its index into ``ways``.
    mask, inside, picks : int64
        Of every option: bits of the admitted types, whether a gang lies within one node, and the
        number of gangs.
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
    gang: Ints
    group_start: Ints
    group_release: Ints
    option_start: Ints
    gain: Ints
    way: Ints
    mask: Ints
    inside: Ints
    picks: Ints
    ways: tuple[Way, ...]

    def __len__(self) -> int:
        return len(self.index)

    def sample(self, every: int) -> JobTable:
        """Return the table of every so many-th job, group by group."""
        return self.subset(np.arange(every // 2, len(self), every))

    def subset(self, rows: Ints) -> JobTable:
        """Return the table of some jobs: increasing rows of this one."""
        group = np.searchsorted(self.group_start, rows, side="right") - 1
        kept, sizes = np.unique(group, return_counts=True)

        def some(column: Ints, which: Ints) -> Ints:
            return np.ascontiguousarray(column[which])

        return replace(
            self,
            index=some(self.index, rows),
            weight=some(self.weight, rows),
            need=some(self.need, rows),
            kind=some(self.kind, rows),
            a=some(self.a, rows),
            b=some(self.b, rows),
            last=some(self.last, rows),
            exact=some(self.exact, rows),
            gang=some(self.gang, rows),
            group_start=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
            group_release=some(self.group_release, kept),
            option_start=some(self.option_start, kept),
        )

    @property
    def width(self) -> int:
        """Entries of one row of a table over progress."""
        return int(self.gain.max(initial=0)) + int(self.need.max(initial=0)) + 1


def job_table(instance: Instance, *, rounding: Rounding = "up", detail: int = 1) -> JobTable:
    """Return the arrays of an instance.

    Parameters
    ----------
    instance : Instance
    rounding : {"up", "down", "nearest"}
        Of progress that is not counted exactly: for bounds, for schedules, for estimates.
    detail : int
        Multiplies the number of units of tables over rounded progress.

    Raises
    ------
    LimitError
        If the utilities are too large for sums in 64 bits.
    """
    with limited("the pricing tables", USE_ILP):
        return _Builder(instance, rounding, detail).build()


def finer_table(
    instance: Instance, rounding: Rounding, detail: int, most_entries: int
) -> JobTable | None:
    """Return the table of that detail, or None where it would have more entries."""
    finer = job_table(instance, rounding=rounding, detail=detail)
    return finer if finer.width * (instance.num_rounds + 1) <= most_entries else None


class _Builder:
    def __init__(self, instance: Instance, rounding: Rounding, detail: int) -> None:
        self.instance, self.rounding, self.detail = instance, rounding, detail
        self._shapes: dict[object, Shape | None] = {}

    def build(self) -> JobTable:
        members: dict[tuple[Shape, int], list[tuple[int, int]]] = defaultdict(list)
        longest: dict[Shape, int] = defaultdict(int)
        rounds = self.instance.num_rounds
        first = peak = total = 0.0
        largest = 0
        for j, job in enumerate(self.instance.jobs):
            shape = self._shape(j, job) if job.release < rounds else None
            if shape is None:
                continue
            iterations = job.iterations
            if max(iterations, shape.options[0].progress) >= 2**62:
                raise LimitError(
                    f"jobs[{j}] makes {shape.options[0].progress} iterations in a round and needs "
                    f"{iterations}, must be < 2**62 for the pricing tables; {USE_ILP}"
                )
            least = -(-iterations // shape.options[0].progress)
            if least <= rounds - job.release:
                members[shape, job.release].append((iterations, j))
                longest[shape] = max(longest[shape], iterations)
                with limited(f"jobs[{j}].utility is too large for the pricing tables", USE_ILP):
                    worths = _rough(self.instance, job, 1), _rough(self.instance, job, least)
                if worths[0] > first:
                    largest = j
                first, peak, total = max(first, worths[0]), max(peak, worths[1]), total + worths[1]
        self.scale = _scale(first, peak, total, largest)
        self.worths = _Worths(self.instance, self.scale)
        return self._arrays(self._groups(members, longest))

    def _groups(
        self, members: dict[tuple[Shape, int], list[tuple[int, int]]], longest: dict[Shape, int]
    ) -> dict[tuple[Shape, int, int], list[tuple[int, int]]]:
        """Return (iterations, job) by shape, bucket of length, and release.

        Where progress is rounded, jobs of few rounds get a finer table than jobs of many.
        """
        exact = {
            shape: choose_units(shape.speeds, most, self.rounding, self.detail)[1]
            for shape, most in longest.items()
        }
        groups: dict[tuple[Shape, int, int], list[tuple[int, int]]] = defaultdict(list)
        for (shape, release), jobs in members.items():
            for iterations, j in sorted(jobs):
                least = min(max(4, -(-iterations // shape.speeds[0])), 256)
                bucket = 0 if exact[shape] else (least - 1).bit_length() // 2
                groups[shape, bucket, release].append((iterations, j))
        return groups

    def _arrays(self, groups: dict[tuple[Shape, int, int], list[tuple[int, int]]]) -> JobTable:
        longest: dict[tuple[Shape, int], int] = defaultdict(int)
        for (shape, bucket, _), members in groups.items():
            longest[shape, bucket] = max(longest[shape, bucket], members[-1][0])
        option_rows: dict[tuple[Shape, int], tuple[int, int]] = {}
        quanta: dict[tuple[Shape, int], tuple[Fraction, bool]] = {}
        way_index: dict[Way, int] = {}
        options: list[tuple[int, ...]] = []
        for (shape, bucket), most in longest.items():
            quantum, exact = choose_units(shape.speeds, most, self.rounding, self.detail)
            quanta[shape, bucket] = quantum, exact
            first = len(options)
            for option in shape.options:
                whole = rounded(option.progress / quantum, self.rounding)
                if whole > 0:
                    way = way_index.setdefault(option.way, len(way_index))
                    options.append((whole, way, option.mask, option.inside, option.way.picks))
            option_rows[shape, bucket] = first, len(options)
        rows: list[tuple[int, ...]] = []
        start, release, places = [0], [], []
        for (shape, bucket, first_round), members in groups.items():
            quantum, exact = quanta[shape, bucket]
            parts, whole = quantum.denominator, quantum.numerator
            before = len(rows)
            for iterations, j in members:
                code = self.worths.code(j)
                if code is None:
                    continue
                weight = self.instance.jobs[j].gang_size if shape.unit else 1
                need = -(-iterations * parts // whole)
                rows.append((j, weight, need, *code, exact))
            if len(rows) > before:
                start.append(len(rows))
                release.append(first_round)
                places.append(option_rows[shape, bucket])
        table = np.array(rows, np.int64).reshape(-1, 8)
        gain, way, mask, inside, picks = np.ascontiguousarray(
            np.array(options, np.int64).reshape(-1, 5).T
        )
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
            np.array([self.instance.jobs[j].gang_size for j in index], np.int64),
            np.array(start, np.int64),
            np.array(release, np.int64),
            np.array(places, np.int64).reshape(-1, 2),
            gain,
            way,
            mask,
            inside,
            picks,
            tuple(way_index),
        )

    def _shape(self, j: int, job: Job) -> Shape | None:
        # Only `max_copies` may differ where all else is equal and the model is not forked.
        copies = self.instance.max_copies(j)
        speeds = tuple([x.as_integer_ratio() for x in self.instance.throughput[j]])
        key = (speeds, job.gang_size, job.spread_factor.as_integer_ratio(), copies)
        if key not in self._shapes:
            self._shapes[key] = self._make_shape(j)
        return self._shapes[key]

    def _make_shape(self, j: int) -> Shape | None:
        found = sorted(self._options(j), key=lambda option: -option.progress)
        if not found:
            return None
        gang = self.instance.jobs[j].gang_size
        unit = all(self._is_unit(option.way, gang) for option in found)
        if unit:
            rows = [self._unit_rows(option.way, gang) for option in found]
            found = [replace(o, way=Way(1, row, 1)) for o, row in zip(found, rows, strict=True)]
        return Shape(tuple(found), unit)

    def _options(self, j: int) -> Iterator[Option]:
        """Yield every option of job j; copies all at one level, or faster."""
        instance = self.instance
        cluster, gang = instance.cluster, instance.jobs[j].gang_size
        for mode in by_progress(gang_modes(instance, j)):
            anywhere = mode.reach == "anywhere"
            rows = (cluster.pooled_capacity,) if anywhere else cluster.capacity
            usable = _masked(rows, mode.types, gang)
            if usable:
                way = Way(gang, tuple(dict.fromkeys(usable)), 1)
                yield Option(mode.iterations, way, _bits(mode.types), not anywhere)
        for mode in by_progress(copy_modes(instance, j)):
            usable = _masked(cluster.capacity, mode.types, gang)
            for copies in range(2, min(instance.max_copies(j), len(usable)) + 1):
                way = Way(gang, tuple(usable), copies)
                yield Option(copies * mode.iterations, way, _bits(mode.types), True)

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


def _rough(instance: Instance, job: Job, flow_time: int) -> float:
    """U(d) or a little more, as a float: only to choose a scale."""
    if isinstance(job.utility, EffectiveThroughput):
        return (
            float(Fraction(job.utility.scale))
            * job.iterations
            / float(flow_time * instance.round_seconds)
        )
    if isinstance(job.utility, Linear | Step | Sigmoid):
        return float(Fraction(job.utility.peak))
    return float(job.utility.value(flow_time, job.iterations, instance.round_seconds))


def _scale(first: float, peak: float, total: float, largest: int) -> int:
    """Return a power of two so that worths, payoffs and their sum fit 64 bits.

    Raises
    ------
    LimitError
        If there is none; it names the job of the largest worth.
    """

    def bits(value: float) -> int:
        return math.ceil(value).bit_length() + 1

    found = min(SUM_BITS - bits(first), PEAK_BITS - bits(peak), SUM_BITS - bits(total))
    if found < 0:
        raise LimitError(
            f"jobs[{largest}].utility is up to {first:.3g} ({total:.3g} over all jobs), too large "
            f"for sums in 64 bits; {USE_ILP}"
        )
    return 1 << found


def _bits(types: Sequence[int]) -> int:
    return sum(1 << r for r in types)


def _masked(
    rows: tuple[tuple[int, ...], ...], types: Sequence[int], gang: int
) -> list[tuple[int, ...]]:
    """Return the rows with only these types, those that can hold the gang."""
    kept = [tuple(c if r in types else 0 for r, c in enumerate(row)) for row in rows]
    return [row for row in kept if sum(row) >= gang]


def _pair(x: Exact) -> tuple[int, int]:
    """Numerator and denominator."""
    return (x if isinstance(x, Fraction | int) else Fraction(x)).as_integer_ratio()


def _up(x: Exact, times: int, over: int) -> int:
    """Return ceil(x * times / over)."""
    top, bottom = _pair(x)
    return -(-top * times // (bottom * over))


def _down(x: Exact, times: int) -> int:
    """Return floor(x * times)."""
    top, bottom = _pair(x)
    return top * times // bottom


class _Worths:
    """Utilities as integers, rounded up."""

    def __init__(self, instance: Instance, scale: int) -> None:
        self.instance, self.scale = instance, scale
        self.values: list[int] = []
        self._places: dict[object, tuple[int, int]] = {}

    def code(self, j: int) -> tuple[int, int, int, int] | None:
        """Return (kind, a, b, last), or None if the job is worth nothing."""
        job = self.instance.jobs[j]
        utility, horizon = job.utility, self.instance.num_rounds - job.release
        if isinstance(utility, EffectiveThroughput):
            tau = self.instance.round_seconds
            peak = _up(utility.scale, self.scale * job.iterations * tau.denominator, tau.numerator)
            return (kernel.INVERSE, peak, 0, horizon) if peak > 0 else None
        if isinstance(utility, Linear):
            return self._line(utility.peak, utility.decay, horizon)
        if isinstance(utility, Step):
            return self._line(utility.peak, 0, min(horizon, _down(utility.deadline, 1)))
        if isinstance(utility, Completion):
            weight, end = Fraction(utility.weight), Fraction(utility.horizon)
            return self._line(weight * (end - 1), weight, horizon)
        if isinstance(utility, Sigmoid) and Fraction(utility.peak) >= 1:
            start = self._sigmoid(utility)
            return (
                kernel.SIGMOID,
                _up(utility.peak, self.scale, 2**kernel.SIGMOID_DROP),
                start,
                horizon,
            )
        return self._table(j, horizon)

    def _line(self, first: Exact, fall: Exact, horizon: int) -> tuple[int, int, int, int] | None:
        """Return the code of ``first - fall * (d - 1)`` while it is positive."""
        top, step = _pair(first), _pair(fall)
        last = -(-top[0] * step[1] // (top[1] * step[0])) if step[0] else horizon
        last = min(last, horizon)
        if top[0] <= 0 or last <= 0:
            return None
        # A line that falls by more than it has is used in its first round only.
        fall = min(Fraction(fall), Fraction(first))
        return kernel.LINEAR, _up(first, self.scale, 1), _down(fall, self.scale), last

    def _sigmoid(self, utility: Sigmoid) -> int:
        """Share 1 / (1 + exp(steepness * (d - deadline))) between jobs of any peak >= 1."""
        key = (utility.steepness, utility.deadline)
        horizon = self.instance.num_rounds
        if key not in self._places:
            # U(d) and these shares are rounded half-even to 9 decimals: 10^-9 more covers both.
            one = Sigmoid(peak=1, steepness=utility.steepness, deadline=utility.deadline)
            shares = [share + 1 for share in sigmoid_values(one, horizon)]
            shares += [1] * (horizon - len(shares))
            self._places[key] = len(self.values), horizon
            self.values += [-(-(share << SIGMOID_BITS) // 10**9) for share in shares]
        return self._places[key][0]

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
