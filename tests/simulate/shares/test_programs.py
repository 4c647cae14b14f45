"""Gavel's programs against recorded exact optima and by hand."""

import numpy as np
import pytest

from hadaropt.simulate.shares.programs import (
    finish_time_fairness,
    max_min_fairness,
    max_sum_throughput,
    min_total_duration,
    min_total_duration_searched,
)
from tests.simulate.shares.problems import PROGRAMS, assert_feasible, make, problem_of


@pytest.mark.parametrize("policy", PROGRAMS)
def test_objectives_equal_the_recorded_exact_optima(snapshots, policy):
    program, key = PROGRAMS[policy]
    assert len(snapshots) >= 8
    for snapshot in snapshots:
        problem = problem_of(snapshot)
        found = program(problem)
        assert_feasible(problem, found.x)
        exact = snapshot["results"][policy][key]
        assert found.objective == pytest.approx(exact, rel=1e-6), snapshot["name"]


def test_the_searched_duration_is_where_the_reference_stopped(snapshots):
    for snapshot in snapshots:
        problem = problem_of(snapshot)
        found = min_total_duration_searched(problem)
        assert_feasible(problem, found.x)
        recorded = snapshot["results"]["min_total_duration_perf"]["gavel_T_s"]
        assert found.objective == recorded, snapshot["name"]
        assert (problem.remaining / problem.received(found.x)).max() == pytest.approx(recorded)


def test_max_min_by_hand():
    """Two jobs, one fast and one slow GPU; job 0 gains 4 from the fast one, job 1 only 2."""
    found = max_min_fairness(make([1, 1], [[4, 1], [2, 1]]))
    # Normalised speeds (1.6, .4) and (4/3, 2/3): 1.6 a + .4 (1 - a) = 4/3 (1 - a) + 2/3 a.
    share = (4 / 3 - 0.4) / (1.6 - 0.4 + 4 / 3 - 2 / 3)
    assert found.x == pytest.approx(np.array([[share, 1 - share], [1 - share, share]]))
    assert found.objective == pytest.approx(0.4 + 1.2 * share)


def test_sum_and_duration_by_hand():
    problem = make([1], [[4], [1]], remaining=[40, 10])
    assert max_sum_throughput(problem).x == pytest.approx(np.array([[1], [0]]))
    assert min_total_duration(problem).x == pytest.approx(np.array([[0.5], [0.5]]))
    assert min_total_duration(problem).objective == pytest.approx(20)


def test_finish_time_fairness_by_hand():
    """Both would need 20 s alone; job 0 is 30 s old, so it gets more than half the time."""
    problem = make([1], [[1], [1]], remaining=[10, 10], age=[30, 0])
    found = finish_time_fairness(problem)
    first, second = found.x[:, 0]
    assert first + second == pytest.approx(1)
    assert 30 + 10 / first == pytest.approx(10 / second)
    assert found.objective == pytest.approx((30 + 10 / first) / 20)


def test_finish_time_fairness_keeps_equal_shares_that_are_optimal():
    found = finish_time_fairness(make([1], [[1], [1]], remaining=[10, 10]))
    assert found.x == pytest.approx(np.array([[0.5], [0.5]]))
    assert found.objective == pytest.approx(1)
