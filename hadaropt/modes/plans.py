"""What one job can do in a round, as exact integers: the ways to run and the rounds that pay."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from hadaropt.errors import LimitError
from hadaropt.instance import Instance
from hadaropt.modes.mode import Mode, copy_modes, gang_modes, is_slowed

Form = Literal["hall", "divisible", "node"]
"""The compact program that the plans are for: see `hadaropt.offline.compact`."""
Kind = Literal["run", "inside", "spread", "copy"]
"""Of a way to run: see `Way`."""

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


def _fitting(
    modes: Iterable[Mode], counts: tuple[int, ...], gang_size: int, most: int, mixing: bool
) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return (level, iterations, types) of the modes that fit the GPU counts, by level.

    Iterations are capped at `most`. Where types mix, of modes of equal progress only the one that
    admits all others is kept, under the smallest of their levels. Types of which there is no GPU
    here play no part.
    """
    found: dict[int, tuple[int, int, tuple[int, ...]]] = {}
    for mode in modes:
        if counts[mode.level]:
            gain = min(mode.iterations, most)
            types = tuple(q for q in mode.types if counts[q])
            key = gain if mixing else mode.level
            level, _, known = found.get(key, (mode.level, gain, ()))
            found[key] = min(level, mode.level), gain, max(known, types, key=len)
    return sorted(
        (level, gain, types)
        for level, gain, types in found.values()
        if gang_size <= sum(counts[q] for q in types)
    )


def raw_ways(instance: Instance, j: int, form: Form) -> list[Way]:
    """Return the ways of job j with their progress in iterations, capped at Q_j."""
    job, cluster = instance.jobs[j], instance.cluster
    mixing = instance.parallelism != "single_type"
    modes = gang_modes(instance, j)
    anywhere = [mode for mode in modes if mode.reach == "anywhere"]
    inside = [mode for mode in modes if mode.reach == "node"]

    def ways(kind: Kind, modes: Iterable[Mode], h: int = -1) -> list[Way]:
        counts = cluster.pooled_capacity if h < 0 else cluster.capacity[h]
        found = _fitting(modes, counts, job.gang_size, job.iterations, mixing)
        return [Way(kind, level, h, gain, types) for level, gain, types in found]

    nodes = range(len(cluster.nodes))
    result: list[Way] = []
    if not is_slowed(instance, j):
        result += ways("run", anywhere)
    elif form == "divisible":
        for mode in inside:
            r, gain = mode.level, min(mode.iterations, job.iterations)
            if max(row[r] for row in cluster.capacity) >= job.gang_size:
                result.append(Way("inside", r, -1, gain, (r,)))
        result += ways("spread", anywhere)
    else:
        result += [way for h in nodes for way in ways("inside", inside, h)]
        result += ways("spread", anywhere)
    if form == "node":
        copies = copy_modes(instance, j)
        result += [way for h in nodes for way in ways("copy", copies, h)]
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
