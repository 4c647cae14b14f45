"""Runs of HiGHS within a limit of time or of work."""

from __future__ import annotations

import math

import pytest

from hadaropt.mip.highs import HighsModel
from hadaropt.offline.clock import UNIT, Clock
from hadaropt.offline.limited_run import (
    ITERATION_OPERATIONS,
    NODE_OPERATIONS,
    RUN_OPERATIONS,
    run_within,
)
from tests.mip.test_highs import knapsack


def spent(clock: Clock) -> int:
    left = clock.most(1)
    assert left is not None
    return left


def test_what_the_solver_did_is_counted() -> None:
    clock, size = Clock(work_limit=1000), 40
    before = spent(clock)
    outcome = run_within(HighsModel(knapsack(10)), clock, size)
    assert outcome.termination == "optimal"
    each = ITERATION_OPERATIONS + size
    done = RUN_OPERATIONS + outcome.nodes * NODE_OPERATIONS + outcome.iterations * each
    assert before - spent(clock) == pytest.approx(done, abs=2)
    assert done > RUN_OPERATIONS


def test_a_limit_of_work_ends_it_alike_on_every_run() -> None:
    found = []
    for _ in range(2):
        clock = Clock(work_limit=3 * NODE_OPERATIONS // UNIT)
        outcome = run_within(HighsModel(knapsack(40)), clock, 50)
        found.append((outcome.termination, outcome.objective, outcome.nodes, spent(clock)))
        assert outcome.termination == "limit"
    assert found[0] == found[1]


def test_without_time_it_does_not_begin() -> None:
    outcome = run_within(HighsModel(knapsack(40)), Clock(0), 50)
    assert outcome.termination == "time_limit" and outcome.nodes <= 1


def test_nodes_are_limited_where_no_work_is_counted() -> None:
    outcome = run_within(HighsModel(knapsack(40)), Clock(), 50, node_limit=1)
    assert outcome.termination == "limit" and outcome.nodes <= 1
    assert math.isfinite(outcome.bound)
