from __future__ import annotations

import numpy as np
import pytest

from hadaropt.errors import TrackerError
from hadaropt.forking.training.copies import Order, run_copy

from .toy import Slope


def order(steps=400, **changes):
    task = Slope()
    return Order(task, task.initial(1), steps, (1, 2))._replace(**changes)


def test_a_copy_makes_its_steps_and_says_what_came_of_them():
    start = order()
    report = run_copy(start)
    assert (report.steps, report.state["optimiser"]["t"]) == (400, 400)
    assert report.nanoseconds >= 1
    assert np.isfinite(report.loss)
    assert start.state["optimiser"]["t"] == 0


def test_the_stream_of_minibatches_is_named_by_its_numbers():
    found = [run_copy(order(5, entropy=e)).state["parameters"]["w"][0] for e in [(1,), (1,), (2,)]]
    assert found[0] == found[1] != found[2]


def test_at_the_end_of_its_time_a_copy_stops_with_at_least_one_step():
    report = run_copy(order(10**9, stop_after=0.0))
    assert 1 <= report.steps < 10**9
    assert report.state["optimiser"]["t"] == report.steps


def test_a_paced_copy_reports_no_more_than_its_pace_and_its_progress():
    told = []
    report = run_copy(order(30, pace=100.0), told.append)
    assert report.steps * 10**9 <= 100 * report.nanoseconds
    assert told == sorted(told)
    assert all(0 < steps <= 30 for steps in told)
    assert told


def test_a_loss_that_is_no_number_ends_the_copy():
    with pytest.raises(TrackerError, match=r"loss = nan, must be finite \(after 400 steps\)"):
        run_copy(order(task=Slope(fails_at=-9.0)))
