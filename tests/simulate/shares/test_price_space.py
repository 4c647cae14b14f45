"""Column generation over prices."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from hadaropt.kernels.rounds.share_response import equal_response, total_response
from hadaropt.simulate.shares.price_space import equal_by_prices, total_by_prices
from tests.simulate.shares.problems import (
    PROGRAMS,
    assert_feasible,
    problem_of,
    share_problems,
)


@pytest.mark.parametrize("policy", PROGRAMS)
def test_prices_reach_the_recorded_exact_optima(snapshots, policy):
    program, key = PROGRAMS[policy]
    for snapshot in snapshots:
        problem = replace(problem_of(snapshot), solver="prices")
        found = program(problem)
        assert_feasible(problem, found.x)
        exact = snapshot["results"][policy][key]
        assert found.objective == pytest.approx(exact, rel=1e-6), snapshot["name"]


@settings(deadline=None, max_examples=20)
@given(share_problems())
def test_prices_and_the_interior_point_agree(problem):
    for policy, (program, _) in PROGRAMS.items():
        found = program(replace(problem, solver="prices"))
        assert_feasible(problem, found.x)
        assert found.objective == pytest.approx(program(problem).objective, rel=1e-5), policy


@settings(deadline=None, max_examples=20)
@given(share_problems())
def test_the_bound_of_prices_is_reached_and_the_kernels_equal_their_python(problem):
    for generate, kernel in (
        (equal_by_prices, equal_response),
        (total_by_prices, total_response),
    ):
        x, value, bound = generate(problem.counts, problem.gang, problem.speed, 1e-9)
        rates = problem.received(x)
        reached = rates.min() if kernel is equal_response else rates.sum()
        assert value * (1 - 1e-9) <= bound * (1 + 1e-12)
        assert reached == pytest.approx(bound, rel=1e-8)
        own, slow = np.empty_like(x), np.empty_like(x)
        prices = np.linspace(0.1, 0.2, len(problem.counts))
        gain = problem.speed / problem.speed.max(axis=1).min()
        answer = kernel(gain, problem.gang, prices, own)
        assert answer == pytest.approx(kernel.py_func(gain, problem.gang, prices, slow))
        assert own == pytest.approx(slow)
