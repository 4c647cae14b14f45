"""Plans: columns that fit together, and the schedules that they stand for."""

from __future__ import annotations

import pytest

from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.plan import to_plan, to_schedule
from hadaropt.offline.tree.branch_and_price import Search, branch_and_price
from hadaropt.schedule import Schedule, check_schedule
from tests.offline.support import tight


@pytest.mark.parametrize("parallelism", ["mixed", "single_type"])
def test_a_schedule_is_a_plan_of_the_same_value(parallelism: str) -> None:
    instance = tight(parallelism)
    answer = branch_and_price(instance)
    assert answer.schedule is not None
    search = Search(instance, clock=Clock(), target_gap=0)
    plan = to_plan(search.space, answer.schedule)
    assert plan is not None
    assert plan.value == answer.value
    again = check_schedule(instance, to_schedule(search.space, plan))
    assert again.value == answer.value
    empty = to_plan(search.space, Schedule.empty(instance))
    assert empty is not None
    assert not empty.columns
    assert empty.value == 0
