"""Workload files."""

from __future__ import annotations

import copy
import gzip
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from hadaropt.io import (
    read_workload,
    write_workload,
)
from tests.instances_strategy import to_text
from tests.io.documents import J0, MISSING, Path_, changed, refused
from tests.oracle import Json

# ---------------------------------------------------------------- workloads

WORKLOAD: Json = {
    "format": "hadaropt-workload/1",
    "name": "w",
    "accelerators": ["V100", "P100"],
    "nodes": [{"name": "n0", "gpus": {"V100": 2, "P100": 2}}],
    "jobs": [
        {
            "name": name,
            "submit_seconds": Decimal("12.5"),
            "gang_size": 2,
            "iterations": 4000,
            "throughput": {"V100": Decimal("4.0")},
            "spread_factor": "1/2",
            "max_copies": 2,
            "weight": 1,
        }
        for name in "ab"
    ],
}


def test_workload_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "w.json.gz"
    path.write_bytes(gzip.compress(to_text(WORKLOAD).encode()))
    workload = read_workload(path)
    assert workload.jobs[0].submit_seconds == Fraction(25, 2)
    write_workload(workload, path)
    assert read_workload(path) == workload


def test_workload_defaults(tmp_path: Path) -> None:
    short = copy.deepcopy(WORKLOAD)
    del short["name"]
    for name in ("spread_factor", "max_copies", "weight"):
        del short["jobs"][0][name]
    path = tmp_path / "w.json"
    path.write_text(to_text(short))
    job = read_workload(path).jobs[0]
    assert (job.spread_factor, job.max_copies, job.weight) == (1, None, 1)
    write_workload(read_workload(path), path)
    assert read_workload(path).jobs[0] == job


@pytest.mark.parametrize(
    ("place", "value", "text"),
    [
        (("format",), "hadaropt-workload/2", "is version 2, but"),
        (("format",), "hadaropt-instance/1", 'must be "hadaropt-workload/1"'),
        (("num_rounds",), 4, "num_rounds, is an unknown field"),
        (("jobs",), MISSING, "jobs, is missing"),
        (("nodes",), [], "must have at least one node"),
        ((*J0, "submit_seconds"), -1, "jobs[0].submit_seconds = -1, must be >= 0"),
        ((*J0, "submit_seconds"), MISSING, "jobs[0].submit_seconds, is missing"),
        ((*J0, "release"), 1, "jobs[0].release, is an unknown field"),
        ((*J0, "utility"), {}, "jobs[0].utility, is an unknown field"),
        ((*J0, "weight"), "-1/2", "jobs[0].weight = -1/2, must be >= 0"),
        ((*J0, "gang_size"), 0, "jobs[0].gang_size = 0, must be >= 1"),
        ((*J0, "iterations"), 0, "jobs[0].iterations = 0, must be >= 1"),
        ((*J0, "spread_factor"), 2, "jobs[0].spread_factor = 2, must be > 0 and <= 1"),
        ((*J0, "max_copies"), None, "jobs[0].max_copies = null, must be a number"),
        ((*J0, "throughput", "T4"), 0, "jobs[0].throughput.T4, is an unknown field"),
        ((*J0, "throughput", "V100"), -1, "jobs[0].throughput.V100 = -1, must be >= 0"),
        (("jobs", 1, "name"), "a", 'jobs[1].name = "a", is a duplicate of jobs[0].name'),
    ],
)
def test_bad_workload(place: Path_, value: Any, text: str, tmp_path: Path) -> None:
    message = refused(to_text(changed(WORKLOAD, place, value)), tmp_path, read_workload)
    assert text in message
