"""A run that has ended."""

from __future__ import annotations

import pickle

import pytest

from hadaropt.schedule import Allocation
from tests.simulate.small import job, run


def test_jct_is_completion_minus_arrival(two):
    assert dict(two.jct) == {0: 150, 1: 200}
    assert dict(two.finish) == {0: 150, 1: 250} and dict(two.start) == {0: 0, 1: 200}


def test_the_rounds_are_a_schedule(two):
    fast = ((0, 0, 1),)
    first, second = two.schedule().jobs
    assert first == (Allocation(0, fast), Allocation(1, fast))
    assert second == (Allocation(2, fast),)


def test_copies_are_marked_in_the_schedule():
    forked = run("fast=2x1", "hadare", job("a", 0, 1, 150, max_copies=2))
    (rounds,) = forked.schedule().jobs
    assert rounds == (Allocation(0, ((0, 0, 1), (1, 0, 1)), copies=True),)


def test_jobs_that_never_complete_have_no_jct():
    cut = run("fast=1", "yarn", job("wide", 0, 2, 5), job("ok", 0, 1, 5))
    assert set(cut.jct) == {1} and set(cut.unschedulable) == {0}


def test_a_run_is_a_value(two):
    for name in ("finish", "start", "unschedulable", "jct"):
        with pytest.raises(TypeError):
            getattr(two, name)[9] = 0
    again = pickle.loads(pickle.dumps(two))
    assert (again.finish, again.uses, again.events) == (two.finish, two.uses, two.events)
