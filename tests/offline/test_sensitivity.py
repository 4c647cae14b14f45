"""The dual side: ranges hold against optima of changed clusters, and the slackness adds up."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings

from hadaropt import Cluster, Instance, Job, sensitivity, solve
from hadaropt.generate import generate
from hadaropt.offline.lagrangian.bound import lagrangian_bound
from hadaropt.schedule import Schedule
from hadaropt.testing import instances
from hadaropt.utility import Linear


@settings(max_examples=25, deadline=None)
@given(instance=instances(max_jobs=4, max_rounds=1))
def test_ranges_hold_where_one_round_is_all(instance: Instance) -> None:
    """With one round, a GPU more or less in that round is a cluster with one more or less."""
    result = solve(instance, cross_check=False)
    assert result.status == "proved"
    found = sensitivity(instance, result)
    cluster = instance.cluster
    for h in range(len(cluster.nodes)):
        for r in range(len(cluster.accelerators)):
            place = (0, h, r) if found.prices.pool == "node" else (0, r)
            more, less = changed(instance, h, r, 1), changed(instance, h, r, -1)
            gain = solve(more, cross_check=False).value - result.value
            assert found.gain(*place).low <= gain <= found.gain(*place).high
            if less is None:
                continue
            loss = result.value - solve(less, cross_check=False).value
            assert found.loss(*place).low <= loss <= found.loss(*place).high


def changed(instance: Instance, h: int, r: int, by: int) -> Instance | None:
    rows = [list(row) for row in instance.cluster.capacity]
    rows[h][r] += by
    if rows[h][r] < 0:
        return None
    cluster = Cluster(instance.cluster.accelerators, instance.cluster.nodes, rows)
    return replace(instance, cluster=cluster)


@settings(max_examples=25, deadline=None)
@given(instance=instances(max_jobs=4, max_rounds=4))
def test_slackness_adds_up(instance: Instance) -> None:
    result = replace(lagrangian_bound(instance, time_limit=0), schedule=Schedule.empty(instance))
    found = sensitivity(instance, result)
    lost = found.slackness()
    assert lost.total == found.dual.value - found.value
    assert min(lost.regret, default=0) >= 0
    assert all(x >= 0 for x in lost.unused.ravel())


def test_slackness_of_a_search() -> None:
    instance = generate("six_class", seed=2, num_jobs=60, num_rounds=20)
    result = solve(instance, target_gap=0.3)
    found = sensitivity(instance, result)
    lost = found.slackness()
    assert found.value == result.value
    assert lost.total == found.dual.value - found.value > 0
    assert min(lost.regret) >= 0
    assert lost.unused.shape == found.prices.units.shape == (20, 3)


def test_a_gpu_that_is_missing() -> None:
    """Two jobs of value 4, 3, ... on one GPU: one more GPU is worth exactly 1 in round 0."""
    cluster = Cluster.of({"a": {"V100": 1, "K80": 0}})
    jobs = tuple(Job(name, 0, 1, 1, {"V100": 1, "K80": 1}, Linear(4, 1)) for name in "ab")
    instance = Instance(cluster, jobs, 2, 1)
    found = sensitivity(instance, solve(instance))
    assert found.value == 7
    assert found.gain(0, 0).low == 0 and found.gain(0, 0).high >= 1
    assert found.loss(1, 0).high >= 3
    with pytest.raises(ValueError, match="there is no GPU"):
        found.loss(0, 1)
    assert found.slackness().total == found.dual.value - Fraction(7)


def test_an_answer_without_a_schedule_is_refused() -> None:
    instance = generate("six_class", seed=2, num_jobs=5, num_rounds=5)
    with pytest.raises(ValueError, match="no prices or no schedule"):
        sensitivity(instance, lagrangian_bound(instance))
