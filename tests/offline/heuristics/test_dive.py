"""A dive, told at another best value and with other work left than it ran with."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt.offline.clock import PER_SECOND, Clock
from hadaropt.offline.heuristics.dive import Allowance, Dive, ends
from hadaropt.offline.heuristics.diving import Diving
from hadaropt.offline.tree.branch_and_price import Search
from tests.offline.support import tight


@pytest.mark.parametrize(("seed", "noise"), [(0, 0.0), (2, 0.5)])
def test_a_dive_that_ran_ahead_is_told_as_if_it_had_waited(seed: int, noise: float) -> None:
    search = Search(tight("mixed", seed), clock=Clock(), target_gap=0)
    solved = search.relaxation.converge(search.root.limits)
    diving = Diving(search.relaxation, search.relaxation.master.columns)
    dive = Dive(solved.proof, noise=noise, seed=3)
    ahead = diving.descend(dive, Fraction(0), Allowance())
    assert ahead.plan is not None and len(ahead.steps) > 2
    values = {Fraction(0), ahead.plan.value}
    values |= {bound for _, bound in ahead.steps[-3:] if bound is not None}
    spent = ahead.steps[len(ahead.steps) // 2][0]
    works = {float("inf"), spent / PER_SECOND, (spent + 1) / PER_SECOND}
    for value in sorted(values):
        for work in sorted(works):
            waited = diving.descend(dive, value, Allowance(work=work))
            assert ahead.within(value, work) == (waited.plan, waited.operations)


def test_a_step_ends_a_dive_that_leads_to_nothing_better_or_has_used_up_its_work() -> None:
    assert ends(0, None, Fraction(0), 1.0)
    assert ends(0, Fraction(3), Fraction(3), 1.0)
    assert not ends(0, Fraction(3), Fraction(2), 1.0)
    assert ends(PER_SECOND, Fraction(3), Fraction(2), 1.0)
    assert not ends(PER_SECOND - 1, Fraction(3), Fraction(2), 1.0)


def test_an_allowance_is_what_a_clock_has_left() -> None:
    assert Allowance.of(Clock()) == Allowance()
    by_time = Allowance.of(Clock(10.0))
    assert 0 < by_time.seconds <= 10 and by_time.work == float("inf")
    clock = Clock(work_limit=5000)
    clock.spend(PER_SECOND)
    assert Allowance.of(clock) == Allowance(work=4.0)
    assert Allowance.of(clock.part(1.5)) == Allowance(work=1.5)
    both = Allowance.of(Clock(10.0, 5000))
    assert 0 < both.seconds <= 10 and both.work == 5.0
