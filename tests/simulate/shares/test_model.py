"""The polytope of shares, and solves over it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from hadaropt.errors import SolverError
from hadaropt.mip.highs import HighsModel
from hadaropt.simulate.shares.model import SOLVERS, most_equal, most_in_total
from tests.simulate.shares.problems import assert_feasible, make, share_problems


def test_the_isolated_share_is_a_part_of_every_type():
    problem = make([4, 2], [[4, 1], [2, 2], [0, 3]], gang=[1, 2, 1])
    assert problem.isolated_shares == pytest.approx(
        np.array([[2 / 3, 1 / 3], [2 / 3, 1 / 3], [2 / 3, 1 / 3]])
    )
    wide = make([4, 2], [[4, 1]], gang=[6])
    assert wide.isolated_shares == pytest.approx(np.array([[4 / 6, 2 / 6]]))
    assert problem.proportional_speed == pytest.approx([3, 2, 1])
    assert problem.isolated_speed == pytest.approx([4 * 2 / 3 + 1 / 3, 2, 1])


@settings(max_examples=20, deadline=None)
@given(share_problems())
def test_isolated_shares_are_feasible(problem):
    x = problem.isolated_shares
    assert (problem.gang @ x <= problem.counts + 1e-9).all() and (x.sum(axis=1) <= 1 + 1e-9).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_equal_and_total_by_hand(solver):
    """One GPU of each type: apart, both jobs get 4; in total, 4 + 5 is the most."""
    problem = replace(make([1, 1], [[4, 2], [5, 4]]), solver=solver)
    x, z = most_equal(problem, problem.speed)
    assert z == pytest.approx(4) and problem.received(x).min() == pytest.approx(4)
    total = most_in_total(problem, problem.speed)
    assert problem.received(total).sum() == pytest.approx(8)
    for shares in (x, total):
        assert_feasible(problem, shares)


@pytest.mark.parametrize("solver", SOLVERS)
def test_gains_of_very_different_size_are_held(solver):
    problem = replace(make([1], [[1e-6], [1e6]]), solver=solver)
    x, z = most_equal(problem, problem.speed)
    assert_feasible(problem, x)
    assert z == pytest.approx(1e-6, rel=1e-4)


def test_a_program_that_is_not_solved_is_an_error(monkeypatch):
    problem = make([1], [[1]])
    outcome = HighsModel.run

    def late(self):
        return replace(outcome(self), termination="time_limit")

    monkeypatch.setattr(HighsModel, "run", late)
    with pytest.raises(SolverError, match="the shares of 1 jobs were not solved"):
        most_in_total(problem, problem.speed)
