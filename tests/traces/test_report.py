"""An inspection as text: narrow, rounded for reading, and safe to print."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt.instance import Cluster
from hadaropt.traces import Trace, TraceJob, inspect_trace, render_inspection
from hadaropt.traces.report import _number, _short, _span

CLUSTER = Cluster.parse("V100=2x4")


def trace(jobs, **fields):
    return Trace("itp", "t.csv", tuple(jobs), {}, len(jobs), **fields)


def job(i, submit=0, gpus=1, seconds=3600, **fields):
    return TraceJob(f"j{i}", Fraction(submit), gpus, Fraction(seconds), **fields)


def test_lines_fit_a_page_whatever_stands_in_the_trace():
    rules = tuple("word " * 60 for _ in range(3))
    types = [f"kind-{i}" * 2 for i in range(20)]
    jobs = [job(i, 60 * i, 1 + i % 9, 10**i, gpu_type=types[i], status=f"s{i}") for i in range(15)]
    text = render_inspection(inspect_trace(trace(jobs, conventions=rules), CLUSTER))
    lines = text.splitlines()
    assert all(line == line.rstrip() for line in lines)
    free = [line for line in lines if not line.startswith(("GPU types", "status"))]
    assert max(map(len, free)) <= 100
    assert "and 7 more" in text


def test_figures_by_hand():
    jobs = [job(0, 0, 2, 7200), job(1, 7200, 6, 90000)]
    text = render_inspection(inspect_trace(trace(jobs), CLUSTER))
    assert "rows                   2" in text and "cluster        8 V100" in text
    assert "GPU-hours      154\n" in text
    assert "over 24 h      1 job, 97.4 % of the GPU-hours" in text
    assert "wide gangs     1 job wider than any node, 0 wider than any type" in text
    assert "arrivals over  2.00 hours" in text or "arrivals over  2 hours" in text


def test_a_name_of_a_file_cannot_write_over_the_page():
    bad = Trace("itp", "a\x1b[2J\nb", (job(0),), {}, 1)
    text = render_inspection(inspect_trace(bad, CLUSTER))
    assert text.startswith("a\\x1b[2J\\nb: itp\n") and "\x1b" not in text


def test_without_jobs_it_says_so():
    empty = Trace("itp", "t.csv", (), {"zero GPUs": 1}, 1)
    text = render_inspection(inspect_trace(empty, CLUSTER))
    assert text.endswith("\nno jobs\n") and "dropped                1  zero GPUs" in text


@pytest.mark.parametrize(
    ("value", "number", "short"),
    [
        (Fraction(0), "0", "0"),
        (Fraction(1, 3), "0.33", "0.33"),
        (Fraction(100, 3), "33.3", "33.3"),
        (Fraction(1000, 3), "333", "333"),
        (Fraction(123456), "123,456", "123k"),
        (Fraction(2 * 10**6), "2,000,000", "2M"),
        (Fraction(10**10, 3), "3,333,333,333", "3.33G"),
    ],
)
def test_numbers_for_reading(value, number, short):
    assert (_number(value), _short(value)) == (number, short)
    assert len(_short(value)) <= 7


def test_spans_are_in_the_unit_that_reads_best():
    assert _span(Fraction(7199)) == "7,199 s"
    assert _span(Fraction(7200)) == "2 hours"
    assert _span(Fraction(3 * 86400)) == "3 days"
