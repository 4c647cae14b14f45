"""Whole gangs on one type, one job after the other, as long as there is room.

A gang that no single type can hold mixes types, where it may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hadaropt.simulate.placement import Counts, place_gangs
from hadaropt.simulate.problem import Placement
from hadaropt.simulate.standstill import without_standstill
from hadaropt.simulate.view import QueuedJob, RoundView

Choice = Callable[[QueuedJob, RoundView, list[int]], Counts | None]
"""(job, view, free GPUs by type) -> the gang by type, or None if the job waits."""


def run_in_order(
    view: RoundView, jobs: Iterable[QueuedJob], choose: Choice
) -> dict[int, Placement]:
    """Give each job in turn what ``choose`` says of the GPUs that are left."""
    free = list(view.problem.cluster.pooled_capacity)
    wanted: dict[int, Counts] = {}
    for q in jobs:
        counts = choose(q, view, free)
        if counts is not None:
            wanted[q.index] = counts
            free = [left - count for left, count in zip(free, counts, strict=True)]
    return without_standstill(view, place_gangs(view.problem, wanted, view.held))


def usable_types(q: QueuedJob, view: RoundView, free: list[int]) -> list[int]:
    """Return the types that can run the job and have room for its gang, in the cluster's order."""
    able = view.problem.usable(q.index)
    return [r for r, left in enumerate(free) if able[r] and q.job.gang_size <= left]


def gang_on(r: int, q: QueuedJob, types: int) -> Counts:
    """Return the whole gang on one type."""
    return tuple(q.job.gang_size if i == r else 0 for i in range(types))


def over_types(q: QueuedJob, view: RoundView, free: list[int]) -> Counts | None:
    """Choose a mix of types for a gang that no single type can hold, the fastest with room."""
    problem, gang = view.problem, q.job.gang_size
    if not problem.mixing or any(problem.usable(q.index)):
        return None
    gains = [problem.gain(q.index, r) for r in range(len(free))]
    for level in sorted(range(len(free)), key=lambda r: -gains[r]):
        types = problem.admitted(q.index, level)
        if gains[level] == 0 or sum(free[r] for r in types) < gang:
            continue
        counts, need = [0] * len(free), gang
        for r in sorted(types, key=lambda r: -q.job.speed[r]):
            counts[r] = min(need, free[r])
            need -= counts[r]
        return tuple(counts)
    return None


def on_first_type(q: QueuedJob, view: RoundView, free: list[int]) -> Counts | None:
    """Choose the first type with room."""
    types = usable_types(q, view, free)
    return gang_on(types[0], q, len(free)) if types else over_types(q, view, free)


def on_fastest_type(q: QueuedJob, view: RoundView, free: list[int]) -> Counts | None:
    """Choose the fastest type with room; of equal ones the first."""
    types = usable_types(q, view, free)
    if not types:
        return over_types(q, view, free)
    return gang_on(max(types, key=lambda r: (q.job.speed[r], -r)), q, len(free))
