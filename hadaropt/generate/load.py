"""How much work an instance offers, as a share of what its cluster can do."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from hadaropt.instance import Instance


def offered_load(instance: Instance) -> Fraction:
    """Return the work offered over the work possible within the horizon.

    Each job counts the share of the cluster's whole horizon that it would fill if every type
    worked for such jobs alone,

        sum_j W_j Q_j / (T sum_r C_r p_jr),

    where p_jr is the progress of its gang in one round on type r. A gang larger than all the GPUs
    on which it makes progress counts nothing. Above 1, not every job can complete.

    Examples
    --------
    >>> from hadaropt import Cluster, Instance, Job, utility
    >>> job = Job("a", 0, 2, 720, {"V100": 1}, utility.Linear(10, 1))
    >>> offered_load(Instance(Cluster.of({"n0": {"V100": 2}}), (job,), 4))
    Fraction(1, 2)
    """
    counts = instance.cluster.pooled_capacity
    work: dict[int, int] = defaultdict(int)
    for j, job in enumerate(instance.jobs):
        gains = instance.progress(j)
        possible = sum(c * p for c, p in zip(counts, gains, strict=True))
        if job.gang_size <= sum(c for c, p in zip(counts, gains, strict=True) if p):
            work[possible] += job.gang_size * job.iterations
    total = sum((Fraction(done, possible) for possible, done in work.items()), Fraction(0))
    return total / instance.num_rounds
