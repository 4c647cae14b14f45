"""U, m and L of the verifier hold of every schedule, and are those that prices are made from."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hadaropt import Cluster, Instance, Job
from hadaropt.certificates import ranges
from hadaropt.certificates.ranges import ranges_of
from hadaropt.errors import LimitError
from hadaropt.io import instance_from_document
from hadaropt.online.foreknowledge import compute_foreknowledge
from hadaropt.utility import Table
from tests.instances_strategy import tiny_instances
from tests.oracle import job_schedules

SMALL = {"max_jobs": 2, "max_rounds": 3, "max_nodes": 2, "max_gpus": 2, "total_gpus": 4}
pools = st.sampled_from(["type", "node"])


def plans(document, instance, pool):
    """Yield the value and the GPUs per place of every irredundant schedule of positive value."""
    nodes = {name: h for h, name in enumerate(instance.cluster.nodes)}
    types = {name: r for r, name in enumerate(instance.cluster.accelerators)}
    for j in range(len(instance.jobs)):
        for plan in job_schedules(document, j):
            held: dict[tuple[int, ...], int] = {}
            for t, option in plan.rounds:
                for (h, r), count in option.use:
                    place = (t, nodes[h], types[r]) if pool == "node" else (t, types[r])
                    held[place] = held.get(place, 0) + count
            if plan.value > 0:
                yield plan.value, held


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(tiny_instances(**SMALL), pools)
def test_ranges_hold_of_every_irredundant_schedule(document, pool):
    instance = instance_from_document(document)
    found = ranges_of(instance, pool)
    for value, held in plans(document, instance, pool):
        assert value >= found.least_density * sum(held.values())
        assert found.least_density > 0
        for place, units in held.items():
            if units:
                assert value <= found.value_per_unit[place] * units
                assert units <= found.bundle[place] <= found.capacity[place]


@settings(deadline=None, max_examples=60)
@given(tiny_instances(max_jobs=3, max_rounds=4), pools)
def test_what_prices_are_told_is_as_wide_or_wider(document, pool):
    """Otherwise a true claim of a theorem would be refused."""
    instance = instance_from_document(document)
    found, told = ranges_of(instance, pool), compute_foreknowledge(instance, pool)
    assert found.capacity == dict(told.capacity)
    for place, c in found.capacity.items():
        assert found.value_per_unit[place] <= told.value_per_unit[place]
        assert found.bundle[place] <= told.bundle[place]
        assert min(c, found.reach[place]) <= told.highest(place)


def one(**changes):
    job = Job("a", 1, 2, 10, {"A": 5}, Table((9, 8, 6, 0)))
    fields = {"num_rounds": 5, "round_seconds": 1} | changes
    return Instance(Cluster.of({"n0": {"A": 2}, "n1": {"A": 1}}), (job,), **fields)


def test_ranges_by_hand():
    """Two rounds of five iterations from round 1 on: completion in 2, 3 (8) or 4 (0)."""
    found = ranges_of(one(parallelism="mixed"), "type")
    assert found.capacity == {(t, 0): 3 for t in range(5)}
    # the earliest completion is worth 8, one round later 6; the job takes two GPUs of the type
    assert [found.value_per_unit[t, 0] for t in range(5)] == [0, 4, 4, 3, 0]
    assert [found.bundle[t, 0] for t in range(5)] == [1, 2, 2, 2, 1]
    assert found.least_density == Fraction(6, 4)
    assert set(found.reach.values()) == {2}


def test_on_a_node_one_gpu_may_be_all_that_a_job_holds():
    found = ranges_of(one(parallelism="mixed"), "node")
    assert found.value_per_unit[1, 0, 0] == 8
    assert found.value_per_unit[1, 1, 0] == 8
    assert (found.bundle[1, 0, 0], found.bundle[1, 1, 0]) == (2, 1)


def test_jobs_that_are_worth_nothing_have_no_ranges():
    found = ranges_of(one(num_rounds=2), "type")
    assert found.least_density == 0
    assert set(found.value_per_unit.values()) == {0}


def test_too_many_places_are_refused(monkeypatch):
    monkeypatch.setattr(ranges, "MAX_CELLS", 4)
    with pytest.raises(LimitError, match="too many jobs and places"):
        ranges_of(one(), "type")
