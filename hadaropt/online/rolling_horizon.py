"""Rolling horizon: re-optimise all known jobs at each arrival; execute until the next one.

A strong heuristic, not an irrevocable policy: what has run stays, what was planned may change.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from hadaropt.instance import Instance, Job
from hadaropt.offline.branch_and_price import branch_and_price
from hadaropt.schedule import Allocation, Schedule, allocation_progress, check_schedule
from hadaropt.utility import Table


def rolling_horizon(instance: Instance, time_limit: float | None) -> Schedule:
    """Return the schedule that executes each re-optimised plan until the next arrival.

    At the round of each arrival the residual problem of all released, unfinished jobs (remaining
    iterations, remaining rounds, no future job) is solved by branch-and-price.

    Parameters
    ----------
    instance : Instance
    time_limit : float or None
        Seconds for each re-optimisation; the best plan found by then is executed (and if there is
        none, nothing runs until the next arrival).
    """
    done = [0] * len(instance.jobs)
    executed: list[list[Allocation]] = [[] for _ in instance.jobs]
    arrivals = sorted({job.release for job in instance.jobs if job.release < instance.num_rounds})
    for now, later in pairwise([*arrivals, instance.num_rounds]):
        active = [
            j
            for j, job in enumerate(instance.jobs)
            if job.release <= now and done[j] < job.iterations
        ]
        if not active:
            continue
        residual = _residual(instance, active, done, now)
        plan = branch_and_price(residual, time_limit=time_limit).schedule
        if plan is None:
            continue
        for j, allocations in zip(active, plan.jobs, strict=True):
            for planned in sorted(allocations):
                actual = replace(planned, round=planned.round + now)
                if actual.round < later and done[j] < instance.jobs[j].iterations:
                    done[j] += allocation_progress(instance, j, actual)
                    executed[j].append(actual)
    schedule = Schedule(tuple(tuple(allocations) for allocations in executed))
    check_schedule(instance, schedule)
    return schedule


def _residual(instance: Instance, active: list[int], done: list[int], now: int) -> Instance:
    """Return the problem of the active jobs from round ``now`` on, as an instance of its own."""
    jobs = []
    for j in active:
        job = instance.jobs[j]
        values: list[Fraction] = [instance.value(j, f) for f in range(now, instance.num_rounds)]
        jobs.append(
            Job(
                job.name,
                0,
                job.gang_size,
                job.iterations - done[j],
                job.throughput,
                Table(tuple(values)),
                job.spread_factor,
                job.max_copies,
            )
        )
    return replace(instance, jobs=tuple(jobs), num_rounds=instance.num_rounds - now)
