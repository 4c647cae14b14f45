"""What is known without a search: bounds that hold, schedules that are checked, honest statuses."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from hadaropt.certificates import certify, verify
from hadaropt.errors import ScheduleError
from hadaropt.offline.known import Known, check_target_gap, no_waiting_bound, zero_prices
from hadaropt.pricing import dual_bound
from hadaropt.results import Prices, Termination
from hadaropt.schedule import Allocation, Schedule
from tests.instances_strategy import tiny_instances
from tests.offline.support import duel, instance_of
from tests.oracle import Json, optimum

FIRST = (Allocation(0, ((0, 0, 1),)),)
SECOND = (Allocation(1, ((0, 0, 1),)),)
BEST, WORSE = Schedule((FIRST, SECOND)), Schedule((FIRST, ()))
DUAL = Prices(np.array([[1], [0]], np.int64), Fraction(1))
"""The prices of the duel's optimum: 1 for the GPU of round 0, so that D(k) = 3 + 3 + 1 = 7."""


@settings(max_examples=60, deadline=None)
@given(document=tiny_instances())
def test_without_waiting_no_schedule_is_worth_more(document: Json) -> None:
    instance = instance_of(document)
    best, _ = optimum(document)
    bound = no_waiting_bound(instance)
    assert best <= bound
    assert dual_bound(instance, zero_prices(instance)).value <= bound
    answer = Known(instance, "auto").best(Termination.FAILED)
    assert (answer.value, answer.bound, answer.schedule) == (None, bound, None)
    assert answer.status == "bound"


def test_only_what_is_better_is_kept() -> None:
    known = Known(duel(), "auto", start=WORSE)
    assert (known.value, known.bound, known.proved) == (4, 8, False)
    known.offer(BEST)
    known.offer(WORSE)
    assert (known.value, known.schedule) == (7, BEST)
    known.prove(Fraction(15, 2), zero_prices(duel()))
    known.prove(Fraction(8), zero_prices(duel()))
    assert known.bound == Fraction(15, 2) and not known.proved
    known.prove(Fraction(7), DUAL)
    assert known.proved and known.prices == DUAL


def test_the_answer_says_what_is_proved_and_its_certificate_holds() -> None:
    known = Known(duel(), "auto", start=BEST)
    answer = known.best(Termination.TIME_LIMIT)
    assert (answer.status, answer.termination) == ("feasible", "time_limit")
    assert (answer.value, answer.bound) == (7, 8)
    assert verify(duel(), certify(duel(), answer)).best_bound == 8
    known.prove(Fraction(7), DUAL)
    answer = known.best(Termination.TIME_LIMIT)
    assert (answer.status, answer.termination) == ("proved", "optimal")
    assert verify(duel(), certify(duel(), answer)).proved


def test_a_bound_below_a_checked_schedule_is_dropped() -> None:
    known = Known(duel(), "auto", start=BEST)
    known.prove(Fraction(6), DUAL)
    answer = known.best(Termination.DEFECT)
    assert (answer.value, answer.bound, answer.status) == (7, 8, "feasible")


def test_infeasible_schedules_are_refused_and_a_start_is_named() -> None:
    both = Schedule((FIRST, FIRST))
    with pytest.raises(ScheduleError, match=r"^start"):
        Known(duel(), "auto", start=both)
    known = Known(duel(), "auto")
    with pytest.raises(ScheduleError):
        known.offer(both)
    assert known.schedule is None and known.value == 0


@pytest.mark.parametrize("bad", [-1e-9, float("inf"), float("nan")])
def test_a_target_gap_is_finite_and_not_negative(bad: float) -> None:
    with pytest.raises(ValueError, match=r"target_gap = .*, must be >= 0 and finite"):
        check_target_gap(bad)
    check_target_gap(0)
