"""Plans that would do nothing are changed, and no others."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.simulate.standstill import fastest_gang, steps_of_round, without_standstill
from tests.simulate.small import job
from tests.simulate.views import view_of

NODES = {"a": {"fast": 2}, "b": {"fast": 1, "slow": 2}}
FAST, SLOW = ((0, 0, 1),), ((1, 1, 1),)


@pytest.mark.parametrize(
    ("placement", "lost", "steps"),
    [
        (FAST, 0, 100),
        (SLOW, 0, 50),
        (FAST, 40, 60),
        (FAST, 100, 0),
        (FAST, 1000, 0),
        (SLOW, "0.5", 49),
    ],
)
def test_steps_of_a_round_are_whole_and_never_negative(placement, lost, steps):
    view = view_of(NODES, job("x", 0, 1, 5))
    assert steps_of_round(view.problem, 0, placement, Fraction(lost)) == steps


def test_a_plan_that_does_an_iteration_stays():
    view = view_of(NODES, job("x", 0, 1, 5), job("y", 0, 1, 5), held={0: SLOW})
    plan = {1: FAST}
    assert without_standstill(view, plan) == plan


def test_gangs_that_could_go_on_where_they_are_stay_there():
    """A restart of 99 s leaves a slow job half an iteration."""
    slow = {"throughput": {"slow": "0.5"}}
    jobs = job("x", 0, 1, 9, **slow), job("y", 0, 1, 9, **slow)
    view = view_of(NODES, *jobs, held={0: SLOW}, restart=99)
    assert without_standstill(view, {0: ((1, 1, 1),), 1: SLOW}) == {0: SLOW, 1: SLOW}
    assert without_standstill(view, {1: SLOW}) == {0: SLOW}


def test_a_plan_that_works_later_stays_where_nothing_is_held():
    slow = {"throughput": {"slow": "0.5"}}
    view = view_of(NODES, job("x", 0, 1, 9, **slow), restart=99)
    assert without_standstill(view, {0: SLOW}) == {0: SLOW}


def test_of_an_empty_plan_the_first_job_that_can_runs_alone():
    jobs = job("wide", 0, 9, 5), job("x", 0, 2, 5), job("y", 0, 1, 5)
    assert without_standstill(view_of(NODES, *jobs), {}) == {1: ((0, 0, 2),)}
    assert without_standstill(view_of(NODES, jobs[0]), {}) == {}


counts = st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=1, max_size=3)


@settings(max_examples=60, deadline=None)
@given(counts, st.integers(1, 4), st.sampled_from(["1", "0.5", "0.001"]), st.booleans())
def test_the_fastest_gang_is_the_best_of_all_placements(free, gang, spread, mixing):
    total = [max(1, sum(row[r] for row in free)) for r in range(2)]
    nodes = {f"n{h}": {"fast": total[0], "slow": total[1]} for h in range(len(free))}
    own = job("x", 0, gang, 9, spread_factor=spread, throughput={"fast": "0.04", "slow": "0.02"})
    problem = view_of(nodes, own, mixing=mixing).problem

    def steps(placement):
        return steps_of_round(problem, 0, placement)

    best = 0
    for placement in placements(free, gang):
        if mixing or len({r for _, r, _ in placement}) == 1:
            best = max(best, steps(placement))
    found = fastest_gang(problem, 0, free, mixing=mixing)
    assert (0 if found is None else steps(found)) == best
    if found is not None:
        assert sum(count for *_, count in found) == gang
        assert all(count <= free[h][r] for h, r, count in found)


def placements(free, gang):
    cells = [(h, r) for h in range(len(free)) for r in range(2)]

    def visit(i, need):
        if i == len(cells):
            if need == 0:
                yield ()
            return
        h, r = cells[i]
        for count in range(min(need, free[h][r]) + 1):
            for rest in visit(i + 1, need - count):
                yield ((h, r, count), *rest) if count else rest

    return visit(0, gang)
