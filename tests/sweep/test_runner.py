"""The owner of a process: limits, deaths and what it said last."""

from __future__ import annotations

import pytest

from hadaropt.sweep.runner import TRIES, Runner
from hadaropt.sweep.sources import source_hash
from tests.sweep.cells import HERE, task


@pytest.fixture(scope="module")
def runner():
    own = Runner()
    yield own
    own.close()


def run(runner, name, **payload):
    return runner.run(task(name, **payload), None, source_hash())


def test_one_process_serves_one_task_after_the_other(runner):
    first = run(runner, "whoami", x=1)
    second = run(runner, "whoami", x=2)
    assert (first.status, first.result) == ("done", second.result)
    assert second.compile_seconds == 0.0


def test_a_task_is_stopped_at_its_limit_and_the_next_one_has_a_new_process(runner):
    before = run(runner, "whoami", x=3)
    late = run(runner, "hangs", seconds=0.5)
    assert (late.status, late.reason, late.tries) == ("timeout", "stopped at its limit of 0.5 s", 1)
    after = run(runner, "whoami", x=4)
    assert after.status == "done" and after.result != before.result


def test_a_death_is_tried_again_and_then_said_with_the_last_words(runner, tmp_path):
    dead = run(runner, "dies", x=1)
    assert (dead.status, dead.tries) == ("crash", TRIES)
    assert dead.reason.startswith("its process died (") and dead.reason.endswith(", 3 times")
    once = run(runner, "dies_once", mark=str(tmp_path / "mark"))
    assert (once.status, once.tries) == ("done", 2)


def test_what_it_prints_is_no_answer(runner):
    found = run(runner, "prints", x=1)
    assert found.status == "done"


def test_a_new_process_warms_up_outside_of_the_limit():
    runner = Runner((f"{HERE}:warm", {"seconds": 0.05}))
    try:
        assert runner.warm_up() >= 0.05
        outcome = runner.run(task("double", x=1), None, source_hash())
        assert (outcome.status, outcome.compile_seconds) == ("done", 0.0)
    finally:
        runner.close()
