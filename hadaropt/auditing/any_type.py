"""Bounds when a job may run on any type, at given relative speeds: another assumption.

Let s_r be the relative speed of type r, S the largest of a type that is there, and p_j the service
of job j on its recorded type, of speed s. On g_r GPUs of each type, at any split of time, its speed
is at most the mean, sum_r (g_r / W_j) s_r (the slowest type of a gang is no faster). In units of S
that is x_j <= 1, and sum_j W_j S x_j = sum_jr g_jr s_r <= sum_r C_r s_r. So every schedule is one
on a single pool of sum_r C_r s_r units, with gangs W_j S and services p_j s / S, and the bounds of
one pool hold. The C_r may change over time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.auditing.bounds import Pool
from hadaropt.auditing.capacity import Capacity
from hadaropt.auditing.floor import pool_floor
from hadaropt.auditing.log import Log
from hadaropt.errors import InstanceError, shown
from hadaropt.exact import Exact, to_fraction

FINER = 1024
"""Ticks are cut so much finer: services are rounded down to them."""
STEPS = 60


@dataclass(frozen=True)
class AnyType:
    """What no schedule beats when jobs may change types, in seconds.

    Attributes
    ----------
    speeds : mapping of str to Fraction
        Relative speed of a GPU of each type of the cluster.
    mean_jct, last : Fraction
        Least mean JCT, and least time from the first submission to the last completion.
    """

    speeds: Mapping[str, Fraction]
    mean_jct: Fraction
    last: Fraction


def any_type(log: Log, speeds: Mapping[str, Exact], best: int) -> AnyType:
    """Return the bounds.

    Parameters
    ----------
    log : Log
    speeds : mapping of str to number
        Of every type of the cluster, each > 0.
    best : int
        Sum of completions of some schedule, in ticks: where the search for prices aims.

    Raises
    ------
    InstanceError
        If a type has no speed, or one is not > 0, or the log does not give the types of its jobs.
    """
    if log.common:
        rule = "needs a log that gives one GPU type for every job"
        raise InstanceError("relative_speeds", rule)
    own = {kind: to_fraction(value, f"relative_speeds.{kind}") for kind, value in speeds.items()}
    for kind in log.pools:
        if kind not in own or own[kind] <= 0:
            rule = f"must be a number > 0 for every type ({', '.join(log.pools)})"
            raise InstanceError(f"relative_speeds.{kind}", rule, shown(speeds.get(kind)))
    there = {kind: own[kind] for kind, count in log.pools.items() if count}
    unit = math.lcm(*(speed.denominator for speed in there.values()))
    top = max(there.values())
    capacity = log.capacity
    units = Capacity.weighted(
        [(Capacity.of(capacity[kind]), int(speed * unit)) for kind, speed in there.items()], FINER
    )
    jobs = [
        (
            job.submit * FINER,
            math.floor(job.service * FINER * there[job.pool] / top),
            job.gang * int(top * unit),
        )
        for job in log.counted
    ]
    target = best * FINER
    pool = Pool(jobs, units, log.ticks * FINER)
    floor = pool_floor(pool, {"preemptive": target, "shortest": target}, STEPS)
    submits = sum(a for a, _, _ in jobs)
    return AnyType(
        there,
        (floor.completions - submits) / len(jobs) / (log.ticks * FINER),
        floor.last / (log.ticks * FINER),
    )
