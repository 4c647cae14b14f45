"""Prices of types at which a workload is the most work."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.simulate.prices import SCALE, dearest_prices
from hadaropt.simulate.problem import RoundProblem
from tests.simulate.small import job, workload


def problem_of(counts, jobs):
    own = [
        job(f"j{i}", 0, gang, size, throughput={"fast": fast, "slow": slow})
        for i, (gang, size, fast, slow) in enumerate(jobs)
    ]
    cluster = ",".join(f"{r}={c}" for r, c in zip(("fast", "slow"), counts, strict=True) if c)
    return RoundProblem.of_workload(workload(cluster, *own))


def work(problem, prices, types):
    """sum_j Q_j W_j min_r l_r / X_jr over sum_r C_r l_r: what is maximised, free of scale."""
    total = sum(c * x for c, x in zip(problem.cluster.pooled_capacity, prices, strict=True))
    least = (
        job.iterations * job.gang_size * min(prices[r] / job.speed[r] for r in usable)
        for job, usable in zip(problem.jobs, types, strict=True)
    )
    return sum(least, Fraction(0)) / total


drawn = st.lists(
    st.tuples(st.integers(1, 3), st.integers(1, 99), st.integers(1, 9), st.integers(1, 9)),
    min_size=1,
    max_size=5,
)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), drawn)
def test_no_other_prices_make_it_much_more_work(fast, slow, jobs):
    problem = problem_of((fast, slow), jobs)
    types = [(0, 1)] * len(jobs)
    prices = [Fraction(x) for x in dearest_prices(problem, range(len(jobs)), types)]
    assert len(prices) == 2 and all(x >= 1 for x in prices)
    best = max(work(problem, (Fraction(k), Fraction(60 - k)), types) for k in range(1, 60))
    assert work(problem, prices, types) >= best * Fraction(999, 1000)


def test_one_type_is_worth_all():
    problem = problem_of((2, 0), [(1, 10, 1, 1)])
    assert dearest_prices(problem, [0], [(0,)]) == [SCALE // 2]


@pytest.mark.parametrize("usable", [(0,), (1,)])
def test_a_type_that_no_job_can_use_is_worth_next_to_nothing(usable):
    problem = problem_of((1, 1), [(1, 10, 1, 1)])
    prices = dearest_prices(problem, [0], [usable])
    other = 1 - usable[0]
    assert prices[other] <= SCALE // 1000 < prices[usable[0]]


def test_prices_do_not_depend_on_the_order_of_the_jobs():
    jobs = [(1, 10, 3, 1), (2, 40, 1, 2), (1, 25, 5, 4)]
    found = [
        dearest_prices(problem_of((2, 3), order), range(3), [(0, 1)] * 3)
        for order in itertools.permutations(jobs)
    ]
    for prices in found:
        assert all(abs(x - y) <= SCALE // 1000 for x, y in zip(prices, found[0], strict=True))
