"""Kernels run as plain Python on small instances, and only there."""

from __future__ import annotations

import pytest

from hadaropt import Cluster, Instance, Job
from hadaropt.kernels import dispatch
from hadaropt.pricing.small import plain_if_small
from hadaropt.utility import Linear


def instance(jobs, rounds, gpus):
    own = [Job(f"j{i}", 0, 1, 1, {"A": 1}, Linear(1, 1)) for i in range(jobs)]
    cluster = Cluster.of({"n0": {"A": gpus - 1}, "n1": {"A": 1}})
    return Instance(cluster, own, rounds, 1)


@pytest.mark.parametrize(
    ("size", "small"),
    [((10, 10, 15), True), ((10, 10, 16), False), ((0, 1000, 1000), True), ((1, 1500, 1), True)],
)
def test_the_work_is_jobs_times_rounds_times_gpus(size, small):
    assert dispatch.SMALL_WORK == 1500
    with plain_if_small(instance(*size)):
        assert dispatch._small.get() is small
    assert dispatch._small.get() is False
