"""Every row of a trace becomes a job or is counted under its first reason."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.traces import builder
from hadaropt.traces.builder import TraceBuilder, duration_fault, gpu_fault

ROW = {
    "name": "a",
    "submit": Fraction(5),
    "gpus": Fraction(2),
    "duration": Fraction(9),
}


def built(*rows):
    build = TraceBuilder()
    for row in rows:
        build.add(**(ROW | row))
    return build.finish(format="itp", source="t", conventions=(), calendar=None)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"submit": None, "gpus": None}, builder.NO_SUBMIT),
        ({"gpus": None, "duration": None}, builder.NO_GPUS),
        ({"gpus": Fraction(0)}, builder.ZERO_GPUS),
        ({"gpus": Fraction(-2), "gpus_each": Fraction(-2)}, builder.NEGATIVE_GPUS),
        ({"gpus": Fraction(4), "gpus_each": Fraction(1, 4)}, builder.FRACTIONAL_GPUS),
        ({"duration": None}, builder.NO_DURATION),
        ({"duration": Fraction(0)}, builder.ZERO_DURATION),
        ({"duration": Fraction(-1)}, builder.NEGATIVE_DURATION),
        ({"not_run": builder.NEVER_STARTED, "duration": None}, builder.NEVER_STARTED),
        ({"sized_by": "iterations"}, builder.NO_ITERATIONS),
        ({"iterations": 0}, builder.NO_ITERATIONS),
        ({"weight": Fraction(0)}, builder.BAD_WEIGHT),
        ({"name": ""}, builder.NO_NAME),
        ({"weight": Fraction(-1), "name": ""}, builder.BAD_WEIGHT),
    ],
)
def test_the_first_reason_counts(row, reason):
    trace = built({"name": "good"}, row)
    assert [job.name for job in trace.jobs] == ["good"]
    assert dict(trace.dropped) == {reason: 1} and trace.rows == 2


def test_a_name_twice_is_a_repetition_or_a_contradiction():
    trace = built({}, {}, {"duration": Fraction(8)}, {"name": None}, {"name": None})
    assert dict(trace.dropped) == {builder.REPEATED_ROW: 1, builder.REPEATED_NAME: 1}
    assert [job.name for job in trace.jobs] == ["a", "job-000003", "job-000004"]


def test_a_dropped_row_does_not_take_its_name():
    trace = built({"gpus": None}, {})
    assert [job.name for job in trace.jobs] == ["a"]


def test_rows_are_part_of_the_jobs_that_are_kept():
    build = TraceBuilder()
    for name in ("a", "b"):
        build.merge("step", name)
        gpus = Fraction(name == "a")
        build.add(name=name, submit=Fraction(0), gpus=gpus, duration=Fraction(1))
    trace = build.finish(format="t", source="t", conventions=(), calendar=None)
    assert trace.merged == {"step": 1}
    assert trace.lost == {"step": 1, builder.ZERO_GPUS: 1}


def test_time_begins_at_the_first_submit():
    held = ((Fraction(30), Fraction(40)),)
    late = {"name": "late", "submit": Fraction(25), "attempts": held}
    trace = built(late, {"name": "early", "submit": Fraction(7)}, {"name": "b"})
    assert trace.origin_seconds == 5
    assert [(job.name, job.submit_seconds) for job in trace.jobs] == [
        ("b", 0),
        ("early", 2),
        ("late", 20),
    ]
    assert trace.jobs[2].attempts == ((25, 35),)


def test_without_a_job_there_is_a_trace():
    build = TraceBuilder()
    build.drop("why", 3)
    build.drop("why")
    trace = build.finish(format="itp", source="t", conventions=("x",), calendar="UTC")
    assert (trace.rows, dict(trace.dropped), trace.jobs) == (4, {"why": 4}, ())
    assert (trace.origin_seconds, trace.calendar, trace.conventions) == (0, "UTC", ("x",))


numbers = st.none() | st.fractions(-4, 4, max_denominator=4)


@settings(max_examples=60, deadline=None)
@given(numbers, numbers)
def test_a_gang_is_a_product_of_positive_whole_numbers(gpus, each):
    whole = all(x is not None and x > 0 and x.denominator == 1 for x in (gpus, each))
    assert (gpu_fault(gpus, each) is None) == whole


@settings(max_examples=30, deadline=None)
@given(numbers)
def test_a_job_runs_for_a_positive_time(duration):
    assert (duration_fault(duration) is None) == (duration is not None and duration > 0)
