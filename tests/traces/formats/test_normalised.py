"""The package's own csv form."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt.traces import TraceError, read_trace

HEADER = "job_id,submit_s,num_gpus,gpu_type,duration_s,status\n"


def _write(tmp_path: Path, text: str, name: str = "t.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def test_exact_decimals_relative_to_first_submit(tmp_path: Path) -> None:
    path = _write(tmp_path, HEADER + "a,10.1,2,V100,0.3,PASS\nb,10.4,1,,7,\n")
    trace = read_trace(path)
    assert [job.submit_seconds for job in trace.jobs] == [0, Fraction(3, 10)]
    assert trace.origin_seconds == Fraction(101, 10)
    assert trace.jobs[0].duration_seconds == Fraction(3, 10)
    assert (trace.jobs[0].gpu_type, trace.jobs[1].gpu_type) == ("V100", None)
    assert (trace.jobs[0].status, trace.jobs[1].status) == ("PASS", "UNKNOWN")


def test_every_fault_is_counted_under_one_reason(tmp_path: Path) -> None:
    rows = [
        "a,nan,1,,5,X",
        "b,0,0,,5,X",
        "c,0,-1,,5,X",
        "d,0,0.5,,5,X",
        "e,0,1,,,X",
        "f,0,1,,0,X",
        "g,0,1,,-3,X",
        "h,0,1,,5,X",
        "h,0,1,,5,X",
        "h,0,2,,5,X",
        "i,,0,,,X",
        "j,0,,,5,X",
    ]
    trace = read_trace(_write(tmp_path, HEADER + "\n".join(rows)))
    assert [job.name for job in trace.jobs] == ["h"]
    assert trace.rows == 12
    assert dict(trace.dropped) == {
        "submit time missing or NaN": 2,
        "zero GPUs": 1,
        "negative number of GPUs": 1,
        "fractional number of GPUs": 1,
        "number of GPUs missing or NaN": 1,
        "duration missing or NaN": 1,
        "zero duration": 1,
        "negative duration": 1,
        "repeated row": 1,
        "repeated job id in a different row": 1,
    }


def test_unsorted_rows_are_sorted_and_ties_keep_file_order(tmp_path: Path) -> None:
    trace = read_trace(_write(tmp_path, HEADER + "c,9,1,,1,X\nb,0,1,,1,X\na,0,1,,1,X\n"))
    assert [job.name for job in trace.jobs] == ["b", "a", "c"]


@pytest.mark.parametrize("text", ["\ufeff" + HEADER + "a,0,1,,1,X\r\n", HEADER + "\r\na,0,1,,1,X"])
def test_bom_crlf_and_blank_lines(tmp_path: Path, text: str) -> None:
    trace = read_trace(_write(tmp_path, text.replace("\n", "\r\n").replace("\r\r", "\r")))
    assert (trace.rows, trace.jobs[0].name) == (1, "a")


def test_header_alone_is_a_trace_without_jobs(tmp_path: Path) -> None:
    trace = read_trace(_write(tmp_path, HEADER))
    assert (trace.rows, trace.jobs, dict(trace.dropped)) == (0, (), {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.csv, is empty"),
        (HEADER + "a,zero,1,,1,X", 't.csv line 2: submit_s = "zero", must be a finite decimal'),
        (HEADER + "a,inf,1,,1,X", 't.csv line 2: submit_s = "inf", must be a finite decimal'),
        (HEADER + "a,0,1,,1e99999,X", 'duration_s = "1e99999", must be a finite decimal'),
        (HEADER + "a,0,1,,1", "t.csv line 2, must have 6 fields, has 5"),
        (HEADER + 'a,0,1,,1,"X', "t.csv line 2, is no csv (unexpected end of data)"),
        (HEADER.replace("status", "status,job_id"), "t.csv line 1, names column 'job_id' twice"),
    ],
)
def test_malformed_files_are_refused_with_place_and_rule(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(TraceError) as caught:
        read_trace(_write(tmp_path, text))
    assert message in str(caught.value)
