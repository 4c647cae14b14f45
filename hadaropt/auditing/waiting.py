"""Measures of a schedule: waiting, completion, and GPUs that stood idle while somebody waited."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.auditing.log import Log, LoggedJob

PERCENTS = (50, 90, 99)


@dataclass(frozen=True)
class Measures:
    """Of some jobs, in ticks.

    Attributes
    ----------
    jobs : int
    waiting, jct : int
        Sums; waiting is JCT minus service.
    waiting_at, jct_at : tuple of int
        Percentiles 50, 90 and 99: the least value that so many per cent do not exceed.
    last : int
        The last completion.
    """

    jobs: int
    waiting: int
    jct: int
    waiting_at: tuple[int, ...]
    jct_at: tuple[int, ...]
    last: int


def measures(jobs: Sequence[LoggedJob], completions: Sequence[int]) -> Measures:
    """Return the measures of jobs (one at least) at their completions."""
    jct = [end - job.submit for job, end in zip(jobs, completions, strict=True)]
    waiting = [own - job.service for job, own in zip(jobs, jct, strict=True)]
    return Measures(
        len(jobs),
        sum(waiting),
        sum(jct),
        _percentiles(waiting),
        _percentiles(jct),
        max(completions),
    )


def by_group(
    jobs: Sequence[LoggedJob],
    completions: Sequence[int],
    group: Callable[[LoggedJob], str | int | None],
) -> dict[str | int, Measures]:
    """Return the measures by group; jobs of group None are in none."""
    members: dict[str | int, list[int]] = {}
    for i, job in enumerate(jobs):
        name = group(job)
        if name is not None:
            members.setdefault(name, []).append(i)
    return {
        name: measures([jobs[i] for i in own], [completions[i] for i in own])
        for name, own in members.items()
    }


def idle_while_waiting(log: Log) -> Fraction:
    """Return the GPU-seconds that stood idle although waiting jobs would have fitted.

    At each moment, of each pool: of the free GPUs, those that the waiting jobs would have taken,
    smallest gang first. GPUs are counted over nodes: scattered ones count as free.
    """
    total = 0
    for pool, size in log.pools.items():
        changes: list[tuple[int, int, int, int]] = []  # time, held, gang, waiting
        for job in log.jobs:
            if job.pool != pool:
                continue
            waits_from = job.submit
            for start, end in job.attempts:
                changes.append((waits_from, 0, job.gang, 1))
                changes.append((start, job.gang, job.gang, -1))
                changes.append((end, -job.gang, job.gang, 0))
                waits_from = end
        held, since = 0, 0
        waiting: Counter[int] = Counter()
        sizes: list[int] = []
        for time, change, gang, wait in sorted(changes):
            if time > since:
                total += (time - since) * _taken(max(0, size - held), sizes, waiting)
                since = time
            held += change
            waiting[gang] += wait
            sizes = sorted(g for g in waiting if waiting[g] > 0) if wait else sizes
    return log.seconds(total)


def _taken(free: int, sizes: Iterable[int], waiting: Counter[int]) -> int:
    """Return how many of the free GPUs waiting jobs would take, smallest first."""
    taken = 0
    for gang in sizes:
        count = min(waiting[gang], (free - taken) // gang)
        if count <= 0:
            break
        taken += count * gang
    return taken


def present(submits: Sequence[int], completions: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return times and, from each on, how many jobs are submitted and not complete."""
    changes: Counter[int] = Counter(submits)
    changes.subtract(Counter(completions))
    times, counts, there = [], [], 0
    for time in sorted(changes):
        there += changes[time]
        times.append(time)
        counts.append(there)
    return times, counts


def _percentiles(values: Sequence[int]) -> tuple[int, ...]:
    ordered = sorted(values)
    return tuple(ordered[math.ceil(len(ordered) * p / 100) - 1] for p in PERCENTS)
