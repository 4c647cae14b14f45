from __future__ import annotations

import pytest

from hadaropt.forking.training.engines.engine import SimulatedNodes
from hadaropt.forking.training.loop import Training
from hadaropt.forking.training.options import TrainingJob
from hadaropt.forking.training.planned import planned
from hadaropt.forking.training.proportional import JobView

from .toy import Slope

ONE = 1_000_000


def test_on_related_nodes_the_shortest_job_gets_all_of_them():
    """Theorem H6."""
    speeds = {"n0": 4 * ONE, "n1": 2 * ONE, "n2": ONE}
    jobs = [JobView("long", 7000, 3, speeds), JobView("short", 700, 3, speeds)]
    plan = planned("jct", round_seconds=10)
    assert plan(jobs) == {"short": {"n0": 400, "n1": 200, "n2": 100}}


def test_busy_nodes_are_not_enough():
    """Theorem H4: both assignments keep both nodes busy, one is ten times slower."""
    jobs = [
        JobView("a", 100, 1, {"x": 10 * ONE, "y": ONE}),
        JobView("b", 100, 1, {"x": ONE, "y": 10 * ONE}),
    ]
    plan = planned("makespan", round_seconds=10)
    assert plan(jobs) == {"a": {"x": 100}, "b": {"y": 100}}


def test_a_job_gets_only_nodes_that_can_run_it_and_no_more_than_its_copies():
    jobs = [
        JobView("a", 1000, 1, {"x": ONE, "y": ONE}),
        JobView("b", 1000, 3, {"y": ONE, "z": ONE}),
    ]
    plan = planned("makespan", round_seconds=10, round_steps=10)(jobs)
    assert plan == {"a": {"x": 10}, "b": {"y": 5, "z": 5}}
    assert planned("jct", round_seconds=1)([]) == {}


@pytest.mark.parametrize("objective", ["jct", "makespan"])
def test_training_by_the_planner_makes_exactly_its_steps(objective):
    jobs = [TrainingJob(Slope("long"), 900), TrainingJob(Slope("short"), 90, max_copies=2)]
    engine = SimulatedNodes({"n0": 40, "n1": 20, "n2": 10})
    plan = planned(objective, round_seconds=2, round_steps=60)
    training = Training(jobs, engine, plan=plan)
    training.run()
    for name, steps in (("long", 900), ("short", 90)):
        assert training.tracker.done(name) == steps
        assert sum(r.steps for r in training.copies if r.job == name) == steps
    assert max(len([r for r in training.copies if r[:2] == ("short", k)]) for k in range(2)) <= 2
