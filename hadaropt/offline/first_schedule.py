"""A schedule within milliseconds, by plain Python: before anything is compiled or bounded."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from hadaropt.instance import Instance
from hadaropt.schedule import Allocation, Schedule

MOST_STEPS = 20_000
"""Most pairs (round, node) that are looked at, whatever the size of the instance. More: more jobs
may run, and it takes longer."""


def first_schedule(instance: Instance) -> Schedule:
    """Let one job after the other run at once, on the fastest type that is free for its gang.

    Jobs worth most per GPU and iteration come first. A gang lies on one type, within one node where
    it can, so the schedule is feasible in every model of parallelism. After a fixed number of steps
    the other jobs are left out.
    """
    free: dict[int, list[list[int]]] = {}
    jobs: list[tuple[Allocation, ...]] = [()] * len(instance.jobs)
    steps = MOST_STEPS
    for j in _order(instance):
        if steps <= 0:
            break
        found: list[Allocation] = []
        done, need = 0, instance.jobs[j].iterations
        for t in range(instance.jobs[j].release, instance.num_rounds):
            if done >= need or steps <= 0:
                break
            if t not in free:
                free[t] = [list(row) for row in instance.cluster.capacity]
            rows = free[t]
            steps -= len(rows)
            progress, held = _gang(instance, j, rows)
            if progress > 0:
                done += progress
                found.append(Allocation(t, held))
        if done < need or instance.value(j, found[-1].round) <= 0:
            continue
        jobs[j] = tuple(found)
        for allocation in found:
            for h, r, count in allocation.gpus:
                free[allocation.round][h][r] -= count
    return Schedule(tuple(jobs))


def _order(instance: Instance) -> list[int]:
    """Return the jobs that could complete, those of the greatest worth per work first."""

    def density(j: int) -> Fraction:
        job = instance.jobs[j]
        return -instance.value(j, job.release) / (job.gang_size * job.iterations)

    most = range(min(len(instance.jobs), MOST_STEPS // max(1, len(instance.cluster.nodes))))
    return sorted((j for j in most if instance.unschedulable(j) is None), key=density)


def _gang(
    instance: Instance, j: int, rows: list[list[int]]
) -> tuple[int, tuple[tuple[int, int, int], ...]]:
    """Return the best progress of a gang in what is free of one round, and its GPUs."""
    gang = instance.jobs[j].gang_size
    best: tuple[int, tuple[tuple[int, int, int], ...]] = (0, ())
    for r, inside in enumerate(instance.progress(j)):
        if inside <= best[0]:
            continue
        host = next((h for h, row in enumerate(rows) if row[r] >= gang), None)
        if host is not None:
            best = (inside, ((host, r, gang),))
            continue
        spread = instance.progress(j, spread=True)[r]
        if spread > best[0] and sum(row[r] for row in rows) >= gang:
            best = (spread, tuple(_take(rows, r, gang)))
    return best


def _take(rows: list[list[int]], r: int, gang: int) -> Iterator[tuple[int, int, int]]:
    """Yield GPUs of a type for a gang, node by node."""
    for h, row in enumerate(rows):
        count = min(gang, row[r])
        if count > 0:
            yield h, r, count
            gang -= count


__all__ = ["first_schedule"]
