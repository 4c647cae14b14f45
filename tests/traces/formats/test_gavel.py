"""Gavel's forms."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from tests.traces.written import read_written


@pytest.mark.parametrize(
    ("line", "form", "weight"),
    [
        ("A3C\tcd x && run\t--n\t0\t500\t12.5\t4", "gavel-7", 1),
        ("A3C\trun\t--n\t0\t500\t4\t2.5\t-1.0\t12.5", "gavel-9", Fraction(5, 2)),
        ("A3C\trun\trl\t--n\t0\t500\t4\t2\t-1.0\t12.5", "gavel-10", 2),
        ("A3C\trun\trl\t--n\t0\t500\t4\tgns\t2\t-1.0\t300\t12.5", "shockwave", 2),
    ],
)
def test_gavel_forms(tmp_path: Path, line: str, form: str, weight: object) -> None:
    trace = read_written(tmp_path, line + "\n" + line + "\n", "t.trace")
    job = trace.jobs[1]
    assert (trace.format, trace.rows, trace.origin_seconds) == (form, 2, Fraction(25, 2))
    assert (job.name, job.model, job.iterations, job.num_gpus) == ("job-000001", "A3C", 500, 4)
    assert job.weight == weight
    assert job.duration_seconds == (300 if form == "shockwave" else None)
    assert job.status == ("gns" if form == "shockwave" else "UNKNOWN")


def test_gavel_rows_without_steps_or_with_a_weight_of_zero_are_dropped(tmp_path: Path) -> None:
    rows = [f"A3C\trun\trl\t--n\t0\t{steps}\t4\t{weight}\t-1\t0" for steps, weight in
            (("", 1), (0, 1), (-5, 1), (5, 0), (5, 1))]  # fmt: skip
    trace = read_written(tmp_path, "\n".join(rows), "t.trace")
    assert len(trace.jobs) == 1
    assert dict(trace.dropped) == {
        "iterations missing or below 1": 3,
        "priority weight not positive": 1,
    }
