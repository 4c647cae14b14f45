import subprocess
import sys
from fractions import Fraction

import pytest

from hadaropt.simulate.registry import scheduler_names
from tests.simulate.small import HALF, finish, job, rounds_of, run


class Script:
    """Plays back placements by round."""

    name = "script"

    def __init__(self, *rounds):
        self.rounds = rounds

    def plan(self, view):
        return self.rounds[view.round] if view.round < len(self.rounds) else {}


ON_FAST, ON_SLOW = ((0, 0, 1),), ((1, 1, 1),)


def test_a_job_of_one_second_has_a_jct_of_one_second():
    found = run("fast=1", "yarn", job("a", 0, 1, 1), tau=360)
    assert finish(found) == {"a": 1}
    assert found.jct == {0: 1}


def test_completion_is_an_exact_instant_inside_the_round():
    found = run("fast=1", "yarn", job("a", 0, 1, 10, throughput={"fast": "0.3"}), tau=20)
    # Six iterations a round; the last four take 4 / 0.3 s.
    assert finish(found) == {"a": 20 + Fraction(40, 3)}
    assert [use.steps for use in found.uses] == [6, 4]
    assert found.uses[-1].seconds == Fraction(40, 3)


def test_the_restart_is_charged_when_the_allocation_changes_and_only_then():
    plan = [{0: ON_FAST}, {0: ON_FAST}, {0: ON_SLOW}, {}, {0: ON_SLOW}]
    found = run("fast=1,slow=1", Script(*plan), job("a", 0, 1, 275), restart_seconds=10)
    assert [use.restarted for use in found.uses] == [True, False, True, True]
    # 90, 100, 45 iterations; the last 40 take 80 s after the restart of round 4.
    assert [use.steps for use in found.uses] == [90, 100, 45, 40]
    assert finish(found) == {"a": 490}
    kinds = [event.kind for event in found.events]
    assert kinds == ["arrive", "start", "move", "pause", "resume", "finish"]


def test_the_clock_goes_over_idle_gaps_to_the_round_after_the_arrival():
    found = run("fast=1", "yarn", job("a", 0, 1, 10), job("b", "1000.5", 1, 10))
    assert finish(found) == {"a": 10, "b": 1110}
    assert [use.round for use in found.uses] == [0, 11]


def test_a_job_that_arrives_at_a_round_start_runs_in_it():
    found = run("fast=1", "yarn", job("a", 300, 1, 10))
    assert finish(found) == {"a": 310}


def test_equal_arrivals_go_by_their_place_in_the_workload():
    found = run("fast=1", "yarn", job("z", 0, 1, 100), job("a", 0, 1, 100))
    assert finish(found) == {"z": 100, "a": 200}


def test_jobs_that_can_never_run_are_reported_and_the_run_ends():
    found = run(
        "fast=2",
        "yarn",
        job("wide", 0, 3, 10),
        job("nowhere", 0, 1, 10, throughput={}),
        job("slow", 0, 1, 10, throughput={"fast": "0.001"}),
        job("fine", 0, 2, 10),
    )
    assert finish(found) == {"fine": 10}
    assert {j: why.split(" ")[0:4] for j, why in found.unschedulable.items()} == {
        0: ["its", "gang", "of", "3"],
        1: ["its", "throughput", "is", "zero"],
        2: ["it", "makes", "less", "than"],
    }


def test_a_gang_that_its_scheduler_never_places_ends_the_run():
    class Never:
        name = "never"
        may_starve = True

        def plan(self, view):
            return {q.index: ON_FAST for q in view.queue if q.job.name == "b"}

    found = run("fast=1,slow=1", Never(), job("mixed", 0, 2, 10), job("b", 50, 1, 10))
    assert finish(found) == {"b": 110}
    assert found.unschedulable == {0: "it was never placed by never"}


def test_a_scheduler_cannot_reach_jobs_that_arrive_later():
    class Curious:
        name = "curious"
        seen = ()

        def plan(self, view):
            self.seen += (tuple(own.name for own in view.problem.jobs),)
            with pytest.raises(IndexError):
                view.problem.jobs[len(view.problem.jobs)]
            return {view.queue[0].index: ON_FAST}

    scheduler = Curious()
    run("fast=1,slow=1", scheduler, job("a", 0, 1, 150), job("b", 100, 1, 10))
    assert scheduler.seen == (("a",), ("a", "b"), ("a", "b"))


def test_a_scheduler_cannot_change_what_it_is_shown():
    class Cheat:
        name = "cheat"

        def plan(self, view):
            with pytest.raises(AttributeError):
                view.queue[0].remaining = 1
            return {0: ON_FAST}

    assert finish(run("fast=1,slow=1", Cheat(), job("a", 0, 1, 150))) == {"a": 150}


def test_two_gangs_of_half_the_cluster_never_deadlock():
    jobs = [job(name, 0, 2, 150) for name in "abc"]
    for name in scheduler_names():
        found = run("fast=1x4", name, *jobs)
        assert len(found.finish) == 3, name
        assert found.unschedulable == {}, name


def test_a_spread_gang_runs_slower():
    gang = job("a", 0, 2, 100, spread_factor=HALF)
    assert finish(run("fast=2x1", "yarn", gang)) == {"a": 200}
    assert finish(run("fast=1x2", "yarn", gang)) == {"a": 100}


def test_a_round_without_progress_does_not_go_on_for_ever():
    class Swap:
        name = "swap"

        def plan(self, view):
            return {0: ((view.round % 2, 0, 1),)}

    found = run(
        "fast=2x1", Swap(), job("a", 0, 1, 10, throughput={"fast": "0.01"}), restart_seconds=1
    )
    assert found.unschedulable == {0: "it made no progress under swap"}


def test_an_empty_workload_runs():
    assert run("fast=1", "yarn").finish == {}


HASHED = """
from tests.simulate.small import job, run
for name in {names!r}:
    jobs = [job(n, i * 30, 1 + i % 3, 40 + 37 * i % 200) for i, n in enumerate("abcdefgh")]
    found = run("fast=1x2,slow=2x2", name, *jobs, restart_seconds=7)
    print(name, found.uses, found.events, found.finish)
"""


def test_runs_are_equal_under_other_hash_seeds():
    code = HASHED.format(names=scheduler_names())
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1234")
    }
    assert len(outputs) == 1
    assert len(outputs.pop()) > 1000


def test_rounds_are_named(capsys):
    found = run("fast=1x2", "yarn", job("a", 0, 2, 150))
    assert rounds_of(found) == {0: {"a": {"fast": 2}}, 1: {"a": {"fast": 2}}}
