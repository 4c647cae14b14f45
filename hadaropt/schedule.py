"""Schedules, and THE checker of their feasibility and value, in exact integers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from operator import attrgetter
from typing import ClassVar

from hadaropt.errors import ScheduleError, shown
from hadaropt.exact import to_text
from hadaropt.instance import Instance
from hadaropt.renamed import Renamed


@dataclass(frozen=True, order=True, slots=True)
class Allocation:
    """What one job holds in one round.

    Parameters
    ----------
    round : int
        t in 0 .. T-1.
    gpus : tuple of (node, type, count)
        GPUs held, by node index h and type index r; counts >= 1.
    copies : bool
        True: each node holds one copy of the job (a gang of W_j each). False: one gang.
    """

    round: int
    gpus: tuple[tuple[int, int, int], ...]
    copies: bool = False

    def __post_init__(self) -> None:
        if type(self.gpus) is tuple:
            for place in self.gpus:  # a loop: a million of them are made
                if type(place) is not tuple:
                    break
            else:
                return
        object.__setattr__(self, "gpus", tuple(map(tuple, self.gpus)))


@dataclass(frozen=True)
class Schedule(Renamed):
    """Allocations of every job of an instance.

    Parameters
    ----------
    jobs : tuple of tuples of Allocation
        Allocations of job j, by job index; empty where the job never runs.
    completion : tuple of (int or None), optional
        Claimed completion rounds (checked when given).
    value : Fraction, optional
        Claimed value (checked when given).
    """

    jobs: tuple[tuple[Allocation, ...], ...]
    completion: tuple[int | None, ...] | None = None
    value: Fraction | None = None

    _renamed: ClassVar[Mapping[str, str]] = {"objective": "value"}

    def __post_init__(self) -> None:
        if type(self.jobs) is not tuple or any(type(own) is not tuple for own in self.jobs):
            object.__setattr__(self, "jobs", tuple(map(tuple, self.jobs)))
        if self.completion is not None and type(self.completion) is not tuple:
            object.__setattr__(self, "completion", tuple(self.completion))

    @classmethod
    def empty(cls, instance: Instance) -> Schedule:
        """Return the schedule in which nothing runs (value 0)."""
        return cls(((),) * len(instance.jobs))


@dataclass(frozen=True)
class CheckedSchedule:
    """The exact facts of a feasible schedule.

    Attributes
    ----------
    value : Fraction
        sum_j U_j(f_j - a_j + 1) over the jobs that complete.
    completion : tuple of (int or None)
        f_j: first round in which the cumulated progress reaches Q_j.
    progress : tuple of int
        Iterations done by each job.
    """

    value: Fraction
    completion: tuple[int | None, ...]
    progress: tuple[int, ...]


def _is_integer(value: object) -> bool:
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def allocation_progress(instance: Instance, j: int, allocation: Allocation) -> int:
    """Return the exact iterations that job j makes in the round of ``allocation``.

    Raises
    ------
    ScheduleError
        If the allocation breaks a rule that concerns this job alone.
    """
    job, cluster = instance.jobs[j], instance.cluster
    t = allocation.round

    def fail(rule: str, h: int | None = None, r: int | None = None) -> ScheduleError:
        return ScheduleError.at(
            rule,
            job=job.name,
            round=t,
            node=None if h is None else cluster.nodes[h],
            type=None if r is None else cluster.accelerators[r],
        )

    _check_round(instance, j, t)
    held: dict[int, int] = defaultdict(int)
    types: dict[int, set[int]] = defaultdict(set)
    seen = set()
    for h, r, count in allocation.gpus:
        if not (_is_integer(h) and _is_integer(r)):
            raise fail(f"must name nodes and types by integers, not ({shown(h)}, {shown(r)})")
        if not (0 <= h < len(cluster.nodes) and 0 <= r < len(cluster.accelerators)):
            raise fail(f"must hold GPUs of known nodes and types, not of ({h}, {r})")
        if not _is_integer(count):
            raise fail(f"must hold an integer number of GPUs, not {shown(count)}", h, r)
        if count < 1:
            raise fail(f"must hold at least 1 GPU where it holds any, not {count}", h, r)
        if (h, r) in seen:
            raise fail("must name each node and type once", h, r)
        seen.add((h, r))
        if instance.throughput[j][r] == 0:
            raise fail("must not use a type on which its throughput is 0", h, r)
        held[h] += count
        types[h].add(r)
    used = set().union(*types.values())
    if instance.parallelism == "single_type" and len(used) > 1:
        raise fail("must use one type in each round under single_type", r=max(used))
    if not allocation.copies:
        total = sum(held.values())
        if total != job.gang_size:
            raise fail(f"must hold 0 or exactly {job.gang_size} GPUs (its gang), not {total}")
        return min(instance.progress(j, spread=len(held) > 1)[r] for r in used)
    if instance.parallelism != "forked":
        raise fail(f"must not run as copies under {instance.parallelism}")
    if not 2 <= len(held) <= instance.max_copies(j):
        most = instance.max_copies(j)
        raise fail(f"must run as 2 .. {most} copies when it runs as copies, not {len(held)}")
    for h, count in held.items():
        if count != job.gang_size:
            raise fail(f"must hold {job.gang_size} GPUs in each copy, not {count}", h)
    speeds = instance.progress(j, copies=True)
    return sum(min(speeds[r] for r in types[h]) for h in held)


def _check_round(instance: Instance, j: int, t: object) -> None:
    """Raise unless job j may run in a round at all: the part of its rules that is about time."""
    if not _is_integer(t):
        rule = f"must have an integer as its round, not {shown(t)}"
    elif not 0 <= t < instance.num_rounds:  # type: ignore[operator]
        rule = f"must lie in rounds 0 .. {instance.num_rounds - 1}"
    elif t < instance.jobs[j].release:  # type: ignore[operator]
        rule = f"must not run before its release in round {instance.jobs[j].release}"
    else:
        return
    raise ScheduleError.at(rule, job=instance.jobs[j].name, round=t)  # type: ignore[arg-type]


class _Gains:
    """The progress of allocations: that of GPUs which an equal job was seen to hold is known.

    What a job may hold, and what it gains, is the same in every round, and for all jobs of equal
    gang, speeds, spread factor and copies. GPUs are known by identity (a schedule holds them all
    the while), since equal ones may still be no integers.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._alike: dict[tuple[object, ...], dict[tuple[int, bool], int]] = {}

    def of_job(self, j: int) -> Callable[[Allocation], int]:
        """Return what `allocation_progress` returns of job j, with the same errors."""
        instance, job = self._instance, self._instance.jobs[j]
        kind = (job.gang_size, id(instance.throughput[j]), job.spread_factor, job.max_copies)
        known = self._alike.setdefault(kind, {})
        first, rounds = job.release, instance.num_rounds

        def gain(allocation: Allocation) -> int:
            t = allocation.round
            if type(t) is not int or not first <= t < rounds:
                _check_round(instance, j, t)
            key = id(allocation.gpus), bool(allocation.copies)
            found = known.get(key)
            if found is None:
                found = known[key] = allocation_progress(instance, j, allocation)
            return found

        return gain


