"""A scheduler is shown the jobs as they are declared, and the engine runs the true ones."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.misinformed import MisinformedScheduler
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import make_scheduler
from tests.simulate.small import job, workload
from tests.simulate.views import view_of


class Notes:
    name = "notes"

    def __init__(self):
        self.seen = []

    def plan(self, view):
        self.seen.append([(q.job.iterations, q.remaining) for q in view.queue])
        self.problem = view.problem
        return {q.index: ((0, 0, 1),) for q in view.queue[:1]}


def told(problem, factor):
    jobs = [replace(j, iterations=max(1, int(j.iterations * factor))) for j in problem.jobs]
    return replace(problem, jobs=tuple(jobs))


@pytest.mark.parametrize(
    ("factor", "done", "seen"),
    [
        (1, 0, (100, 100)),
        (2, 0, (200, 200)),
        (2, 30, (200, 170)),
        (Fraction(1, 2), 30, (50, 20)),
        (Fraction(1, 2), 50, (50, 1)),  # done as declared, and still there
        (Fraction(1, 2), 80, (50, 1)),
    ],
)
def test_what_is_left_is_what_was_declared_less_what_is_done(factor, done, seen):
    view = view_of({"a": {"fast": 1}}, job("x", 0, 1, 100), remaining={0: 100 - done})
    inner = Notes()
    MisinformedScheduler(inner, told(view.problem, factor)).plan(view)
    assert inner.seen == [[seen]]


def test_jobs_that_have_not_arrived_are_not_there():
    problem = RoundProblem.of_workload(
        workload("fast=1", job("x", 0, 1, 10), job("late", 500, 1, 10)), round_seconds=100
    )
    inner = Notes()
    own = MisinformedScheduler(inner, told(problem, 3))
    run = simulate_rounds(problem, own)
    assert inner.seen[0] == [(30, 30)] and inner.seen[-1] == [(30, 30)]
    assert len(inner.problem.jobs) == 2  # by the end both have arrived
    assert dict(run.finish) == {0: 10, 1: 510}
    assert (run.scheduler, own.may_starve) == ("misinformed:notes", False)


def test_wrong_iterations_change_the_order_and_not_the_work():
    jobs = job("short", 0, 1, 150), job("long", 0, 1, 300)
    problem = RoundProblem.of_workload(workload("fast=1", *jobs), round_seconds=100)
    wrong = replace(
        problem,
        jobs=tuple(replace(j, iterations=450 - j.iterations) for j in problem.jobs),
    )
    right = simulate_rounds(problem, make_scheduler("srtf"))
    misled = simulate_rounds(problem, MisinformedScheduler(make_scheduler("srtf"), wrong))
    assert (dict(right.finish), dict(misled.finish)) == ({0: 150, 1: 500}, {1: 300, 0: 450})
    for run in (right, misled):
        assert {j: sum(u.steps for u in run.uses if u.job == j) for j in (0, 1)} == {0: 150, 1: 300}
