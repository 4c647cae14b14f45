"""Every row is judged by itself, and dropped under its true reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hadaropt.traces import Trace, read_trace

OPENB = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n"
)
PAI_JOBS = "job_id,num_inst,submit_time,num_cpu,num_gpu,gpu_type,duration,user\n"
HELIOS = (
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
)


def _read(folder: Path, text: str, name: str = "t.csv") -> Trace:
    path = folder / name
    path.write_text(text)
    trace = read_trace(path)
    assert trace.rows == len(trace.jobs) + sum(trace.dropped.values())
    return trace


def test_shares_that_add_up_to_whole_gpus_are_fractional_requests(tmp_path: Path) -> None:
    rows = (
        "p1,1,1,1,500,,LS,Ok,1,100,1\np2,1,1,4,250,,LS,Ok,2,100,2\np3,1,1,2,1000,,LS,Ok,3,100,3\n"
    )
    trace = _read(tmp_path, OPENB + rows)
    assert [(job.name, job.num_gpus) for job in trace.jobs] == [("p3", 2)]
    assert dict(trace.dropped) == {"fractional number of GPUs": 2}


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
    assert dict(_read(tmp_path, PAI_JOBS + rows).dropped) == {reason: 1}


def _tasks(folder: Path, *rows: str) -> Trace:
    return _read(folder, "\n".join(rows) + "\n")


def test_a_task_row_that_stands_twice_does_not_double_the_gang(tmp_path: Path) -> None:
    worker = "j1,worker,2,Terminated,100,700,600,29,100,V100"
    chief = "j1,chief,1,Terminated,100,700,600,29,100,V100"
    trace = _tasks(tmp_path, worker, chief, worker, worker.replace("worker,2", "worker,3"))
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
    trace = _tasks(tmp_path, f"j1,{bad}", "j1,chief,1,Terminated,100,600,600,29,100,V100")
    assert [(job.name, job.num_gpus, job.duration_seconds) for job in trace.jobs] == [
        ("j1", 1, 500)
    ]
    assert dict(trace.dropped) == {reason: 1}


def test_tasks_without_a_job_name_are_no_job(tmp_path: Path) -> None:
    row = ",worker,1,Terminated,100,600,600,29,100,V100"
    trace = _tasks(tmp_path, row, row.replace("worker", "chief"))
    assert dict(trace.dropped) == {"job id missing": 2}


def test_an_end_before_the_start_is_not_hidden_by_a_duration(tmp_path: Path) -> None:
    row = "1,u,v,4,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 02:00:00,2020-04-01 01:00:00,60,0\n"
    assert dict(_read(tmp_path, HELIOS + row).dropped) == {"negative duration": 1}


def test_gpus_are_judged_before_start_and_end(tmp_path: Path) -> None:
    row = "1,u,v,-4,4,1,COMPLETED,2020-04-01 00:00:00,,,60,0\n"
    assert dict(_read(tmp_path, HELIOS + row).dropped) == {"negative number of GPUs": 1}


ATTEMPT = {
    "start_time": "2017-10-01 01:00:00",
    "end_time": "2017-10-01 02:00:00",
    "detail": [{"ip": "m", "gpus": ["gpu0", "gpu1"]}],
}


@pytest.mark.parametrize(
    ("attempts", "reason"),
    [
        ([ATTEMPT, ATTEMPT], "an attempt that stands twice"),
        (
            [ATTEMPT | {"detail": [{"ip": "m", "gpus": ["gpu0", "gpu0"]}]}],
            "a GPU that stands twice in an attempt",
        ),
        (
            [ATTEMPT | {"detail": 2 * [{"ip": "m", "gpus": ["gpu0"]}]}],
            "a GPU that stands twice in an attempt",
        ),
    ],
)
def test_what_stands_twice_in_a_philly_record_is_not_added_up(
    tmp_path: Path, attempts: list[object], reason: str
) -> None:
    record = {
        "status": "Pass",
        "jobid": "a",
        "submitted_time": "2017-10-01 00:00:00",
        "attempts": attempts,
    }
    assert dict(_read(tmp_path, json.dumps([record]), "t.json").dropped) == {reason: 1}


def _swf(number: int, submit: int, status: int) -> str:
    return f"{number} {submit} 5 100 4 -1 -1 4 -1 -1 {status} 1 1 -1 1 -1 -1 -1"


def test_partial_lines_are_dropped_under_their_own_reason(tmp_path: Path) -> None:
    lines = (_swf(1, 0, 1), _swf(1, 0, 2), _swf(1, 9, 3), _swf(2, 10, 2), _swf(2, 10, 4))
    trace = _read(tmp_path, "\n".join(lines), "t.swf")
    assert [job.name for job in trace.jobs] == ["1"]
    assert dict(trace.dropped) == {
        "partial execution of a job that has no line of its own": 2,
        "partial execution, summed up in the job's own line": 2,
    }


def test_a_missing_job_number_is_no_name(tmp_path: Path) -> None:
    trace = _read(tmp_path, "\n".join([_swf(-1, 0, 1), _swf(-1, 5, 1)]), "t.swf")
    assert dict(trace.dropped) == {"job id missing": 2}


@pytest.mark.parametrize(
    "comment",
    [
        b"; Installation: Universit\xe9",
        b"; page\x0cbreak \x85 \x1c here",
        "; a line \u2028 separator".encode(),
        b"  \t; indented \xff",
        b";",
    ],
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_comments_of_a_workload_never_matter(
    tmp_path: Path, comment: bytes, end: bytes, bom: bytes
) -> None:
    job = _swf(1, 0, 1).encode()
    path = tmp_path / "t.swf"
    for lines in ([comment, b"; UnixStartTime: 1000", job], [job, b";UnixStartTime:1000", comment]):
        path.write_bytes(bom + end.join([*lines, comment]) + end)
        trace = read_trace(path)
        assert (trace.rows, [job.name for job in trace.jobs]) == (1, ["1"])
        assert (trace.origin_seconds, trace.calendar) == (1000, "UTC")


def test_a_later_start_time_moves_no_job(tmp_path: Path) -> None:
    lines = (_swf(1, 0, 1), "; UnixStartTime: 1000", _swf(2, 5, 1), "; UnixStartTime: 9000")
    trace = _read(tmp_path, "\n".join(lines), "t.swf")
    assert [job.submit_seconds for job in trace.jobs] == [0, 5]
    assert trace.origin_seconds == 1000
