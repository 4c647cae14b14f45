"""Conventions of each format, on small files written here in the original layouts."""

from __future__ import annotations

import gzip
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt.traces import Trace, format_names, read_trace
from hadaropt.traces.formats.layout import TableFormat
from hadaropt.traces.registry import FORMATS


def _read(tmp_path: Path, text: str, name: str = "t.csv", **options: str) -> Trace:
    path = tmp_path / name
    path.write_text(text, newline="")
    return read_trace(path, **options)


LOOKALIKES = {
    "tiresias": ("job_id,num_gpu,submit_time,iterations,model_name,duration,interval", 1),
    "muri": (
        "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,"
        "iteration_time,resource_time_0,resource_time_1,resource_time_2,priority",
        Fraction(1, 1000),
    ),
    "chronus": (
        "job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,"
        "expect_time_list,expect_value_list,best_effort,job_type",
        60,
    ),
}


@pytest.mark.parametrize("form", LOOKALIKES)
def test_units_of_the_lookalikes(tmp_path: Path, form: str) -> None:
    header, unit = LOOKALIKES[form]
    values = {"submit_time": "5", "num_gpu": "2", "iterations": "9", "duration": "1500"}
    lines = [",".join({**values, "job_id": n}.get(c, "7") for c in header.split(",")) for n in "ab"]
    trace = _read(tmp_path, "\n".join([header, *lines]))
    assert (trace.format, trace.origin_seconds) == (form, 5 * unit)
    assert [job.duration_seconds for job in trace.jobs] == [1500 * unit] * 2
    assert trace.jobs[0].iterations == 9


def _philly(*attempts: tuple[str | None, str | None, int], **fields: object) -> dict[str, object]:
    record = {
        "status": "Pass",
        "vc": "v",
        "jobid": "a",
        "user": "u",
        "submitted_time": "2017-10-01 00:00:00",
        "attempts": [
            {
                "start_time": start,
                "end_time": end,
                "detail": [{"ip": f"m{i}", "gpus": ["gpu0"]} for i in range(gpus)],
            }
            for start, end, gpus in attempts
        ],
    }
    return record | fields


def test_philly_retries_add_up_without_the_waiting_between(tmp_path: Path) -> None:
    record = _philly(
        ("2017-10-01 00:10:00", "2017-10-01 00:20:00", 3),
        ("2017-10-01 05:00:00", "2017-10-01 05:00:30", 3),
    )
    trace = _read(tmp_path, json.dumps([record]))
    job = trace.jobs[0]
    assert (job.num_gpus, job.duration_seconds, job.status) == (3, 630, "Pass")
    assert trace.origin_seconds % 86400 == 0
    assert "Pacific" in (trace.calendar or "")


NONE = None
START, END = "2017-10-01 01:00:00", "2017-10-01 02:00:00"


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (_philly(), "never started"),
        (_philly((START, "None", 1)), "still running at the end of the trace"),
        (_philly((START, NONE, 1)), "still running at the end of the trace"),
        (_philly((START, "None", 1), (START, END, 1)), "an attempt without recorded times"),
        (_philly((NONE, END, 1)), "an attempt without recorded times"),
        (_philly((START, END, 1), (START, END, 2)), "gang size differs between attempts"),
        (_philly((START, END, 0)), "zero GPUs"),
        (_philly((START, START, 1)), "zero duration"),
        (_philly((END, START, 1)), "negative duration"),
        (_philly((START, END, 1), (END, START, 1), (START, END, 1)), "negative duration"),
        (_philly((START, END, 1), submitted_time="None"), "submit time missing or NaN"),
        (_philly((START, END, 1), submitted_time=None), "submit time missing or NaN"),
        (_philly((START, END, 1), jobid=""), "job id missing"),
    ],
)
def test_philly_drop_reasons(tmp_path: Path, record: object, reason: str) -> None:
    trace = _read(tmp_path, json.dumps([record]), "t.json")
    assert (trace.format, dict(trace.dropped)) == ("philly-json", {reason: 1})


def test_philly_csv_keeps_equal_rows_and_names_them_by_row(tmp_path: Path) -> None:
    row = "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
    early = "2017-10-09 07:01:54,0.5,2,1.0,11cb48\n"
    trace = _read(tmp_path, "timestamp,duration,num_gpus,gpu_time,cluster\n" + row * 2 + early)
    assert [job.name for job in trace.jobs] == ["job-000002", "job-000000", "job-000001"]
    assert [job.submit_seconds for job in trace.jobs] == [0, 1, 1]
    assert trace.jobs[0].duration_seconds == Fraction(1, 2)


OPENB = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n"
)


def test_openb_running_time_excludes_waiting(tmp_path: Path) -> None:
    rows = "p,1,1,2,1000,V100M16|V100M32,LS,Running,10,100,40\nq,1,1,1,999,,LS,Failed,10,100,40\n"
    trace = _read(tmp_path, OPENB + rows)
    job = trace.jobs[0]
    assert (job.num_gpus, job.duration_seconds) == (2, 60)
    assert (job.gpu_type, job.status) == ("V100M16|V100M32", "Running")
    assert dict(trace.dropped) == {"fractional number of GPUs": 1}


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
    trace = _read(tmp_path, line + "\n" + line + "\n", "t.trace")
    job = trace.jobs[1]
    assert (trace.format, trace.rows, trace.origin_seconds) == (form, 2, Fraction(25, 2))
    assert (job.name, job.model, job.iterations, job.num_gpus) == ("job-000001", "A3C", 500, 4)
    assert job.weight == weight
    assert job.duration_seconds == (300 if form == "shockwave" else None)
    assert job.status == ("gns" if form == "shockwave" else "UNKNOWN")


