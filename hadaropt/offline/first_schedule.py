"""A schedule within milliseconds, by plain Python: before anything is compiled or bounded."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from hadaropt.instance import Instance
from hadaropt.schedule import Allocation, Schedule

MOST_JOBS = 5_000
"""Most jobs that are looked at. More: a better schedule of more jobs, and it takes longer."""
MOST_STEPS = 50_000
"""Most looks at a job in a round or at a node, whatever the size of the instance. As above."""

Places = tuple[tuple[int, int, int], ...]


def first_schedule(instance: Instance) -> Schedule:
    """Let one job after the other run at once, on the fastest type that is free for its gang.

    Jobs worth most per GPU and iteration come first. A gang lies on one type, within one node where
    it can, so the schedule is feasible in every model of parallelism. After a fixed number of steps
    the other jobs are left out.
    """
    free = _Free(instance)
    jobs: list[tuple[Allocation, ...]] = [()] * len(instance.jobs)
    for j in _order(instance):
        if free.steps >= MOST_STEPS:
            break
        found: list[Allocation] = []
        done, need = 0, instance.jobs[j].iterations
        for t in range(instance.jobs[j].release, instance.num_rounds):
            if done >= need or free.steps >= MOST_STEPS:
                break
            free.steps += 1
            progress, held = _gang(instance, j, t, free)
            if progress > 0:
                done += progress
                found.append(Allocation(t, held))
        if done < need or instance.value(j, found[-1].round) <= 0:
            continue
        jobs[j] = tuple(found)
        for allocation in found:
            free.take(allocation.round, allocation.gpus)
    return Schedule(tuple(jobs))


def _order(instance: Instance) -> list[int]:
    """Return the jobs that could complete, those of the greatest worth per work first."""

    def density(j: int) -> Fraction:
        job = instance.jobs[j]
        return -instance.value(j, job.release) / (job.gang_size * job.iterations)

    most = range(min(len(instance.jobs), MOST_JOBS))
    return sorted((j for j in most if instance.unschedulable(j) is None), key=density)


def _gang(instance: Instance, j: int, t: int, free: _Free) -> tuple[int, Places]:
    """Return the best progress of a gang in what is free of one round, and its GPUs."""
    gang = instance.jobs[j].gang_size
    best: tuple[int, Places] = (0, ())
    for r, inside in enumerate(instance.progress(j)):
        if inside <= best[0]:
            continue
        host = free.host(t, r, gang)
        if host is not None:
            best = (inside, ((host, r, gang),))
            continue
        spread = instance.progress(j, spread=True)[r]
        if spread > best[0] and free.total(t, r) >= gang:
            best = (spread, free.spread(t, r, gang))
    return best


class _Free:
    """What is free of each round; it only ever shrinks.

    So the first node with room for a gang only ever moves on: no look is at all nodes again.
    """

    def __init__(self, instance: Instance) -> None:
        self._capacity = instance.cluster.capacity
        self._pooled = instance.cluster.pooled_capacity
        self._used: dict[tuple[int, int, int], int] = defaultdict(int)
        self._held: dict[tuple[int, int], int] = defaultdict(int)
        self._first: dict[tuple[int, int, int], int] = {}
        self.steps = 0

    def total(self, t: int, r: int) -> int:
        """Return the free GPUs of type r in round t."""
        return self._pooled[r] - self._held[t, r]

    def host(self, t: int, r: int, gang: int) -> int | None:
        """Return the first node with ``gang`` free GPUs of type r in round t, if there is one."""
        h = self._next(t, r, gang)
        return h if h < len(self._capacity) else None

    def spread(self, t: int, r: int, gang: int) -> Places:
        """Return ``gang`` free GPUs of type r in round t, node by node."""
        places, h = [], self._next(t, r, 1)
        while gang > 0:
            count = min(gang, self._capacity[h][r] - self._used.get((t, h, r), 0))
            if count > 0:
                places.append((h, r, count))
                gang -= count
            h += 1
            self.steps += 1
        return tuple(places)

    def take(self, t: int, places: Places) -> None:
        """Use GPUs in round t."""
        for h, r, count in places:
            self._used[t, h, r] += count
            self._held[t, r] += count

    def _next(self, t: int, r: int, gang: int) -> int:
        """Return the first node with room for the gang, or the number of nodes."""
        h = self._first.get((t, r, gang), 0)
        if h == 0 and t >= 0:
            # Round -1 stands for a round in which nothing is used: the same for all.
            h = self._next(-1, r, gang)
        while h < len(self._capacity):
            self.steps += t >= 0
            if self._capacity[h][r] - self._used.get((t, h, r), 0) >= gang:
                break
            h += 1
        self._first[t, r, gang] = h
        return h


__all__ = ["first_schedule"]
