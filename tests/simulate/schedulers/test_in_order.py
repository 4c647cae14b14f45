"""Whole gangs, one job after the other."""

from __future__ import annotations

import pytest

from hadaropt.simulate.schedulers.in_order import (
    gang_on,
    on_fastest_type,
    on_first_type,
    over_types,
    run_in_order,
    usable_types,
)
from tests.simulate.small import job
from tests.simulate.views import view_of

NODES = {"a": {"slow": 2, "fast": 2}}


def seen(*jobs, **options):
    view = view_of(NODES, *jobs, **options)
    return view, view.queue


def test_a_type_needs_room_and_speed():
    view, (q,) = seen(job("x", 0, 2, 5))
    assert usable_types(q, view, [2, 2]) == [0, 1]
    assert usable_types(q, view, [2, 1]) == [0]
    view, (q,) = seen(job("x", 0, 1, 5, throughput={"fast": 1}))
    assert usable_types(q, view, [2, 2]) == [1]


def test_first_and_fastest():
    view, (q,) = seen(job("x", 0, 2, 5))
    assert gang_on(1, q, 3) == (0, 2, 0)
    assert on_first_type(q, view, [2, 2]) == (2, 0)
    assert on_fastest_type(q, view, [2, 2]) == (0, 2)
    assert on_fastest_type(q, view, [2, 1]) == (2, 0)
    assert on_fastest_type(q, view, [1, 1]) is None
    view, (q,) = seen(job("x", 0, 1, 5, throughput={"slow": 1, "fast": 1}))
    assert on_fastest_type(q, view, [2, 2]) == (1, 0)  # of equal ones the first


@pytest.mark.parametrize(
    ("gang", "free", "counts"),
    [
        (3, [2, 2], (1, 2)),  # the fast ones first
        (4, [2, 2], (2, 2)),
        (4, [2, 1], None),  # no room
        (2, [2, 2], None),  # one type can hold it: it waits for that
    ],
)
def test_only_a_gang_that_no_type_can_hold_mixes(gang, free, counts):
    view, (q,) = seen(job("x", 0, gang, 5))
    assert over_types(q, view, free) == counts
    alone, (r,) = seen(job("x", 0, gang, 5), mixing=False)
    assert over_types(r, alone, free) is None


def test_each_job_takes_from_what_is_left():
    jobs = [job(name, 0, 1, 500) for name in "vwxyz"]
    view, queue = seen(*jobs)
    plan = run_in_order(view, reversed(queue), on_fastest_type)
    assert set(plan) == {1, 2, 3, 4}
    assert {j: placement[0][1] for j, placement in plan.items()} == {4: 1, 3: 1, 2: 0, 1: 0}


def test_a_job_that_is_not_chosen_leaves_its_gpus_to_the_others():
    view, queue = seen(job("x", 0, 2, 500), job("y", 0, 2, 500))
    plan = run_in_order(
        view, queue, lambda q, v, free: None if q.index == 0 else on_fastest_type(q, v, free)
    )
    assert set(plan) == {1}
