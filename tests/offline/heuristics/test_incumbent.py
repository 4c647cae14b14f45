"""The incumbent: kept if better, with its exact value, and reported."""

from __future__ import annotations

import pytest

from hadaropt.errors import ScheduleError
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.heuristics.incumbent import Incumbent
from hadaropt.schedule import Allocation, Schedule
from tests.offline.support import duel

FIRST = (Allocation(0, ((0, 0, 1),)),)
SECOND = (Allocation(1, ((0, 0, 1),)),)


def test_only_what_is_better_is_kept_and_reported() -> None:
    reports: list[int] = []
    incumbent = Incumbent(Space.of(duel()), lambda: reports.append(1))
    assert incumbent.value == 0 and incumbent.plan is None
    assert incumbent.offer_schedule(Schedule((SECOND, ())))
    assert incumbent.value == 3
    assert not incumbent.offer_schedule(Schedule(((), SECOND)))
    assert incumbent.offer_schedule(Schedule((FIRST, SECOND)))
    assert incumbent.value == 7 and len(reports) == 2
    assert incumbent.plan is not None and incumbent.plan.value == 7
    assert not incumbent.offer(incumbent.plan) and not incumbent.offer(None)


def test_a_plan_becomes_the_schedule_that_it_stands_for() -> None:
    space = Space.of(duel())
    known, other = Incumbent(space), Incumbent(space)
    known.offer_schedule(Schedule((FIRST, SECOND)))
    assert other.offer(known.plan)
    assert (other.value, other.schedule) == (7, known.schedule)


def test_an_infeasible_schedule_is_refused() -> None:
    incumbent = Incumbent(Space.of(duel()))
    with pytest.raises(ScheduleError):
        incumbent.offer_schedule(Schedule((FIRST, FIRST)))
    assert incumbent.value == 0
