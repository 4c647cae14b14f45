"""The arrays of all jobs: progress, worths and options as they are in the instance."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt import Cluster, Instance, Job
from hadaropt.offline.lagrangian.job_table import job_table
from hadaropt.utility import EffectiveThroughput, Linear, Sigmoid, Step


@pytest.mark.parametrize(
    "utility",
    [
        Linear("7.3", "0.31"),
        Linear(5, 0),
        Step("4/3", "3.5"),
        Sigmoid(peak="12.7", steepness="0.7", deadline=4),
        Sigmoid(peak="0.3", steepness="0.7", deadline=4),
        EffectiveThroughput("1/7"),
    ],
)
def test_worths_are_rounded_up_by_very_little(utility) -> None:
    from hadaropt.kernels.pricing.lagrangian import worth

    job = Job("a", 2, 1, 1, {"V100": 1}, utility)
    instance = Instance(Cluster.of({"n": {"V100": 1}}), (job,), 14, 1)
    table = job_table(instance)
    kind, a, b, last = (int(x[0]) for x in (table.kind, table.a, table.b, table.last))
    for d in range(1, 13):
        exact = instance.value(0, d + 1) * table.scale
        if d > last:
            assert exact == 0
            continue
        rounded = worth(kind, a, b, d, table.values)
        assert exact <= rounded <= exact + table.scale * Fraction(1, 10**7)
