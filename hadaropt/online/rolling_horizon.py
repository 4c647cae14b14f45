"""Rolling horizon: re-optimise all known jobs at each arrival; execute until the next one.

A strong heuristic, not an irrevocable policy: what has run stays, what was planned may change.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from hadaropt.instance import Instance, Job
from hadaropt.interrupts import uninterrupted
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.schedule import Allocation, Schedule, allocation_progress, check_schedule
from hadaropt.utility import Table


def rolling_horizon(
    instance: Instance, time_limit: float | None, truth: Instance | None = None
) -> Schedule:
    """Return the schedule that executes each re-optimised plan until the next arrival.

    At the round of each arrival the residual problem of all released, unfinished jobs (remaining
    iterations, remaining rounds, no future job) is solved by branch-and-price.

    Parameters
    ----------
    instance : Instance
    time_limit : float or None
        Seconds for each re-optimisation; the best plan found by then is executed (and if there is
        none, nothing runs until the next arrival).
    truth : Instance, optional
        Then the iterations of ``instance`` are only declared. A job that has done them and is not
        complete has one left, as far as is known; and there is a new plan, too, after each round
        in which a job completed earlier than was planned, or its plan ended too early.
    """
    needed = [job.iterations for job in (truth or instance).jobs]
    done = [0] * len(instance.jobs)
    executed: list[list[Allocation]] = [[] for _ in instance.jobs]
    arrivals = sorted({job.release for job in instance.jobs if job.release < instance.num_rounds})
    for start, later in pairwise([*arrivals, instance.num_rounds]):
        now = start
        while now < later:
            active = [
                j
                for j, job in enumerate(instance.jobs)
                if job.release <= now and done[j] < needed[j]
            ]
            plan = _plan(instance, active, done, now, time_limit)
            surprised = False
            while now < later and not surprised:
                for j, allocation in plan.pop(now, ()):
                    done[j] += allocation_progress(truth or instance, j, allocation)
                    executed[j].append(allocation)
                    complete = done[j] >= needed[j]
                    goes_on = any(j == i for later_on in plan.values() for i, _ in later_on)
                    surprised |= truth is not None and complete == goes_on
                now += 1
    schedule = Schedule(tuple(tuple(allocations) for allocations in executed))
    check_schedule(truth or instance, schedule)
    return schedule


def _plan(
    instance: Instance, active: list[int], done: list[int], now: int, time_limit: float | None
) -> dict[int, list[tuple[int, Allocation]]]:
    """Return the best plan found for the active jobs: what runs in each round from ``now`` on."""
    by_round: dict[int, list[tuple[int, Allocation]]] = defaultdict(list)
    if not active:
        return by_round
    residual = _residual(instance, active, done, now)
    # A plan that was cut short is not what the policy does.
    found = uninterrupted(branch_and_price(residual, time_limit=time_limit))
    if found.schedule is not None:
        for j, allocations in zip(active, found.schedule.jobs, strict=True):
            for planned in allocations:
                actual = replace(planned, round=planned.round + now)
                by_round[actual.round].append((j, actual))
    return by_round


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
                max(1, job.iterations - done[j]),
                job.throughput,
                Table(tuple(values)),
                job.spread_factor,
                job.max_copies,
            )
        )
    return replace(instance, jobs=tuple(jobs), num_rounds=instance.num_rounds - now)
