"""Round schedulers on instances."""

import pytest
from hypothesis import given, settings

from hadaropt import Cluster, Instance, Job, check_schedule
from hadaropt.errors import InstanceError
from hadaropt.online.misinformed import declare
from hadaropt.simulate.registry import scheduler_names
from hadaropt.simulate.rounds import run_rounds
from hadaropt.testing import instances
from hadaropt.utility import Linear


@settings(deadline=None, max_examples=40)
@given(instances())
def test_every_scheduler_makes_feasible_schedules(instance):
    for name in scheduler_names():
        checked = check_schedule(instance, run_rounds(instance, name).schedule)
        assert checked.value >= 0


def test_a_scheduler_in_brackets_is_told_wrong_iterations():
    jobs = [
        Job("short", 0, 1, 300, {"V100": 1}, Linear(100, 1)),
        Job("long", 0, 1, 900, {"V100": 1}, Linear(100, 1)),
    ]
    instance = Instance(Cluster.of({"n0": {"V100": 1}}), jobs, 8, 100)
    right = run_rounds(instance, "srtf")
    told = declare(instance, "unknown")
    unknown = run_rounds(instance, "srtf[iterations=unknown]")
    assert unknown.schedule == run_rounds(instance, "srtf", told).schedule
    assert unknown.scheduler == "misinformed:srtf" and right.completion == (2, None)
    assert run_rounds(instance, "srtf[iterations=1]").schedule == right.schedule
    half = run_rounds(instance, "srtf [iterations=1/2]")  # in the same order
    assert half.schedule == right.schedule


@pytest.mark.parametrize(
    ("scheduler", "said"),
    [
        ("srtf[iteration=2]", 'did you mean "iterations"'),
        ("srtf[iterations=0]", "iterations"),
        ("srt[iterations=2]", 'did you mean "srtf"'),
        ("srtf[", "must be NAME or NAME"),
        ("srtf[iterations=2]", "must not declare iterations: told declares them"),
    ],
)
def test_a_bad_text_of_a_scheduler_is_named(scheduler, said):
    job = Job("a", 0, 1, 300, {"V100": 1}, Linear(9, 1))
    instance = Instance(Cluster.of({"n0": {"V100": 1}}), [job], 8, 100)
    with pytest.raises(InstanceError, match=said):
        run_rounds(instance, scheduler, instance)
