"""What is drawn lies within what was asked for, and is as odd as it is said to be."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import testing
from hadaropt.instance import PARALLELISM
from hadaropt.simulate.problem import RoundProblem
from hadaropt.utility import Utility

CASES = settings(deadline=None, max_examples=30)


@given(testing.clusters(max_nodes=2, max_types=2, max_gpus=3))
@CASES
def test_clusters_are_within_their_limits(cluster):
    assert 1 <= len(cluster.nodes) <= 2 and 1 <= len(cluster.accelerators) <= 2
    assert all(0 <= n <= 3 for row in cluster.capacity for n in row)


@given(testing.utilities(max_rounds=5))
@CASES
def test_utilities_never_rise(utility):
    assert isinstance(utility, Utility)
    values = [utility.value(d, 7, Fraction(1)) for d in range(1, 12)]
    assert values == sorted(values, reverse=True) and values[-1] >= 0


@pytest.mark.parametrize("parallelism", [None, *PARALLELISM])
def test_instances_are_within_their_limits(parallelism):
    @given(testing.instances(max_jobs=2, max_rounds=3, parallelism=parallelism, max_nodes=1))
    @CASES
    def check(instance):
        assert len(instance.jobs) <= 2 and 1 <= instance.num_rounds <= 3
        assert len(instance.cluster.nodes) == 1
        assert parallelism in (None, instance.parallelism)

    check()


@given(testing.round_problems(max_jobs=3, max_nodes=2, max_gpus=2))
@CASES
def test_problems_in_rounds_are_what_a_simulator_runs(problem):
    assert isinstance(problem, RoundProblem) and problem.horizon is None
    assert len(problem.jobs) <= 3 and len(problem.cluster.nodes) <= 2
    assert problem.restart_seconds < problem.round_seconds
    assert all(job.release * problem.round_seconds >= job.arrival for job in problem.jobs)


ODD = {
    "tied arrivals": lambda p: len({job.arrival for job in p.jobs}) < len(p.jobs),
    "a gap": lambda p: any(job.release > 5 for job in p.jobs),
    "restarts of a whole round": lambda p: p.restart_seconds * 10 > 9 * p.round_seconds,
    "one that cannot run": lambda p: any(p.unschedulable(j) for j in range(len(p.jobs))),
    "only over types": lambda p: any(
        p.unschedulable(j) is None and not any(p.usable(j)) for j in range(len(p.jobs))
    ),
    "worth nothing": lambda p: any(job.weight == 0 for job in p.jobs),
}


def test_odd_problems_are_among_them():
    seen = set()

    @given(testing.round_problems(max_gpus=2))
    @settings(deadline=None, max_examples=120)
    def look(problem):
        seen.update(name for name, is_so in ODD.items() if is_so(problem))

    look()
    assert seen == set(ODD)


@given(st.data())
@CASES
def test_prices_have_the_shape_of_the_instance(data):
    instance = data.draw(testing.instances())
    for pool in ("type", "node"):
        prices = data.draw(testing.price_tables(instance, pool))
        cluster = instance.cluster
        shape = (instance.num_rounds, len(cluster.nodes), len(cluster.accelerators))
        assert prices.units.shape == (shape if pool == "node" else shape[::2])
        assert prices.pool == pool and (prices.units >= 0).all()
