"""The small files that ship with the package: one per format, in its original layout."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from hadaropt.traces import format_names, inspect_trace, read_trace, render_inspection

EDGE = Path(str(files("hadaropt.traces") / "edge"))

# file: format, jobs kept in order, rows dropped by reason
EXPECTED: dict[str, tuple[str, list[str], dict[str, int]]] = {
    "normalised.csv": (
        "normalised",
        ["tie-1", "tie-2", "huge", "late"],
        {
            "duration missing or NaN": 1,
            "fractional number of GPUs": 1,
            "negative duration": 1,
            "repeated job id in a different row": 1,
            "repeated row": 1,
            "submit time missing or NaN": 1,
            "zero GPUs": 1,
            "zero duration": 1,
        },
    ),
    "philly.csv": (
        "philly-csv",
        ["job-000001", "job-000002", "job-000000"],
        {"zero duration": 1},
    ),
    "philly.json": (
        "philly-json",
        ["retried"],
        {
            "an attempt without recorded times": 1,
            "gang size differs between attempts": 1,
            "negative duration": 1,
            "never started": 1,
            "still running at the end of the trace": 1,
        },
    ),
    "itp.csv": (
        "itp",
        ["22222222-0000-0000-0000-000000000000", "11111111-0000-0000-0000-000000000000"],
        {"zero duration": 1},
    ),
    "elasticflow.csv": ("elasticflow", ["a"], {"iterations missing or below 1": 1}),
    "elasticflow_philly.csv": ("elasticflow-philly", ["0"], {"zero GPUs": 1}),
    "openb.csv": (
        "openb",
        ["running", "whole"],
        {
            "fractional number of GPUs": 1,
            "never started": 1,
            "zero GPUs": 1,
            "zero duration": 1,
        },
    ),
    "tiresias.csv": ("tiresias", ["0", "1"], {}),
    "tiresias_tf.csv": ("tiresias-tf", ["10"], {"repeated row": 1}),
    "muri.csv": ("muri", ["0", "1"], {}),
    "chronus.csv": ("chronus", ["0"], {"zero GPUs": 1}),
    "gavel.csv": ("gavel-csv", ["0", "1"], {"zero duration": 1}),
    "gavel_7.trace": ("gavel-7", ["job-000001", "job-000000"], {}),
    "gavel_9.trace": ("gavel-9", ["job-000000"], {"zero GPUs": 1}),
    "gavel_10.trace": ("gavel-10", ["job-000000"], {"priority weight not positive": 1}),
    "shockwave.trace": ("shockwave", ["job-000000", "job-000001"], {}),
    "helios.csv": (
        "helios",
        ["1"],
        {
            "never started": 1,
            "still running at the end of the trace": 1,
            "zero GPUs": 1,
            "zero duration": 1,
        },
    ),
    "acme_seren.csv": ("acme-seren", ["1"], {"zero GPUs": 1}),
    "acme_kalos.csv": ("acme-kalos", ["a"], {"never started": 1}),
    "pai_tasks.csv": (
        "pai-tasks",
        ["gang"],
        {
            "fractional number of GPUs": 1,
            "never started": 2,
            "still running at the end of the trace": 1,
            "task of a job already counted": 1,
            "zero GPUs": 1,
        },
    ),
    "pai_jobs.csv": (
        "pai-jobs",
        ["a"],
        {"fractional number of GPUs": 1, "zero GPUs": 1, "zero duration": 1},
    ),
    "standard.swf": (
        "swf",
        ["2", "1"],
        {
            "duration missing or NaN": 1,
            "partial execution of a job that has no line of its own": 1,
        },
    ),
    "slurm.txt": (
        "slurm",
        ["100", "101_1", "102", "107", "109+0"],
        {
            "GPUs of several types": 1,
            "attempts that overlap": 1,
            "further component of a heterogeneous job": 1,
            "job step": 2,
            "negative duration": 1,
            "never started": 1,
            "row of another number of fields (a | in a name?)": 1,
            "run of a requeued job already counted": 2,
            "still running at the end of the trace": 1,
            "zero GPUs": 1,
        },
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_kept_and_dropped(name: str) -> None:
    form, kept, dropped = EXPECTED[name]
    trace = read_trace(EDGE / name)
    assert trace.format == form
    assert [job.name for job in trace.jobs] == kept
    assert dict(trace.dropped) == dropped
    assert trace.rows == len(kept) + sum(dropped.values())


def test_every_format_has_a_file_and_every_file_is_here() -> None:
    assert {form for form, *_ in EXPECTED.values()} == set(format_names())
    assert {path.name for path in EDGE.iterdir()} == set(EXPECTED)


@pytest.mark.parametrize("change", ["crlf", "bom", "trailing blank lines"])
@pytest.mark.parametrize("name", EXPECTED)
def test_line_ends_and_bom_change_nothing(tmp_path: Path, name: str, change: str) -> None:
    text = (EDGE / name).read_bytes().replace(b"\r\n", b"\n")
    changed = {
        "crlf": text.replace(b"\n", b"\r\n"),
        "bom": b"\xef\xbb\xbf" + text,
        "trailing blank lines": text + b"\n \n\n",
    }[change]
    path = tmp_path / name
    path.write_bytes(changed)
    assert read_trace(path) == read_trace(EDGE / name)


@pytest.mark.parametrize("name", EXPECTED)
def test_every_file_can_be_inspected_or_says_why_not(name: str) -> None:
    text = render_inspection(inspect_trace(read_trace(EDGE / name)))
    assert text.startswith(f"{name}: {EXPECTED[name][0]}\n")


def test_a_gang_wider_than_the_cluster_is_reported() -> None:
    seen = inspect_trace(read_trace(EDGE / "normalised.csv"))
    reason = "needs 512 GPUs, the cluster has 60"
    assert seen.unschedulable == (("huge", reason),)
