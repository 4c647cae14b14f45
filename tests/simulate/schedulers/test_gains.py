"""What a gang makes of a round counts for no less on a faster type than on a slower one."""

from __future__ import annotations

import pytest

import hadaropt
from hadaropt import Cluster, Instance, Job
from hadaropt.utility import Table


@pytest.mark.parametrize("scheduler", ["hadar", "hadar:exact", "hadar:guaranteed"])
@pytest.mark.parametrize("spread", ["1/20", 1])
def test_a_gang_that_only_a_mix_holds_within_a_node_is_worth_what_it_makes(scheduler, spread):
    """B is faster, but one B alone would make the gang span nodes that are not there."""
    cluster = Cluster.of({"n": {"A": 1, "B": 1}})
    jobs = [
        Job("pair", 1, 2, 4, {"A": 2, "B": "5/2"}, Table((12, 11, 4)), spread),
        Job("single", 0, 1, 3, {"A": "5/2", "B": 2}, Table((10, 1, 0))),
    ]
    instance = Instance(cluster, jobs, 3, 1)
    run = hadaropt.run_rounds(instance, scheduler)
    assert run.value == hadaropt.solve(instance).value == 11
    if scheduler == "hadar:guaranteed":
        assert run.theorem is not None and run.theorem.id == "R2"


def test_without_mixing_every_type_stands_for_itself():
    cluster = Cluster.of({"n": {"A": 2, "B": 1}, "m": {"B": 1}})
    job = Job("pair", 0, 2, 4, {"A": 2, "B": "5/2"}, Table((12, 11, 4)), "1/20")
    run = hadaropt.run_rounds(Instance(cluster, [job], 3, 1, "single_type"), "hadar:exact")
    assert run.value == 11
    assert {gpus for a in run.schedule.jobs[0] for gpus in a.gpus} == {(0, 0, 2)}
