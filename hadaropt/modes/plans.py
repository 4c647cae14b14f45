"""What one job can do in a round, as exact integers: the ways to run and the rounds that pay."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from hadaropt.errors import LimitError
from hadaropt.instance import Instance

Form = Literal["hall", "divisible", "node"]
Kind = Literal["run", "inside", "spread", "copy"]

MAX_UNITS = 10**8
"""Largest progress in units of its gcd: at an integrality tolerance of 1e-9 HiGHS then errs by at
most a tenth of a unit, and no coefficient is small enough to be dropped."""


@dataclass(frozen=True)
class Way:
    """One way to run a job in a round.

    Attributes
    ----------
    kind : {"run", "inside", "spread", "copy"}
        ``run``: a gang anywhere (node identity does not matter); ``inside``: a gang inside one
        node; ``spread``: a gang over nodes, at the spread factor; ``copy``: one copy of several.
    level : int
        Smallest type index of the level: with ``node`` it names the way.
    node : int
        h for ``copy``, and for ``inside`` in the node form; else -1.
    units : int
        Progress, at least, in units of the job's gcd and capped at its need.
    admitted : tuple of int
        Types that the gang may hold.
    """

    kind: Kind
    level: int
    node: int
    units: int
    admitted: tuple[int, ...]


@dataclass(frozen=True)
class JobPlan:
    """The ways to run one job that can earn something, and when.

    Attributes
    ----------
    job, gang_size, release : int
    need : int
        ceil(Q_j / gcd): units to completion.
    ways : tuple of Way
        ``copy`` ways come last.
    max_copies : int
        1 where copies do not pay or are not allowed.
    first, last : int
        Earliest possible completion round, and the last round of positive utility.
    values : tuple of Fraction
        U_j for completion in the rounds ``first .. last``, all positive.
    """

    job: int
    gang_size: int
    release: int
    need: int
    ways: tuple[Way, ...]
    max_copies: int
    first: int
    last: int
    values: tuple[Fraction, ...]


def pooled_is_exact(instance: Instance, j: int) -> bool:
    """Return whether the node identity of job j's GPUs never matters."""
    if instance.max_copies(j) > 1:
        return False
    job = instance.jobs[j]
    return job.gang_size == 1 or job.spread_factor == 1


def _levels(
    progress: Iterable[int], counts: tuple[int, ...], gang_size: int, mixing: bool
) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return (type, progress, admitted types) of the levels that fit the GPU counts.

    Types of equal progress are one level, and a level admits every type at least as fast in
    progress: more types for the same progress, so nothing is lost. Without mixing each type is a
    level of its own. Types of which there is no GPU here play no part.
    """
    gains = tuple(gain if count else 0 for gain, count in zip(progress, counts, strict=True))
    found: list[tuple[int, int, tuple[int, ...]]] = []
    for r, gain in enumerate(gains):
        if gain == 0 or (mixing and gain in gains[:r]):
            continue
        faster = tuple(q for q, other in enumerate(gains) if other >= gain)
        admitted = faster if mixing else (r,)
        if gang_size <= sum(counts[q] for q in admitted):
            found.append((r, gain, admitted))
    return found


def raw_ways(instance: Instance, j: int, form: Form) -> list[Way]:
    """Return the ways of job j with their progress in iterations, capped at Q_j."""
    job, cluster = instance.jobs[j], instance.cluster
    mixing = instance.parallelism != "single_type"
    pooled = cluster.pooled_capacity

    def capped(**how: bool) -> tuple[int, ...]:
        return tuple(min(gain, job.iterations) for gain in instance.progress(j, **how))

    def ways(kind: Kind, gains: tuple[int, ...], h: int = -1) -> list[Way]:
        counts = pooled if h < 0 else cluster.capacity[h]
        found = _levels(gains, counts, job.gang_size, mixing)
        return [Way(kind, r, h, gain, admitted) for r, gain, admitted in found]

    nodes = range(len(cluster.nodes))
    result: list[Way] = []
    if form == "hall" or job.gang_size == 1 or job.spread_factor == 1:
        result += ways("run", capped())
    elif form == "divisible":
        for r, gain in enumerate(capped()):
            if gain and max(row[r] for row in cluster.capacity) >= job.gang_size:
                result.append(Way("inside", r, -1, gain, (r,)))
        result += ways("spread", capped(spread=True))
    else:
        result += [way for h in nodes for way in ways("inside", capped(), h)]
        result += ways("spread", capped(spread=True))
    if form == "node" and instance.max_copies(j) > 1:
        result += [way for h in nodes for way in ways("copy", capped(copies=True), h)]
    return result


def most_progress(ways: Iterable[Way], max_copies: int) -> int:
    """Return the most units that one job alone can make in one round."""
    best, copies = 0, dict[int, int]()
    for way in ways:
        if way.kind == "copy":
            copies[way.node] = max(copies.get(way.node, 0), way.units)
        else:
            best = max(best, way.units)
    if len(copies) > 1:
        best = max(best, sum(sorted(copies.values(), reverse=True)[:max_copies]))
    return best


def job_plan(instance: Instance, j: int, form: Form) -> JobPlan | None:
    """Return the plan of job j, or None if no schedule of it alone is worth anything.

    Progress is divided by its gcd g over the ways that do not complete the job at once, and the
    need becomes ceil(Q/g). Exact: a sum of multiples of g reaches Q iff it reaches g * ceil(Q/g).

    Raises
    ------
    LimitError
        If the need exceeds `MAX_UNITS` units: more than HiGHS can hold exactly.
    """
    job = instance.jobs[j]
    if job.release >= instance.num_rounds:
        return None
    raw = raw_ways(instance, j, form)
    copies = {way.node for way in raw if way.kind == "copy"}
    max_copies = min(instance.max_copies(j), len(copies))
    if max_copies < 2:
        raw = [way for way in raw if way.kind != "copy"]
        max_copies = 1
    best = most_progress(raw, max_copies)
    if best == 0:
        return None
    first = job.release - (-job.iterations // best) - 1
    values = []
    for f in range(first, instance.num_rounds):
        value = instance.value(j, f)
        if value == 0:
            break
        values.append(value)
    if not values:
        return None
    unit = math.gcd(*(way.units for way in raw if way.units < job.iterations)) or job.iterations
    need = -(-job.iterations // unit)
    if need > MAX_UNITS:
        raise LimitError(
            f"jobs[{j}].iterations = {job.iterations}, must be <= {MAX_UNITS} times the gcd {unit} "
            "of its progress per round: a wider range cannot be held in the solver's floats"
        )
    ways = tuple(
        Way(way.kind, way.level, way.node, min(need, way.units // unit), way.admitted)
        if way.units < job.iterations
        else Way(way.kind, way.level, way.node, need, way.admitted)
        for way in raw
    )
    last = first + len(values) - 1
    return JobPlan(
        j, job.gang_size, job.release, need, ways, max_copies, first, last, tuple(values)
    )


def job_plans(instance: Instance, form: Form) -> tuple[JobPlan, ...]:
    """Return the plans of the jobs that can earn something, in order of jobs."""
    plans = (job_plan(instance, j, form) for j in range(len(instance.jobs)))
    return tuple(plan for plan in plans if plan is not None)
