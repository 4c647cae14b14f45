"""Any csv by its columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from hadaropt.traces import TraceError, read_trace
from hadaropt.traces.formats.columns import parse_columns


def test_any_csv_by_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("who,q,s,e,n,m\nann,2024-01-01 00:00,2024-01-01 00:10,2024-01-01 01:10,2,A3C\n")
    trace = read_trace(
        path, columns=parse_columns("submit=q,start=s,end=e,gpus=n,user=who,model=m")
    )
    (job,) = trace.jobs
    assert (job.attempts, job.num_gpus, job.user) == (((600, 4200),), 2, "ann")
    assert job.model == "A3C"
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
