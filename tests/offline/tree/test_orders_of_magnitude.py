"""Worths of very different size: the small ones are below the tolerance of the LP, yet count."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt import Cluster, Instance, Job
from hadaropt.certificates import certify, verify
from hadaropt.offline.tree.branch_and_price import Search, branch_and_price
from hadaropt.utility import Step, Table


def instance_of(small: Fraction, large: int, parallelism: str) -> Instance:
    """Two large jobs for two of the three GPUs, and small ones that compete with them."""
    cluster = Cluster.of({"n0": {"V100": 2}, "n1": {"P100": 1}})
    speeds = {"V100": 2, "P100": 1}
    jobs = [
        Job("large", 0, 2, 1, speeds, Table((large, 0))),
        Job("next", 0, 1, 2, speeds, Step(3, 2)),
        Job("small", 0, 3, 1, speeds, Step(small, 1)),
        Job("other", 0, 1, 1, speeds, Step(small, 2)),
    ]
    return Instance(cluster, jobs, 2, 1, parallelism=parallelism)


def optimum(instance: Instance) -> Fraction:
    large, middle, _, small = (job.utility for job in instance.jobs)
    return large.values[0] + middle.peak + small.peak


@pytest.mark.parametrize("parallelism", ["single_type", "mixed", "forked"])
@pytest.mark.parametrize("large", [10**3, 10**7, 10**10, 10**13])
@pytest.mark.parametrize("small", [Fraction(1), Fraction(1, 1000)])
def test_the_optimum_is_proved_and_its_certificate_verified(small, large, parallelism):
    instance = instance_of(small, large, parallelism)
    found = branch_and_price(instance)
    assert (found.value, found.bound) == (optimum(instance), optimum(instance))
    assert found.termination == "optimal" and found.status == "proved"
    checked = verify(instance, certify(instance, found))
    assert checked.bound == found.value


def test_a_search_that_ends_with_a_gap_says_that_numbers_are_the_reason(monkeypatch):
    instance = instance_of(Fraction(1, 1000), 10**10, "mixed")
    monkeypatch.setattr(Search, "_search", lambda self: None)
    found = branch_and_price(instance)
    assert found.bound > found.value
    assert found.termination == "tolerance" and found.status == "feasible"