def check_schedule(instance: Instance, schedule: Schedule) -> CheckedSchedule:
    """Check a schedule against every rule and return its exact value.

    In every round: capacity holds on each node and type; each job holds 0 or exactly W_j GPUs (W_j
    per copy); nothing runs before release or after completion; only types with X_jr > 0. A job that
    never completes is worth 0. Independent of every solver; integers and Fractions only.

    Raises
    ------
    ScheduleError
        Naming job, round, node, type and the rule that is broken.
    TypeError
        If an argument is not an instance or a schedule at all.

    Examples
    --------
    >>> from hadaropt import Cluster, Instance, Schedule, check_schedule
    >>> check_schedule(Instance(Cluster.of({"n0": {"V100": 1}}), (), 1), Schedule(())).value
    Fraction(0, 1)
    """
    for name, given, kind in (("instance", instance, Instance), ("schedule", schedule, Schedule)):
        if not isinstance(given, kind):
            raise TypeError(f"{name}: expected a hadaropt.{kind.__name__}, got {shown(given)}")
    if len(schedule.jobs) != len(instance.jobs):
        rule = f"must have one entry for each of the {len(instance.jobs)} jobs"
        raise ScheduleError("jobs", rule, str(len(schedule.jobs)))
    use: dict[tuple[int, int, int], int] = defaultdict(int)
    completion: list[int | None] = []
    progress: list[int] = []
    value = Fraction(0)
    gains = _Gains(instance)
    for j, allocations in enumerate(schedule.jobs):
        job = instance.jobs[j]
        done, finish, last = 0, None, -1
        gain_of = gains.of_job(j)
        for allocation in allocations:
            if not _is_integer(allocation.round):
                rule = f"must have an integer as its round, not {shown(allocation.round)}"
                raise ScheduleError.at(rule, job=job.name)
        for allocation in sorted(allocations, key=attrgetter("round")):
            t = allocation.round
            gain = gain_of(allocation)
            if t == last:
                raise ScheduleError.at("must have one entry per round", job=job.name, round=t)
            if finish is not None:
                rule = f"must not run after its completion in round {finish}"
                raise ScheduleError.at(rule, job=job.name, round=t)
            for h, r, count in allocation.gpus:
                use[t, h, r] += count
            done, last = done + gain, t
            if done >= job.iterations:
                finish = t
        completion.append(finish)
        progress.append(done)
        if finish is not None:
            value += instance.value(j, finish)
    _check_capacity(instance, schedule, use)
    _check_claims(instance, schedule, tuple(completion), value)
    return CheckedSchedule(value, tuple(completion), tuple(progress))


