"""Round schedulers on instances."""

from hypothesis import given, settings

from hadaropt import check_schedule
from hadaropt.simulate.registry import scheduler_names
from hadaropt.simulate.rounds import run_rounds
from hadaropt.testing import instances


@settings(deadline=None, max_examples=40)
@given(instances())
def test_every_scheduler_makes_feasible_schedules(instance):
    for name in scheduler_names():
        checked = check_schedule(instance, run_rounds(instance, name).schedule)
        assert checked.value >= 0