def test_gavel_rows_without_steps_or_with_a_weight_of_zero_are_dropped(tmp_path: Path) -> None:
    rows = [f"A3C\trun\trl\t--n\t0\t{steps}\t4\t{weight}\t-1\t0" for steps, weight in
            (("", 1), (0, 1), (-5, 1), (5, 0), (5, 1))]  # fmt: skip
    trace = _read(tmp_path, "\n".join(rows), "t.trace")
    assert len(trace.jobs) == 1
    assert dict(trace.dropped) == {
        "iterations missing or below 1": 3,
        "priority weight not positive": 1,
    }


def test_acme_clocks_and_running_time(tmp_path: Path) -> None:
    header = (
        "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,"
        "duration,queue,gpu_time\n"
    )
    times = "2023-03-01 00:00:00+08:00,2023-03-01 00:01:00+08:00,2023-03-01 00:03:00+08:00"
    trace = _read(tmp_path, header + f"a,u,1,8,1,T,FAILED,{times},999,0,0\n")
    assert trace.jobs[0].duration_seconds == 120
    assert trace.origin_seconds % 86400 == 0
    utc = times.replace("+08:00", "+00:00")
    trace = _read(tmp_path, header + f"a,u,1,8,1,T,FAILED,{utc},999,0,0\n")
    assert trace.origin_seconds % 86400 == 8 * 3600


def test_pai_tasks_of_a_job_are_one_gang(tmp_path: Path) -> None:
    rows = [
        "j,ps,2.0,Terminated,90.0,400.0,600.0,29.3,,",
        "j,worker,4.0,Terminated,100.0,300.0,600.0,29.3,100.0,V100",
        "j,chief,1.0,Terminated,150.0,350.0,600.0,29.3,200.0,V100",
        "k,worker,2.0,Terminated,100.0,200.0,600.0,29.3,50.0,T4",
        "l,worker,2.0,Failed,0.0,200.0,600.0,29.3,100.0,T4",
        "m,worker,2.0,Running,100.0,,600.0,29.3,100.0,T4",
        "n,worker,,Waiting,,,600.0,29.3,100.0,T4",
    ]
    trace = _read(tmp_path, "\n".join(rows))
    job = trace.jobs[0]
    assert (trace.format, trace.rows, len(trace.jobs)) == ("pai-tasks", 7, 1)
    assert (job.name, job.num_gpus, job.duration_seconds) == ("j", 6, 250)
    assert trace.origin_seconds == 100 + 8 * 3600
    assert dict(trace.dropped) == {
        "fractional number of GPUs": 1,
        "never started": 1,
        "number of GPUs missing or NaN": 1,
        "still running at the end of the trace": 1,
        "task of a job already counted": 1,
        "zero GPUs": 1,
    }


def test_pai_tasks_may_carry_their_header(tmp_path: Path) -> None:
    header = (
        "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type"
    )
    row = "j,worker,1.0,Terminated,100.0,300.0,600.0,29.3,100.0,V100"
    assert _read(tmp_path, f"{header}\n{row}\n").jobs == _read(tmp_path, row).jobs


SWF = [
    "; Version: 2.2",
    "; UnixStartTime: 1000",
    "1 10 5 60 4 -1 -1 8 100 -1 1 3 1 1 1 -1 -1 -1",
    "2 20 5 60 -1 -1 -1 8 100 -1 0 3 1 1 1 -1 -1 -1",
    "3 20 5 -1 4 -1 -1 8 100 -1 5 3 1 1 1 -1 -1 -1",
    "4 20 5 60 -1 -1 -1 -1 100 -1 1 3 1 1 1 -1 -1 -1",
    "5 20 5 60 4 -1 -1 8 100 -1 3 3 1 1 1 -1 -1 -1",
]


def test_standard_workload_format(tmp_path: Path) -> None:
    trace = _read(tmp_path, "\n".join(SWF), "t.swf")
    assert [(job.name, job.num_gpus) for job in trace.jobs] == [("1", 4), ("2", 8)]
    assert [job.status for job in trace.jobs] == ["COMPLETED", "FAILED"]
    assert (trace.origin_seconds, trace.calendar) == (1010, "UTC")
    assert dict(trace.dropped) == {
        "duration missing or NaN": 1,
        "number of GPUs missing or NaN": 1,
        "partial execution of a job that has no line of its own": 1,
    }
    assert _read(tmp_path, "\n".join(SWF[2:]), "u.swf").calendar is None


def test_gzip_reads_too(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"job_id,submission_time,duration,num_gpu\na,1,2,3\n"))
    assert read_trace(path).jobs[0].num_gpus == 3


def test_every_trace_states_its_conventions(tmp_path: Path) -> None:
    trace = _read(tmp_path, "job_id,submission_time,duration,num_gpu\na,1,2,3\n")
    assert "times are seconds since the start of the trace" in trace.conventions


def test_the_page_on_files_has_every_format_and_its_columns() -> None:
    page = (Path(__file__).parents[2] / "docs/formats.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \| [^|]+ \| (.*) \|$", page, re.M))
    assert [name for name in rows if name in format_names()] == list(format_names())
    for form in FORMATS:
        if isinstance(form, TableFormat):
            known = [*form.columns, *form.optional]
            assert re.findall(r"`(\w+)`", rows[form.name]) == known, form.name
            assert ("no header" in rows[form.name]) == (form.layout != "csv")
        else:
            assert form.conventions[0] in rows[form.name]
