"""Round schedulers on workloads as a sweep."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hadaropt.bench.ratio.sweep import Failure
from hadaropt.bench.schedulers.suite import (
    SchedulerSuite,
    SimulatedCell,
    run_one,
    scheduler_tasks,
    sweep_schedulers,
    workload_sha256,
)
from hadaropt.errors import InstanceError
from hadaropt.generate import generate_workload
from hadaropt.sweep import Store


def test_what_is_told_changes_decisions_and_not_the_jobs():
    workload = generate_workload("philly_like", seed=1, num_jobs=30)
    payload = {
        "family": "philly_like",
        "seed": 1,
        "jobs": 30,
        "parameters": {},
        "instance_sha256": workload_sha256(workload),
        "round_seconds": "360",
        "restart_seconds": "10",
        "objective": "jct",
    }

    def jct(text):
        return run_one({**payload, "scheduler": text}, None)["jct"]

    right, unknown = jct("srtf"), jct("srtf[iterations=unknown]")
    assert right.keys() == unknown.keys()
    assert right != unknown
    assert jct("tiresias") == jct("tiresias[iterations=10]")  # which looks at service only


def suite(**changes):
    own = {"families": ("gavel_like",), "schedulers": ("yarn", "srtf"), "seeds": 2, "jobs": 4}
    return SchedulerSuite(**(own | changes))


def test_cells_have_keys_by_what_their_result_depends_on():
    tasks = scheduler_tasks([suite()])
    assert [label for _, label in tasks] == ["gavel_like"] * 4
    keys = {task.key for task, _ in tasks}
    assert len(keys) == 4
    assert {task.key for task, _ in scheduler_tasks([suite(label="again")])} == keys
    for changes in ({"round_seconds": "300"}, {"restart_seconds": "0"}, {"objective": "slowdown"}):
        assert not {task.key for task, _ in scheduler_tasks([suite(**changes)])} & keys
    more = {task.key for task, _ in scheduler_tasks([suite(seeds=3)])}
    assert keys < more


def test_a_sweep_yields_every_cell_under_its_labels():
    store = Store(None)
    found = list(sweep_schedulers([suite(), suite(label="twice", seeds=1)], store))
    assert len(found) == 6 and all(isinstance(cell, SimulatedCell) for cell in found)
    assert sorted({cell.family for cell in found}) == ["gavel_like", "gavel_like twice"]
    assert len(store) == 4  # what is the same is computed once
    for cell in found:
        assert cell.figures["jobs"] == 4 and cell.figures["jct_s.mean"] > 0
        assert set(cell.seconds) >= {"build", "run", "check"}


def test_a_workload_that_cannot_be_made_fails_alone_and_a_suite_of_none_is_refused():
    good, bad = suite(seeds=1), suite(seeds=1, parameters={"spread_factor": 0}, label="bad")
    found = list(sweep_schedulers([good, bad], Store(None)))
    failures = [cell for cell in found if isinstance(cell, Failure)]
    assert len(found) == 4 and len(failures) == 2
    assert all("spread_factor" in failure.reason for failure in failures)
    with pytest.raises(InstanceError, match=r"^gavel_like seed 0.spread_factor = 0, must be > 0"):
        scheduler_tasks([bad])


def test_the_hash_of_a_workload_is_not_that_of_its_name():
    made = generate_workload("gavel_like", seed=1, num_jobs=3)
    assert workload_sha256(made) == workload_sha256(replace(made, name="other"))
    assert workload_sha256(made) != workload_sha256(replace(made, jobs=made.jobs[:2]))


def test_a_workload_that_is_another_here_is_said(monkeypatch):
    (task, _), *_ = scheduler_tasks([suite(seeds=1)])
    with pytest.raises(RuntimeError, match=r"the workload is .* here, and other there"):
        run_one({**task.payload, "instance_sha256": "other"}, None)
