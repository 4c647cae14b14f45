"""Proven bounds as the commands show them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hadaropt.cli.common.bounds import (
    CELLS,
    MOST_INTERVALS,
    bound_facts,
    bound_lines,
    bounds_of,
    checked_intervals,
    fitting_intervals,
    times_the_least,
)
from hadaropt.cli.common.options import UsageError
from tests.simulate.small import job, run


def test_intervals_are_counted():
    assert [checked_intervals(n) for n in (None, 0, 80)] == [None, 0, 80]
    with pytest.raises(UsageError, match=r"^--bound-intervals -1: must be >= 0"):
        checked_intervals(-1)


def test_as_many_intervals_as_take_about_two_seconds():
    assert [fitting_intervals(jobs) for jobs in (0, 1, 250, 500, 1000, 1001, 10**6)] == [
        *(80, 80, 80, 40, 20, 0, 0)
    ]
    for jobs in range(1, 3000, 7):
        most = fitting_intervals(jobs)
        assert most * jobs <= CELLS and (most == 0 or 20 <= most <= MOST_INTERVALS)


@pytest.mark.parametrize(
    ("value", "bound", "text"),
    [(1, 1, "1"), (3, 2, "1.5"), (1001, 1000, "1.01"), (10**6, 1, "1e+06"), (1, 0, "-")],
)
def test_a_run_is_never_said_to_be_nearer_the_least_than_it_is(value, bound, text):
    assert times_the_least(Fraction(value), Fraction(bound)) == text


@pytest.fixture
def simulated():
    return run("fast=2x1", "yarn", job("a", 0, 1, 7200), job("b", 0, 1, 3600))


def test_bounds_are_below_the_run_and_copies_only_where_it_may_make_them(simulated):
    jobs = list(simulated.finish)
    plain = bounds_of(simulated, jobs, 0)
    assert plain.avg_jct_s <= sum(simulated.jct.values()) / 2
    forked = bounds_of(replace(simulated, scheduler="hadare:makespan"), jobs, 0)
    assert forked.avg_jct_s <= plain.avg_jct_s
    lines = bound_lines(plain, Fraction(5400), Fraction(7200))
    assert lines == [
        ("any mean JCT", ">= 1.5 h: at most 1 times the least possible here"),
        ("any makespan", ">= 2 h: at most 1 times the least possible here"),
    ]


def test_facts_are_rounded_down(simulated):
    found = bounds_of(simulated, list(simulated.finish), 0)
    third = replace(found, avg_jct_s=Fraction(1, 3))
    facts = bound_facts(third)
    assert Fraction(facts["avg_jct_s"]) <= Fraction(1, 3) < facts["avg_jct_s"] + 1e-9
    assert facts["avg_jct_by"] == found.avg_jct_by and facts["makespan_s"] == 7200
    assert bound_facts(None) is None
