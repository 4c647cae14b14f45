"""Parts of Hadar, each of which can be switched off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hadaropt.simulate.placement import Counts, place_gangs
from hadaropt.simulate.problem import Placement, RoundProblem
from hadaropt.simulate.view import QueuedJob, RoundView, Scheduler


class DensityGreedy:
    """All unfinished jobs anew in each round, by value per GPU, while they fit.

    The value of an allocation is what it is for Hadar: that of completing when the job would if it
    kept it. A job gets its most valuable allocation that fits into what is left.
    """

    name = "density_greedy"

    def plan(self, view: RoundView) -> dict[int, Placement]:
        free = list(view.problem.cluster.pooled_capacity)
        rated = [(q, sorted(_values(q, view), reverse=True)) for q in view.queue]
        rated.sort(key=lambda pair: -pair[1][0][0] / pair[0].job.gang_size if pair[1] else 0)
        wanted: dict[int, Counts] = {}
        for q, levels in rated:
            for _, minus_level in levels:
                counts = _filled(q, -minus_level, free, view.problem)
                if counts is not None:
                    wanted[q.index] = counts
                    free = [left - n for left, n in zip(free, counts, strict=True)]
                    break
        return place_gangs(view.problem, wanted, view.held)


def _values(q: QueuedJob, view: RoundView) -> list[tuple[float, int]]:
    """Return (value, -level) for each slowest type at which the job gets on."""
    found = []
    for level in range(len(q.job.speed)):
        gain = view.problem.gain(q.index, level)
        if gain:
            value = float(q.job.value(view.round - 1 - (-q.remaining // gain)))
            if value > 0:
                found.append((value, -level))
    return found


def _filled(q: QueuedJob, level: int, free: list[int], problem: RoundProblem) -> Counts | None:
    """Return the gang on the fastest types first, none slower than a level; None if no room."""
    speed, counts = q.job.speed, [0] * len(free)
    admitted = [level]
    if problem.mixing:
        admitted = [r for r, own in enumerate(speed) if own >= speed[level]]
    for r in sorted(admitted, key=lambda r: -speed[r]):
        counts[r] = min(free[r], q.job.gang_size - sum(counts))
    return tuple(counts) if sum(counts) == q.job.gang_size else None


class Committed:
    """Asks a scheduler only about jobs that do not run and GPUs that are free."""

    def __init__(self, inner: Scheduler) -> None:
        self._inner, self.name = inner, f"committed:{inner.name}"

    def plan(self, view: RoundView) -> Mapping[int, Placement]:
        held, problem = view.held, view.problem
        free = [list(row) for row in problem.cluster.capacity]
        for placement in held.values():
            for h, r, count in placement:
                free[h][r] -= count
        waiting = tuple(q for q in view.queue if q.index not in held)
        if not waiting or not any(map(any, free)):
            return held
        rest = replace(problem.cluster, capacity=tuple(map(tuple, free)))
        inner = RoundView(view.round, replace(problem, cluster=rest), waiting)
        return {**held, **self._inner.plan(inner)}
