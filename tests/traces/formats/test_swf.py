"""The standard workload format."""

from __future__ import annotations

from pathlib import Path

import pytest

from hadaropt.traces import TraceError, read_trace
from tests.traces.written import read_written

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
    trace = read_written(tmp_path, "\n".join(SWF), "t.swf")
    assert [(job.name, job.num_gpus) for job in trace.jobs] == [("1", 4), ("2", 8)]
    assert [job.status for job in trace.jobs] == ["COMPLETED", "FAILED"]
    assert (trace.origin_seconds, trace.calendar) == (1010, "UTC")
    assert dict(trace.dropped) == {
        "duration missing or NaN": 1,
        "number of GPUs missing or NaN": 1,
        "partial execution of a job that has no line of its own": 1,
    }
    assert read_written(tmp_path, "\n".join(SWF[2:]), "u.swf").calendar is None


def swf_line(number: int, submit: int, status: int) -> str:
    return f"{number} {submit} 5 100 4 -1 -1 4 -1 -1 {status} 1 1 -1 1 -1 -1 -1"


def test_partial_lines_are_dropped_under_their_own_reason(tmp_path: Path) -> None:
    lines = (
        swf_line(1, 0, 1),
        swf_line(1, 0, 2),
        swf_line(1, 9, 3),
        swf_line(2, 10, 2),
        swf_line(2, 10, 4),
    )
    trace = read_written(tmp_path, "\n".join(lines), "t.swf")
    assert [job.name for job in trace.jobs] == ["1"]
    assert dict(trace.dropped) == {
        "partial execution of a job that has no line of its own": 2,
        "partial execution, summed up in the job's own line": 2,
    }


def test_a_missing_job_number_is_no_name(tmp_path: Path) -> None:
    trace = read_written(tmp_path, "\n".join([swf_line(-1, 0, 1), swf_line(-1, 5, 1)]), "t.swf")
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
    job = swf_line(1, 0, 1).encode()
    path = tmp_path / "t.swf"
    for lines in ([comment, b"; UnixStartTime: 1000", job], [job, b";UnixStartTime:1000", comment]):
        path.write_bytes(bom + end.join([*lines, comment]) + end)
        trace = read_trace(path)
        assert (trace.rows, [job.name for job in trace.jobs]) == (1, ["1"])
        assert (trace.origin_seconds, trace.calendar) == (1000, "UTC")


def test_a_later_start_time_moves_no_job(tmp_path: Path) -> None:
    lines = (swf_line(1, 0, 1), "; UnixStartTime: 1000", swf_line(2, 5, 1), "; UnixStartTime: 9000")
    trace = read_written(tmp_path, "\n".join(lines), "t.swf")
    assert [job.submit_seconds for job in trace.jobs] == [0, 5]
    assert trace.origin_seconds == 1000


def test_swf_line_of_wrong_length(tmp_path: Path) -> None:
    path = tmp_path / "t.swf"
    path.write_text("; comment\n1 2 3\n")
    with pytest.raises(TraceError, match=r"t\.swf line 2, must have 18 fields, has 3"):
        read_trace(path)


def test_start_of_an_swf_file_is_short(tmp_path: Path) -> None:
    path = tmp_path / "t.swf"
    path.write_text(f"; UnixStartTime: {'1' * 5000}\n")
    with pytest.raises(TraceError, match=r"t\.swf line 1: UnixStartTime"):
        read_trace(path)
