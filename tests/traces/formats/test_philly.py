"""Philly, as JSON and as csv."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt.traces import TraceError, read_trace
from tests.traces.edge import EDGE
from tests.traces.written import read_written


def philly_record(
    *attempts: tuple[str | None, str | None, int], **fields: object
) -> dict[str, object]:
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
    record = philly_record(
        ("2017-10-01 00:10:00", "2017-10-01 00:20:00", 3),
        ("2017-10-01 05:00:00", "2017-10-01 05:00:30", 3),
    )
    trace = read_written(tmp_path, json.dumps([record]))
    job = trace.jobs[0]
    assert (job.num_gpus, job.duration_seconds, job.status) == (3, 630, "Pass")
    assert trace.origin_seconds % 86400 == 0
    assert "Pacific" in (trace.calendar or "")


NONE = None
START, END = "2017-10-01 01:00:00", "2017-10-01 02:00:00"


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (philly_record(), "never started"),
        (philly_record((START, "None", 1)), "still running at the end of the trace"),
        (philly_record((START, NONE, 1)), "still running at the end of the trace"),
        (philly_record((START, "None", 1), (START, END, 1)), "an attempt without recorded times"),
        (philly_record((NONE, END, 1)), "an attempt without recorded times"),
        (philly_record((START, END, 1), (START, END, 2)), "gang size differs between attempts"),
        (philly_record((START, END, 0)), "zero GPUs"),
        (philly_record((START, START, 1)), "zero duration"),
        (philly_record((END, START, 1)), "negative duration"),
        (philly_record((START, END, 1), (END, START, 1), (START, END, 1)), "negative duration"),
        (philly_record((START, END, 1), submitted_time="None"), "submit time missing or NaN"),
        (philly_record((START, END, 1), submitted_time=None), "submit time missing or NaN"),
        (philly_record((START, END, 1), jobid=""), "job id missing"),
    ],
)
def test_philly_drop_reasons(tmp_path: Path, record: object, reason: str) -> None:
    trace = read_written(tmp_path, json.dumps([record]), "t.json")
    assert (trace.format, dict(trace.dropped)) == ("philly-json", {reason: 1})


def test_philly_csv_keeps_equal_rows_and_names_them_by_row(tmp_path: Path) -> None:
    row = "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
    early = "2017-10-09 07:01:54,0.5,2,1.0,11cb48\n"
    trace = read_written(
        tmp_path, "timestamp,duration,num_gpus,gpu_time,cluster\n" + row * 2 + early
    )
    assert [job.name for job in trace.jobs] == ["job-000002", "job-000000", "job-000001"]
    assert [job.submit_seconds for job in trace.jobs] == [0, 1, 1]
    assert trace.jobs[0].duration_seconds == Fraction(1, 2)


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
    assert dict(read_written(tmp_path, json.dumps([record]), "t.json").dropped) == {reason: 1}


def _record() -> dict[str, object]:
    attempt = {
        "start_time": "2017-10-01 01:00:00",
        "end_time": "2017-10-01 02:00:00",
        "detail": [{"ip": "m", "gpus": ["gpu0"]}],
    }
    return {
        "status": "Pass",
        "jobid": "a",
        "submitted_time": "2017-10-01 00:00:00",
        "attempts": [attempt],
    }


def test_every_truncation_of_a_json_log_is_refused(tmp_path: Path) -> None:
    text = json.dumps([_record(), _record() | {"jobid": "b"}])
    path = tmp_path / "t.json"
    for length in range(1, len(text)):
        path.write_text(text[:length])
        with pytest.raises(TraceError, match=r"t\.json line 1 column \d+, is not JSON"):
            read_trace(path)
    path.write_text(text)
    assert len(read_trace(path).jobs) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attempts": None}, "t.json: [0].attempts = None, must be list"),
        ({"attempts": [{}]}, "t.json: [0].attempts[0], must have a field 'start_time'"),
        ({"jobid": 7}, "t.json: [0].jobid = 7, must be str"),
        ({"submitted_time": 7}, "t.json: [0].submitted_time = 7, must be str or null"),
        (
            {"submitted_time": "yesterday"},
            't.json: [0].submitted_time = "yesterday", must be a date and time',
        ),
        (
            {"submitted_time": "2017-10-01 00:00:00+02:00"},
            "must carry no UTC offset",
        ),
    ],
)
def test_malformed_json_records(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps([_record() | change]))
    with pytest.raises(TraceError) as caught:
        read_trace(path)
    assert message in str(caught.value)


def test_json_that_is_no_list(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text("{}")
    with pytest.raises(TraceError, match=r"t\.json, must be a list of jobs, is a dict"):
        read_trace(path)


def test_philly_keeps_attempts_nodes_queue_and_user() -> None:
    (job,) = read_trace(EDGE / "philly.json").jobs
    assert job.attempts == ((60, 660), (3600, 10800))
    assert job.nodes == (("m1", 1), ("m2", 1))
    assert (job.queue, job.user) == ("v0", "u0")
