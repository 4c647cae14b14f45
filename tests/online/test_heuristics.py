"""The comparison policies: feasible, deterministic, never above the optimum."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hadaropt
from hadaropt.errors import InstanceError
from hadaropt.generate import generate
from hadaropt.io import instance_from_document
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.online import rolling_horizon
from hadaropt.policies import POLICY_NAMES, GreedyDensity, Random, RollingHorizon, make_policy
from hadaropt.utility import Table
from tests import oracle
from tests.instances_strategy import contended_instances, tiny_instances


@given(
    st.one_of(tiny_instances(), contended_instances()),
    st.sampled_from((GreedyDensity(), Random(0), Random(7))),
)
@settings(deadline=None, max_examples=100)
def test_never_above_the_optimum_and_deterministic(document, policy):
    instance = instance_from_document(document)
    run = hadaropt.run_online(instance, policy)
    assert run.value <= oracle.optimum(document)[0] <= run.bound
    assert hadaropt.run_online(instance, policy).schedule == run.schedule


@given(contended_instances())
@settings(deadline=None, max_examples=25)
def test_rolling_horizon_is_optimal_when_all_arrive_at_once(document):
    for job in document["jobs"]:
        job["release"] = 0
    instance = instance_from_document(document)
    run = hadaropt.run_online(instance, RollingHorizon(time_limit=None))
    assert run.value == oracle.optimum(document)[0]


@given(contended_instances())
@settings(deadline=None, max_examples=25)
def test_rolling_horizon_is_feasible_with_arrivals(document):
    run = hadaropt.run_online(instance_from_document(document), RollingHorizon())
    assert run.value <= oracle.optimum(document)[0]


def test_greedy_density_prefers_value_per_gpu_round():
    """Slow type: done in round 1 for 2 GPU-rounds; two gangs of 2 would do it in round 0 for 2."""
    cluster = hadaropt.Cluster.of({"n": {"fast": 1, "slow": 1}})
    job = hadaropt.Job("a", 0, 1, 2, {"fast": 2, "slow": 1}, Table((10, 9)))
    run = hadaropt.run_online(hadaropt.Instance(cluster, [job], 2, 1), GreedyDensity())
    assert run.completion == (0,)


def test_names_make_policies_and_unknown_ones_name_the_nearest():
    assert [make_policy(name).name for name in POLICY_NAMES] == list(POLICY_NAMES)
    with pytest.raises(InstanceError, match=r'did you mean "greedy_density"\?'):
        make_policy("greedy-densty")


def test_ctrl_c_ends_the_rolling_horizon(monkeypatch):
    def interrupted(instance, **options):
        return replace(branch_and_price(instance, **options), termination="interrupted")

    monkeypatch.setattr(rolling_horizon, "branch_and_price", interrupted)
    with pytest.raises(KeyboardInterrupt):
        hadaropt.run_online(generate("small_uniform", seed=1, num_jobs=4), RollingHorizon())


@pytest.mark.parametrize("limit", ["abc", -1, float("nan"), "1"])
def test_the_time_limit_of_the_rolling_horizon_is_a_number(limit):
    with pytest.raises(InstanceError, match=r"time_limit = .*, must be >= 0 or None"):
        RollingHorizon(limit)
