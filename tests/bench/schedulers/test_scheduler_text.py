"""Schedulers that are told wrong iterations, on workloads."""

from __future__ import annotations

import pytest

from hadaropt import Cluster
from hadaropt.bench.schedulers.scheduler_text import declare_workload, scheduler_from_text
from hadaropt.bench.schedulers.suite import run_one, workload_sha256
from hadaropt.errors import InstanceError
from hadaropt.generate import generate_workload
from hadaropt.workload import Workload, WorkloadJob


def test_a_workload_is_declared_as_an_instance_is():
    jobs = [
        WorkloadJob("a", 0, 1, 10, {"V100": 2, "K80": 1}),
        WorkloadJob("b", 0, 1, 30, {"K80": 2}),
    ]
    workload = Workload(Cluster.of({"n": {"V100": 1, "K80": 1}}), jobs)

    def told(iterations):
        return [job.iterations for job in declare_workload(workload, iterations).jobs]

    assert (told("1/3"), told(2), told("unknown")) == ([4, 10], [20, 60], [20, 20])


@pytest.mark.parametrize(
    ("text", "name", "told"),
    [("hadar", "hadar", None), ("gavel:isolated [iterations=1/2]", "gavel:isolated", 0.5)],
)
def test_names_and_parameters(text, name, told):
    assert scheduler_from_text(text) == (name, told)
    assert scheduler_from_text("srtf[iterations=unknown]") == ("srtf", "unknown")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hadr[iterations=2]", 'did you mean "hadar"'),
        ("hadar[iteration=2]", 'did you mean "iterations"'),
        ("hadar[iterations=0]", "must be > 0 or unknown"),
        ("hadar[iterations]", "must be PARAMETER=VALUE"),
        ("hadar[", "must be NAME or NAME"),
    ],
)
def test_what_is_wrong_is_named(text, said):
    with pytest.raises(InstanceError, match=said):
        scheduler_from_text(text)


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
