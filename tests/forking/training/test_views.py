"""What a plan sees, and whether what it says can be done."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import TrackerError
from hadaropt.forking import Tracker
from hadaropt.forking.training.options import TrainingJob
from hadaropt.forking.training.proportional import JobView
from hadaropt.forking.training.views import can_run, check_jobs, check_plan, fill_speeds, view
from tests.forking.training.toy import Slope

OFFERS = {"n0": {"COPY": 1, "SPEED": 2.0}, "n1": {"COPY": 1, "GPU": 1}}


def test_a_node_that_offers_what_a_job_requires_can_run_it():
    job = TrainingJob(Slope(), 5, requires={"GPU": 1})
    assert can_run(job, OFFERS["n1"]) and not can_run(job, OFFERS["n0"])
    assert can_run(TrainingJob(Slope(), 5), OFFERS["n0"])
    assert not can_run(TrainingJob(Slope(), 5, requires={"GPU": 2}), OFFERS["n1"])


nodes = st.sampled_from("abcd")


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(nodes, st.tuples(st.none() | st.integers(1, 10**6), st.integers(1, 99))))
def test_hints_are_scaled_by_the_nodes_that_were_measured(drawn):
    measured = {node: speed for node, (speed, _) in drawn.items()}
    hints = {node: hint for node, (_, hint) in drawn.items()}
    found = fill_speeds(measured, hints)
    assert found.keys() == measured.keys() and all(x >= 1 for x in found.values())
    known = {node for node, speed in measured.items() if speed is not None}
    assert all(found[node] == measured[node] for node in known)
    if not known:
        assert found == hints
    up, down = sum(measured[n] for n in known), sum(hints[n] for n in known)
    for node in measured.keys() - known if known else ():
        assert found[node] == max(1, hints[node] * up // down)


@pytest.mark.parametrize(
    ("job", "said"),
    [
        (
            {"requires": {"TPU": 1}},
            r'jobs\["slope"\].requires = .*must be offered by a node .*n0, n1',
        ),
        ({"max_copies": 0}, r"max_copies = 0, must be between 1 and 2, the nodes"),
        ({"max_copies": 3}, r"max_copies = 3, must be between 1 and 2"),
    ],
)
def test_jobs_that_no_node_can_run_are_named(job, said):
    with pytest.raises(TrackerError, match=said):
        check_jobs([TrainingJob(Slope(), 5, **job)], OFFERS)
    check_jobs([TrainingJob(Slope(), 5, max_copies=2, requires={"GPU": 1})], OFFERS)


A = JobView("a", 10, 1, {"n0": 5, "n1": 5})
B = JobView("b", 10, 2, {"n1": 5})


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({"c": {"n0": 1}}, r'plan\["c"\], must be a job that waits for steps'),
        ({"a": {}}, r'plan\["a"\].copies = 0, must be between 1 and 1'),
        ({"a": {"n0": 1, "n1": 1}}, r'plan\["a"\].copies = 2, must be between 1 and 1'),
        ({"b": {"n0": 1}}, r'plan\["b"\]\["n0"\], must be a node that can run it'),
        ({"a": {"n1": 1}, "b": {"n1": 1}}, r'plan\["b"\]\["n1"\], has a copy of a already'),
    ],
)
def test_a_plan_that_cannot_be_done_is_refused_at_its_place(plan, said):
    with pytest.raises(TrackerError, match=said):
        check_plan([A, B], plan)
    check_plan([A, B], {"a": {"n0": 1}, "b": {"n1": 9}})
    check_plan([A, B], {})


def test_a_plan_sees_what_waits_and_where_it_can_run():
    tracker = Tracker({"slope": 10})
    for node in OFFERS:
        tracker.join(node)
    anywhere = TrainingJob(Slope(), 10, max_copies=1)
    assert view(anywhere, tracker, OFFERS) == JobView(
        "slope", 10, 1, {"n0": 2_000_000, "n1": 1_000_000}
    )
    picky = TrainingJob(Slope(), 10, requires={"GPU": 1})
    assert view(picky, tracker, OFFERS) == JobView("slope", 10, 1, {"n1": 1_000_000})
    assert view(TrainingJob(Slope(), 10, requires={"TPU": 1}), tracker, OFFERS) is None


def test_a_job_that_waits_for_nothing_is_not_seen_and_a_measured_speed_is():
    tracker = Tracker({"slope": 10})
    for node in OFFERS:
        tracker.join(node)
    (copy,) = tracker.fork("slope", {"n0": 10})
    job = TrainingJob(Slope(), 10)
    assert view(job, tracker, OFFERS) is None
    tracker.report(copy.ticket, 4, 2_000_000_000)
    tracker.close("slope")
    seen = view(job, tracker, OFFERS)
    assert (seen.waiting, seen.speeds) == (6, {"n0": 2_000_000, "n1": 1_000_000})
