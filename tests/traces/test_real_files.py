"""Every public file at hand: rows kept and dropped against counts made here another way.

The counts below never touch the loaders: each is a plain filter over ``csv.DictReader``,
``str.split`` or ``json.load`` with the condition written out.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hadaropt.traces import TraceError, read_trace

Record = dict[str, str]
Counts = tuple[int, int]  # rows, kept


def _dicts(path: Path) -> list[Record]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def _csv(keep: Callable[[Record], bool]) -> Callable[[Path], Counts]:
    def count(path: Path) -> Counts:
        rows = _dicts(path)
        return len(rows), sum(map(keep, rows))

    return count


def _lines(path: Path) -> Counts:
    lines = [line for line in path.read_text().split("\n") if line]
    return len(lines), len(lines)


def _whole(row: Record) -> bool:
    return row["num_gpus"].isdigit() and int(row["num_gpus"]) > 0


def _openb(row: Record) -> bool:
    count, share = int(row["num_gpu"]), int(row["gpu_milli"])
    return count > 0 and share > 0 and share % 1000 == 0 and row["scheduled_time"] != ""


def _helios(row: Record) -> bool:
    return int(row["gpu_num"]) > 0 and row["end_time"] != "" and row["duration"] not in {"", "0"}


def _acme(row: Record) -> bool:
    return int(row["gpu_num"]) > 0 and row["start_time"] != "" and row["end_time"] != ""


def _pai_jobs(row: Record) -> bool:
    return float(row["num_gpu"]) % 1 == 0 < float(row["num_gpu"]) and row["duration"] != "0"


def _pai_tasks(path: Path) -> Counts:
    rows = [line.split(",") for line in path.read_text().splitlines()]
    kept = {
        row[0]
        for row in rows
        if row[8]
        and float(row[8]) % 100 == 0
        and row[4] not in {"", "0.0"}
        and row[5] != ""
        and row[4] != row[5]
    }
    return len(rows), len(kept)


def _philly_json(path: Path) -> Counts:
    def timed(attempt: dict[str, Any]) -> bool:
        times = attempt["start_time"], attempt["end_time"]
        return None not in times and "None" not in times and times[0] < times[1]

    def size(attempt: dict[str, Any]) -> int:
        return sum(len(node["gpus"]) for node in attempt["detail"])

    records = json.loads(path.read_text())
    kept = [
        record
        for record in records
        if record["attempts"]
        and record["submitted_time"] != "None"
        and all(timed(attempt) for attempt in record["attempts"])
        and len({size(attempt) for attempt in record["attempts"]}) == 1
        and size(record["attempts"][0]) > 0
    ]
    return len(records), len(kept)


ALL = _csv(lambda row: True)
NORMALISED = _csv(lambda row: _whole(row) and row["duration_s"] not in {"", "0"})

FILES: list[tuple[str, str, Callable[[Path], Counts], Counts]] = [
    ("traces/elasticflow_philly_103959.csv", "normalised", NORMALISED, (876, 876)),
    ("traces/itp_all_first5000.csv", "normalised", NORMALISED, (5000, 5000)),
    ("traces/itp_cluster03.csv", "normalised", NORMALISED, (3011, 3011)),
    ("traces/itp_cluster06.csv", "normalised", NORMALISED, (2396, 2396)),
    ("traces/muri_trace1.csv", "normalised", NORMALISED, (1494, 1494)),
    ("traces/muri_trace2.csv", "normalised", NORMALISED, (5755, 5755)),
    ("traces/muri_trace3.csv", "normalised", NORMALISED, (992, 992)),
    ("traces/muri_trace4.csv", "normalised", NORMALISED, (2638, 2638)),
    ("traces/openb_gpu_pods.csv", "normalised", NORMALISED, (7064, 3630)),
    ("traces/philly_2017-10-09_3weeks.csv", "normalised", NORMALISED, (34684, 34684)),
    ("traces/philly_480_busyhours_seed0.csv", "normalised", NORMALISED, (480, 480)),
    ("traces/philly_480_hadar_bins_uniform_seed0.csv", "normalised", NORMALISED, (480, 480)),
    ("traces/philly_5000.csv", "normalised", NORMALISED, (5000, 5000)),
    ("traces/shockwave_120.csv", "normalised", NORMALISED, (120, 120)),
    ("traces/shockwave_220.csv", "normalised", NORMALISED, (220, 220)),
    ("traces/shockwave_460.csv", "normalised", NORMALISED, (460, 460)),
    ("traces/shockwave_900.csv", "normalised", NORMALISED, (900, 900)),
    ("traces/shockwave_900b.csv", "normalised", NORMALISED, (900, 900)),
    ("traces/tiresias_60_job.csv", "normalised", NORMALISED, (60, 60)),
    ("raw/philly_cluster_job_log.json", "philly-json", _philly_json, (4, 2)),
    ("raw/SYNTHETIC_philly_cluster_job_log_edges.json", "philly-json", _philly_json, (10, 2)),
    ("raw/pollux_philly.csv", "philly-csv", ALL, (2832, 2832)),
    ("raw/itp_cluster06.csv", "itp", ALL, (2396, 2396)),
    ("raw/itp_cluster10.csv", "itp", ALL, (260, 260)),
    ("raw/elasticflow_195job.csv", "elasticflow", ALL, (195, 195)),
    ("raw/elasticflow_cluster10.csv", "elasticflow", ALL, (260, 260)),
    ("raw/elasticflow_philly_103959.csv", "elasticflow-philly", ALL, (876, 876)),
    ("raw/openb_pod_list_default.csv", "openb", _csv(_openb), (1648, 710)),
    ("raw/openb_pod_list_gpuspec33.csv", "openb", _csv(_openb), (869, 507)),
    ("raw/tiresias_60_job.csv", "tiresias", ALL, (60, 60)),
    ("raw/muri_trace1.csv", "muri", ALL, (1494, 1494)),
    ("raw/muri_trace3.csv", "muri", ALL, (992, 992)),
    ("raw/muri_cluster_trace.csv", "muri", ALL, (400, 400)),
    (
        "raw/chronus_trace_job_Philly_MIX1.csv",
        "chronus",
        _csv(lambda row: row["num_gpu"] != "0"),
        (2583, 2399),
    ),
    ("raw/shockwave_120.trace", "shockwave", _lines, (120, 120)),
    ("raw/shockwave_220.trace", "shockwave", _lines, (220, 220)),
    ("raw/shockwave_460.trace", "shockwave", _lines, (460, 460)),
    ("raw/helios_cluster_log.csv", "helios", _csv(_helios), (3, 3)),
    ("raw/SYNTHETIC_helios_cluster_log_edges.csv", "helios", _csv(_helios), (8, 5)),
    ("raw/acme_trace_seren.csv", "acme-seren", _csv(_acme), (2, 2)),
    ("raw/acme_trace_kalos.csv", "acme-kalos", _csv(_acme), (2, 2)),
    ("raw/pai_task_table.csv", "pai-tasks", _pai_tasks, (1, 0)),
    ("raw/SYNTHETIC_pai_task_table_edges.csv", "pai-tasks", _pai_tasks, (9, 2)),
    ("raw/SYNTHETIC_pai_job_100K_format.csv", "pai-jobs", _csv(_pai_jobs), (5, 1)),
    ("gavel/traces/artifact_evaluation.csv", "gavel-csv", ALL, (15, 15)),
    ("gavel/traces/debug.csv", "gavel-csv", ALL, (14, 14)),
    ("gavel/traces/debug_v2.csv", "gavel-csv", ALL, (14, 14)),
    ("gavel/traces/gen100_poisson_multi.csv", "gavel-csv", ALL, (100, 100)),
    ("gavel/traces/gen100_static_multi.csv", "gavel-csv", ALL, (100, 100)),
    ("gavel/traces/gen40_poisson_single.csv", "gavel-csv", ALL, (40, 40)),
    ("gavel/traces/gen480_poisson_multi.csv", "gavel-csv", ALL, (480, 480)),
    ("gavel/traces/gen480_static_multi.csv", "gavel-csv", ALL, (480, 480)),
    ("gavel/traces/gt100_poisson600_1to4h.csv", "gavel-csv", ALL, (100, 100)),
    ("gavel/traces/gt480_static_1to4h.csv", "gavel-csv", ALL, (480, 480)),
    ("gavel/traces/highmem_test.csv", "gavel-csv", ALL, (8, 8)),
    ("gavel/traces/max_min_fairness.csv", "gavel-csv", ALL, (96, 96)),
    ("gavel/traces/medium_test.csv", "gavel-csv", ALL, (20, 20)),
    ("gavel/traces/micro_gap.csv", "gavel-csv", ALL, (2, 2)),
    ("gavel/traces/micro_jump.csv", "gavel-csv", ALL, (4, 4)),
    ("gavel/traces/micro_tail.csv", "gavel-csv", ALL, (2, 2)),
    ("gavel/traces/minimize_makespan.csv", "gavel-csv", ALL, (100, 100)),
    ("gavel/traces/msr_b436b2_480.csv", "gavel-csv", ALL, (480, 480)),
    ("gavel/traces/msr_e13805_480.csv", "gavel-csv", ALL, (480, 480)),
    ("gavel/traces/small_test.csv", "gavel-csv", ALL, (20, 20)),
]

NO_TRACES = {
    "gavel/throughputs.csv": "a throughput table",
    "traces/philly_480_hadar_bins_uniform_seed0.categories.csv": "size classes",
    "raw/helios_Earth_cluster_gpu_number.csv": "Helios table of GPUs",
    "raw/helios_Venus_cluster_gpu_number.csv": "Helios table of GPUs",
    "raw/openb_node_list_all_node.csv": "openb node list",
    "raw/openb_pod_list_multigpu50.csv": "pod list without times",
    "raw/pai_group_tag_table.csv": "PAI group table",
    "raw/pai_instance_table.csv": "PAI instance table",
    "raw/pai_job_table.csv": "PAI job table",
    "raw/pai_machine_spec.csv": "PAI machine list",
    "raw/philly_cluster_gpu_util.csv": "Philly utilisation log",
    "raw/philly_cluster_machine_list.csv": "Philly machine list",
    "raw/pollux_workload-6.csv": "Pollux or Sia workload",
    "raw/pollux_workload-realistic-1.csv": "Pollux or Sia workload",
    "raw/sia_philly_workload-1.csv": "Pollux or Sia workload",
    "raw/sia_rate50_workload-1.csv": "Pollux or Sia workload",
    "raw/tiresias_cluster_spec.csv": "Tiresias cluster",
    "raw/tiresias_n160g8.csv": "Tiresias cluster",
    "raw/tiresias_n1g4.csv": "Tiresias cluster",
    "raw/tiresias_n256g8.csv": "Tiresias cluster",
    "raw/tiresias_n32g4.csv": "Tiresias cluster",
    "raw/tiresias_yarn_gput1000.csv": "fit no format",
}


@pytest.mark.parametrize(("name", "form", "count", "expected"), FILES, ids=[f[0] for f in FILES])
def test_counts(
    data: Path, name: str, form: str, count: Callable[[Path], Counts], expected: Counts
) -> None:
    path = data / name
    trace = read_trace(path)
    assert trace.format == form
    assert (trace.rows, len(trace.jobs)) == count(path) == expected
    assert sum(trace.dropped.values()) == trace.rows - len(trace.jobs)
    assert read_trace(path, format=form) == trace
    submits = [job.submit_seconds for job in trace.jobs]
    assert submits == sorted(submits)
    assert not trace.jobs or submits[0] == 0
    assert len({job.name for job in trace.jobs}) == len(trace.jobs)


@pytest.mark.parametrize(("name", "phrase"), NO_TRACES.items())
def test_files_without_jobs_are_recognised(data: Path, name: str, phrase: str) -> None:
    with pytest.raises(TraceError, match=phrase):
        read_trace(data / name)


def test_every_file_is_covered(data: Path) -> None:
    seen = {name for name, *_ in FILES} | NO_TRACES.keys() | {"raw/tiresias_tf_job.csv"}
    folders = ("traces", "raw", "gavel/traces")
    there = {
        f"{folder}/{path.name}"
        for folder in folders
        for path in (data / folder).iterdir()
        if path.suffix not in {".md", ".header"}
    }
    assert there <= seen


def test_repeated_row_of_tiresias(data: Path) -> None:
    trace = read_trace(data / "raw" / "tiresias_tf_job.csv")
    assert (trace.format, len(trace.jobs)) == ("tiresias-tf", 1)
    assert dict(trace.dropped) == {"repeated row": 1}


@pytest.mark.parametrize(
    ("raw", "reduced"),
    [
        ("muri_trace1.csv", "muri_trace1.csv"),
        ("muri_trace3.csv", "muri_trace3.csv"),
        ("itp_cluster06.csv", "itp_cluster06.csv"),
        ("tiresias_60_job.csv", "tiresias_60_job.csv"),
        ("elasticflow_philly_103959.csv", "elasticflow_philly_103959.csv"),
        ("shockwave_120.trace", "shockwave_120.csv"),
        ("shockwave_220.trace", "shockwave_220.csv"),
        ("shockwave_460.trace", "shockwave_460.csv"),
    ],
)
def test_original_and_normalised_forms_agree(data: Path, raw: str, reduced: str) -> None:
    """The two were made from one source by different programs: units and columns are right."""
    first, second = read_trace(data / "raw" / raw), read_trace(data / "traces" / reduced)
    for ours, theirs in zip(first.jobs, second.jobs, strict=True):
        assert ours.submit_seconds == theirs.submit_seconds
        assert ours.num_gpus == theirs.num_gpus
        assert ours.duration_seconds == theirs.duration_seconds


def test_drop_reasons_of_openb(data: Path) -> None:
    path = data / "raw" / "openb_pod_list_default.csv"
    rows = _dicts(path)
    shares = [row for row in rows if row["num_gpu"] == "1" and row["gpu_milli"] != "1000"]
    waiting = [row for row in rows if row["scheduled_time"] == "" and row["num_gpu"] != "0"]
    assert dict(read_trace(path).dropped) == {
        "zero GPUs": sum(row["num_gpu"] == "0" for row in rows),
        "fractional number of GPUs": len(shares),
        "never started": sum(row not in shares for row in waiting),
    }
