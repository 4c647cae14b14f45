from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.forking.training.proportional import JobView, proportional
from hadaropt.forking.training.views import check_plan, fill_speeds

NODES = ("n0", "n1", "n2", "n3", "n4")


@st.composite
def views(draw):
    found = []
    for name in ("a", "b", "c")[: draw(st.integers(1, 3))]:
        nodes = draw(st.lists(st.sampled_from(NODES), min_size=1, unique=True))
        speeds = {node: draw(st.integers(1, 10**7)) for node in nodes}
        found.append(JobView(name, draw(st.integers(1, 50)), draw(st.integers(1, 5)), speeds))
    return found


@settings(max_examples=80, deadline=None)
@given(views(), st.none() | st.integers(1, 60))
def test_a_plan_can_be_done_and_gives_out_just_the_steps(jobs, round_steps):
    plan = proportional(jobs, round_steps=round_steps)
    check_plan(jobs, plan)
    for job in jobs:
        wanted = min(job.waiting, round_steps or job.waiting)
        if job.name in plan:
            assert sum(plan[job.name].values()) == wanted
            assert min(plan[job.name].values()) >= 1
    assert plan
    used = {node for steps in plan.values() for node in steps}
    if len(used) < len({node for job in jobs for node in job.speeds}):
        # A node may stand idle only for caps, or for shares that round to nothing.
        assert any(
            len(plan.get(job.name, {})) >= min(job.max_copies, job.waiting, len(job.speeds))
            or wanted_less_than_nodes(job, round_steps)
            for job in jobs
        )


def wanted_less_than_nodes(job, round_steps):
    steps = min(job.waiting, round_steps or job.waiting)
    return steps * min(job.speeds.values()) < sum(job.speeds.values())


def test_the_job_that_would_take_longest_gets_the_next_node():
    speeds = {"n0": 4, "n1": 2, "n2": 1}
    jobs = [JobView("long", 60, 3, speeds), JobView("short", 10, 3, speeds)]
    assert proportional(jobs) == {"long": {"n0": 48, "n2": 12}, "short": {"n1": 10}}


@pytest.mark.parametrize(
    ("measured", "hints", "filled"),
    [
        ({"a": None, "b": None}, {"a": 2, "b": 3}, {"a": 2, "b": 3}),
        ({"a": 30, "b": None}, {"a": 2, "b": 3}, {"a": 30, "b": 45}),
        ({"a": 30, "b": 7}, {"a": 2, "b": 3}, {"a": 30, "b": 7}),
        ({"a": 1, "b": None}, {"a": 1000, "b": 1}, {"a": 1, "b": 1}),
    ],
)
def test_speeds_not_measured_are_hints_in_the_unit_of_what_is(measured, hints, filled):
    assert fill_speeds(measured, hints) == filled
