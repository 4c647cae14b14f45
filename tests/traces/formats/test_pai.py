"""Alibaba's PAI."""

from __future__ import annotations

from pathlib import Path

import pytest

from hadaropt.traces import Trace
from tests.traces.written import read_written


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
    trace = read_written(tmp_path, "\n".join(rows))
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
    assert read_written(tmp_path, f"{header}\n{row}\n").jobs == read_written(tmp_path, row).jobs


PAI_JOBS = "job_id,num_inst,submit_time,num_cpu,num_gpu,gpu_type,duration,user\n"


@pytest.mark.parametrize(
    ("instances", "each", "reason"),
    [
        ("4", "0.25", "fractional number of GPUs"),
        ("0.5", "2", "fractional number of GPUs"),
        ("-2", "-2", "negative number of GPUs"),
        ("-1", "1", "negative number of GPUs"),
        ("", "1", "number of GPUs missing or NaN"),
        ("1", "nan", "number of GPUs missing or NaN"),
        ("0", "1", "zero GPUs"),
    ],
)
def test_a_product_hides_no_bad_factor(
    tmp_path: Path, instances: str, each: str, reason: str
) -> None:
    rows = f"j,{instances},0,1,{each},V100,10,u\n"
    assert dict(read_written(tmp_path, PAI_JOBS + rows).dropped) == {reason: 1}


def task_rows(folder: Path, *rows: str) -> Trace:
    return read_written(folder, "\n".join(rows) + "\n")


def test_a_task_row_that_stands_twice_does_not_double_the_gang(tmp_path: Path) -> None:
    worker = "j1,worker,2,Terminated,100,700,600,29,100,V100"
    chief = "j1,chief,1,Terminated,100,700,600,29,100,V100"
    trace = task_rows(tmp_path, worker, chief, worker, worker.replace("worker,2", "worker,3"))
    assert [(job.name, job.num_gpus) for job in trace.jobs] == [("j1", 3)]
    assert dict(trace.dropped) == {
        "repeated row": 1,
        "repeated task of a job in a different row": 1,
        "task of a job already counted": 1,
    }


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("worker,1,Terminated,500,100,600,29,100,V100", "negative duration"),
        ("worker,1,Terminated,500,500,600,29,100,V100", "zero duration"),
        ("worker,-1,Terminated,100,500,600,29,100,V100", "negative number of GPUs"),
        ("worker,1,Terminated,100,500,600,29,-100,V100", "negative number of GPUs"),
        ("worker,0.5,Terminated,100,500,600,29,200,V100", "fractional number of GPUs"),
    ],
)
def test_the_other_tasks_of_a_job_hide_no_bad_one(tmp_path: Path, bad: str, reason: str) -> None:
    trace = task_rows(tmp_path, f"j1,{bad}", "j1,chief,1,Terminated,100,600,600,29,100,V100")
    assert [(job.name, job.num_gpus, job.duration_seconds) for job in trace.jobs] == [
        ("j1", 1, 500)
    ]
    assert dict(trace.dropped) == {reason: 1}


def test_tasks_without_a_job_name_are_no_job(tmp_path: Path) -> None:
    row = ",worker,1,Terminated,100,600,600,29,100,V100"
    trace = task_rows(tmp_path, row, row.replace("worker", "chief"))
    assert dict(trace.dropped) == {"job id missing": 2}