def _check_capacity(
    instance: Instance, schedule: Schedule, use: dict[tuple[int, int, int], int]
) -> None:
    cluster, capacity = instance.cluster, instance.cluster.capacity
    over = [(t, h, r) for (t, h, r), count in use.items() if count > capacity[h][r]]
    if over:
        t, h, r = min(over)
        holders: Sequence[str] = [
            job.name
            for job, allocations in zip(instance.jobs, schedule.jobs, strict=True)
            for a in allocations
            if a.round == t and any((h, r) == place[:2] for place in a.gpus)
        ]
        raise ScheduleError.at(
            f"must not exceed the capacity of {capacity[h][r]} GPUs, "
            f"not {use[t, h, r]} (held by {', '.join(holders)})",
            job=holders[-1],
            round=t,
            node=cluster.nodes[h],
            type=cluster.accelerators[r],
        )


def _check_claims(
    instance: Instance, schedule: Schedule, completion: tuple[int | None, ...], value: Fraction
) -> None:
    if schedule.completion is not None:
        if len(schedule.completion) != len(instance.jobs):
            rule = f"must have one entry for each of the {len(instance.jobs)} jobs"
            raise ScheduleError("completion", rule, str(len(schedule.completion)))
        for j, (claim, truth) in enumerate(zip(schedule.completion, completion, strict=True)):
            if claim != truth:
                raise ScheduleError.at(
                    f"must complete in round {truth}, as its progress says, not {claim}"
                    if truth is not None
                    else f"must not claim completion in round {claim}: it never completes",
                    job=instance.jobs[j].name,
                )
    if schedule.value is not None and schedule.value != value:
        rule = f"must equal the exact value {to_text(value)}"
        raise ScheduleError("objective", rule, to_text(schedule.value))


def jobs_in_vain(schedule: Schedule, completion: Sequence[int | None]) -> tuple[int, ...]:
    """Return the jobs that hold GPUs in rounds which do not complete them.

    Parameters
    ----------
    schedule : Schedule
    completion : sequence of (int or None)
        As `check_schedule` finds it.
    """
    pairs = zip(schedule.jobs, completion, strict=True)
    return tuple(j for j, (rounds, last) in enumerate(pairs) if rounds and last is None)


def trim_schedule(instance: Instance, schedule: Schedule) -> Schedule:
    """Return the schedule without the rounds of a job after its exact completion."""
    jobs = []
    for j, allocations in enumerate(schedule.jobs):
        kept, done = [], 0
        for allocation in sorted(allocations, key=attrgetter("round")):
            if done >= instance.jobs[j].iterations:
                break
            done += allocation_progress(instance, j, allocation)
            kept.append(allocation)
        jobs.append(tuple(kept))
    return Schedule(tuple(jobs))
