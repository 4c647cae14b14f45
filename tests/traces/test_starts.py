"""When a job held its GPUs: starts, ends, nodes, queues and users of logs that have them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from hadaropt.traces import TraceError, read_trace
from hadaropt.traces.formats.columns import parse_columns
from hadaropt.traces.formats.slurm import elapsed_seconds

EDGE = Path(str(files("hadaropt.traces") / "edge"))
HEADER = "JobID|Submit|Start|End|State|AllocTRES\n"


def test_philly_keeps_attempts_nodes_queue_and_user() -> None:
    (job,) = read_trace(EDGE / "philly.json").jobs
    assert job.attempts == ((60, 660), (3600, 10800))
    assert job.nodes == (("m1", 1), ("m2", 1))
    assert (job.queue, job.user) == ("v0", "u0")


@pytest.mark.parametrize("name", ["helios.csv", "acme_seren.csv", "acme_kalos.csv", "openb.csv"])
def test_attempts_last_as_long_as_the_job_and_start_after_its_submit(name: str) -> None:
    for job in read_trace(EDGE / name).jobs:
        ((start, end),) = job.attempts
        assert end - start == job.duration_seconds
        assert start >= job.submit_seconds


def test_formats_without_starts_have_no_attempts() -> None:
    assert all(not job.attempts for job in read_trace(EDGE / "itp.csv").jobs)


def test_requeued_slurm_job_has_its_attempts_and_the_last_state() -> None:
    jobs = {job.name: job for job in read_trace(EDGE / "slurm.txt").jobs}
    assert jobs["102"].attempts == ((3600, 5400), (7200, 10800))
    assert jobs["102"].status == "COMPLETED"
    assert (jobs["100"].gpu_type, jobs["100"].num_gpus) == ("a100", 4)
    assert jobs["101_1"].duration_seconds == 26 * 3600  # an unknown end: start + elapsed


def test_slurm_times_with_offsets_are_of_one_clock(tmp_path: Path) -> None:
    path = tmp_path / "log"
    row = "1|2024-03-31T01:59:00+0100|2024-03-31T03:01:00+0200|2024-03-31T04:01:00+0200|COMPLETED|"
    path.write_text(HEADER + row + "gres/gpu=2\n")
    trace = read_trace(path)
    assert trace.jobs[0].attempts == ((120, 3720),)
    assert trace.calendar == "UTC"
    path.write_text(HEADER + row + "gres/gpu=2\n" + row.replace("+0200|C", "|C") + "gres/gpu=2\n")
    with pytest.raises(TraceError, match=r"line 3: End = .*, must carry a UTC offset"):
        read_trace(path)


@pytest.mark.parametrize(("text", "seconds"), [("1-00:00:01", 86401), ("05:00", 300), (None, None)])
def test_elapsed(text: str | None, seconds: int | None) -> None:
    assert elapsed_seconds(text, "here") == seconds


def test_any_csv_by_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("who,q,s,e,n\nann,2024-01-01 00:00,2024-01-01 00:10,2024-01-01 01:10,2\n")
    trace = read_trace(path, columns=parse_columns("submit=q,start=s,end=e,gpus=n,user=who"))
    (job,) = trace.jobs
    assert (job.attempts, job.num_gpus, job.user) == (((600, 4200),), 2, "ann")
    assert trace.calendar == "local time without zone"


def test_columns_count_what_they_drop(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = ["0,5,9,1", "0,9,5,1", "0,,,1", "0,5,,1", "0,5,9,0", ",5,9,1", "0,5,9,1/1"]
    path.write_text("\n".join(["q,s,e,n", *rows[:-1]]))
    columns = parse_columns("submit=q,start=s,end=e,gpus=n")
    trace = read_trace(path, columns=columns)
    assert trace.rows == 6
    assert sum(trace.dropped.values()) == 5
    assert trace.dropped["negative duration"] == 1
    path.write_text("\n".join(["q,s,e,n", rows[-1]]))
    with pytest.raises(TraceError, match="must be a finite decimal number"):
        read_trace(path, columns=columns)


def test_columns_take_a_duration_of_days_and_hours(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("q,s,d,n\n0,10,1-00:00:00,1\n")
    trace = read_trace(path, columns=parse_columns("submit=q,start=s,duration=d,gpus=n"))
    assert trace.jobs[0].attempts == ((10, 86410),)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("submit=a,gpus=b", "must name submit, gpus and end or duration"),
        ("submit=a,gpus=b,end=c,end=d", "each once"),
        ("submitted=a,gpus=b,end=c", "--columns submit=SUBMIT"),
    ],
)
def test_bad_columns_are_answered_with_the_template(text: str, rule: str) -> None:
    with pytest.raises(TraceError, match=rule):
        parse_columns(text)


def test_columns_that_are_not_there_are_named(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(TraceError, match=r"has no columns \['c'\]; it has \['a', 'b'\]"):
        read_trace(path, columns={"submit": "a", "gpus": "b", "end": "c"})


def test_mixed_clocks_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("q,s,e,n\n0,2024-01-01,2024-01-02,1\n")
    with pytest.raises(TraceError, match="must be on the clock of the first time"):
        read_trace(path, columns=parse_columns("submit=q,start=s,end=e,gpus=n"))
