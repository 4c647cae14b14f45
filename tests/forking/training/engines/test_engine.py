"""An engine in this process, by a simulated clock."""

from __future__ import annotations

import numpy as np
import pytest

from hadaropt.errors import TrackerError
from hadaropt.forking.tracking.tickets import Ticket
from hadaropt.forking.training.copies import Order, run_copy
from hadaropt.forking.training.engines.engine import COPY, SPEED, Lost, SimulatedNodes
from tests.forking.training.toy import Slope


def ticket(node, job="slope"):
    return Ticket(job, 1, 0, node)


def order(steps, task=None, **more):
    own = task or Slope()
    return Order(own, own.initial(3), steps, (1, 2), **more)


def test_nodes_offer_one_copy_at_their_speed():
    engine = SimulatedNodes({"a": 5, "b": 7})
    assert engine.nodes() == {"a": {COPY: 1, SPEED: 5}, "b": {COPY: 1, SPEED: 7}}
    engine.speeds["a"] = 1  # a node may slow down between rounds
    assert engine.nodes()["a"][SPEED] == 1


def test_the_time_reported_is_steps_over_speed_and_the_clock_that_of_the_slowest():
    engine = SimulatedNodes({"a": 4, "b": 3})
    engine.start(ticket("a"), order(10))
    engine.start(ticket("b"), order(10))
    (one, first), (two, second) = engine.finished(0)
    assert (one, two) == (ticket("a"), ticket("b"))
    assert (first.nanoseconds, second.nanoseconds) == (2_500_000_000, 3_333_333_333)
    assert engine.nanoseconds == 3_333_333_333
    assert engine.finished(0) == []
    engine.start(ticket("a"), order(4))
    engine.finished(0)
    assert engine.nanoseconds == 4_333_333_333


def test_the_training_is_real_and_limits_of_real_time_do_not_matter():
    engine = SimulatedNodes({"a": 1})
    engine.start(ticket("a"), order(6, pace=0.001, stop_after=0.0))
    ((_, report),) = engine.finished(0)
    plain = run_copy(order(6))
    assert (report.steps, report.loss) == (6, plain.loss)
    assert np.array_equal(report.state["parameters"]["w"], plain.state["parameters"]["w"])


def test_a_step_takes_at_least_a_nanosecond():
    engine = SimulatedNodes({"a": 10**12})
    engine.start(ticket("a"), order(1))
    ((_, report),) = engine.finished(0)
    assert report.nanoseconds == 1


def test_a_copy_that_fails_is_lost_by_itself_and_the_others_go_on():
    engine = SimulatedNodes({"a": 1, "b": 1})
    bad = Slope(fails_at=-1e9)
    with pytest.raises(TrackerError):
        run_copy(order(2, bad))
    engine.start(ticket("a"), order(2, bad))
    engine.start(ticket("b"), order(2))
    (_, lost), (_, report) = engine.finished(0)
    assert isinstance(lost, Lost) and not lost.by_node and lost.reason
    assert report.steps == 2


def test_what_is_forgotten_is_not_trained():
    engine = SimulatedNodes({"a": 1, "b": 1})
    engine.start(ticket("a"), order(2))
    engine.start(ticket("b"), order(2))
    engine.forget(ticket("a"))
    engine.forget(ticket("a"))
    assert [own for own, _ in engine.finished(0)] == [ticket("b")]
