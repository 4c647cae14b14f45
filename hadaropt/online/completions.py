"""When jobs really complete, where their iterations were declared wrong, and what that frees."""

from __future__ import annotations

import heapq

from hadaropt.instance import Instance
from hadaropt.schedule import Allocation, allocation_progress


class Completions:
    """Follows plans that were made for declared iterations, in the true instance.

    Parameters
    ----------
    truth : Instance
        As the declared instance, but for the iterations.
    """

    def __init__(self, truth: Instance) -> None:
        self._truth = truth
        self._rest: list[tuple[int, int, tuple[Allocation, ...]]] = []

    def plan(self, j: int, allocations: tuple[Allocation, ...]) -> None:
        """Follow the plan of job j; what it plans beyond its true completion will be freed."""
        done, needed = 0, self._truth.jobs[j].iterations
        in_order = sorted(allocations)
        for k, allocation in enumerate(in_order):
            done += allocation_progress(self._truth, j, allocation)
            if done >= needed:
                rest = tuple(in_order[k + 1 :])
                if rest:
                    heapq.heappush(self._rest, (allocation.round, j, rest))
                return

    def freed(self, now: int) -> list[Allocation]:
        """Return, once, what the jobs that completed before round ``now`` had planned beyond."""
        free: list[Allocation] = []
        while self._rest and self._rest[0][0] < now:
            free += heapq.heappop(self._rest)[2]
        return free
