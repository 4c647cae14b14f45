"""YARN-CS: first come, first served, by whole gangs, never preempted, blind to speeds."""

from __future__ import annotations

from hadaropt.simulate.placement import Counts, counts_of, place_gangs
from hadaropt.simulate.problem import Placement
from hadaropt.simulate.schedulers.in_order import on_first_type
from hadaropt.simulate.standstill import without_standstill
from hadaropt.simulate.view import RoundView


class Yarn:
    """The capacity scheduler with one queue.

    Every gang is on one type, the first in the cluster's order with room; a job that finds none
    holds up all behind it, so that no gang starves. A gang that no single type can hold mixes them.
    """

    name = "yarn"

    def plan(self, view: RoundView) -> dict[int, Placement]:
        """Return what each job that runs in this round holds."""
        free = list(view.problem.cluster.pooled_capacity)
        held = view.held
        wanted: dict[int, Counts] = {}
        for j, placement in held.items():
            wanted[j] = counts_of(placement, len(free))
            free = [left - count for left, count in zip(free, wanted[j], strict=True)]
        for q in view.queue:
            if q.index in wanted:
                continue
            counts = on_first_type(q, view, free)
            if counts is None:
                break
            wanted[q.index] = counts
            free = [left - count for left, count in zip(free, counts, strict=True)]
        return without_standstill(view, place_gangs(view.problem, wanted, held))
