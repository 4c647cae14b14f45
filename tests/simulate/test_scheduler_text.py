"""Schedulers that are told wrong iterations, on workloads."""

from __future__ import annotations

import pytest

from hadaropt import Cluster
from hadaropt.errors import InstanceError
from hadaropt.simulate.scheduler_text import declare_workload, scheduler_from_text
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
