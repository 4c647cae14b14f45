"""Slurm's accounting."""

from __future__ import annotations

from pathlib import Path

import pytest

from hadaropt.traces import TraceError, read_trace
from hadaropt.traces.formats.slurm import elapsed_seconds
from tests.traces.edge import EDGE

SACCT = "JobID|Submit|Start|End|State|AllocTRES"
ROW = ["1", "100", "200", "300", "COMPLETED", "gres/gpu=2"]


@pytest.mark.parametrize("number", ["²", "1" * 5000], ids=["superscript", "5,000 digits"])
@pytest.mark.parametrize("column", ["Submit", "Start", "AllocTRES"])
def test_a_number_in_a_slurm_log_is_ascii_and_short(
    tmp_path: Path, column: str, number: str
) -> None:
    own = f"gres/gpu={number}" if column == "AllocTRES" else number
    fields = dict(zip(SACCT.split("|"), ROW, strict=True)) | {column: own}
    path = tmp_path / "log.txt"
    path.write_text(f"{SACCT}\n{'|'.join(fields.values())}\n")
    if (column, number) == ("AllocTRES", "²"):  # no count of GPUs: a job without any
        assert read_trace(path).jobs == ()
        return
    with pytest.raises(TraceError, match=rf"log\.txt line 2: {column}"):
        read_trace(path)


@pytest.mark.parametrize("number", ["²", "٣", "1" * 5000], ids=["superscript", "Arabic", "long"])
def test_an_elapsed_time_is_ascii_and_short(number: str) -> None:
    for text in (f"{number}:00", f"{number}-00:00:01", f"00:{number}"):
        with pytest.raises(TraceError, match=r"^here.*days-hours:minutes:seconds"):
            elapsed_seconds(text, "here")


HEADER = "JobID|Submit|Start|End|State|AllocTRES\n"


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
