"""Shares by rules, without a program."""

import numpy as np
import pytest

from hadaropt.simulate.shares.rules import fifo, isolated
from tests.simulate.shares.problems import make, problem_of


@pytest.mark.parametrize(("policy", "rule"), [("isolated", isolated), ("fifo_perf", fifo)])
def test_rules_equal_the_recorded_shares(snapshots, policy, rule):
    for snapshot in snapshots:
        recorded = np.array(snapshot["results"][policy]["allocation"])
        assert rule(problem_of(snapshot)).x == pytest.approx(recorded, abs=1e-12), snapshot["name"]


def test_fifo_stops_at_the_first_job_without_room():
    problem = make([2, 1], [[2, 1], [2, 1], [2, 1]], gang=[2, 2, 1])
    assert fifo(problem).x.tolist() == [[1, 0], [0, 0], [0, 0]]
