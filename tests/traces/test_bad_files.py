"""Files that are not what they should be: refused, with the place and what they look like."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.traces import Trace, TraceError, TraceJob, format_names, read_trace
from hadaropt.traces.formats.layout import TableFormat
from hadaropt.traces.formats.slurm import elapsed_seconds
from hadaropt.traces.registry import FORMATS

MURI = (
    "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,"
    "iteration_time,resource_time_0,resource_time_1,resource_time_2,priority"
)


@pytest.mark.parametrize(
    ("text", "form", "message"),
    [
        (MURI + "\n", "helios", "lacks columns ['user', 'vc', 'gpu_num', 'cpu_num', 'node_num'"),
        (MURI + "\n", "helios", "for format 'helios'; it looks like 'muri' (Muri csv)"),
        (MURI + "\n", "gavel-10", "must have 10 fields, has 1 for format 'gavel-10'; it looks"),
        (MURI + "\n", "swf", "starts with a line that is wrong for format 'swf'; it looks like"),
        (MURI + ",extra\n", None, "looks like 'muri' (Muri csv) with further columns ['extra']"),
        (MURI.replace(",priority", "") + "\n", None, "which also needs ['priority']"),
        (
            "job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval\n",
            None,
            "reads it without them, by its rules (times are seconds)",
        ),
        ("a,b,c\n1,2,3\n", None, "columns ['a', 'b', 'c'] fit no format"),
        ("a\tb\tc\n", None, "3 tab-separated fields fit no format (gavel-7 7, gavel-9 9,"),
        ("[]", "muri", "lacks columns"),
        ("hello world\n", None, "fit no format"),
        ("", "muri", "t.csv, is empty"),
        (" \r\n\r\n", None, "t.csv, is empty"),
        ("\ufeff", None, "t.csv, is empty"),
        ('"a,b\n', None, "t.csv, the first line is no csv"),
        ("a,b\n", "nonsense", 'format = "nonsense", must be one of normalised, philly-csv'),
    ],
)
def test_wrong_columns_say_what_they_look_like(
    tmp_path: Path, text: str, form: str | None, message: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, newline="")
    with pytest.raises(TraceError) as caught:
        read_trace(path, format=form)
    assert message in str(caught.value)


def test_further_columns_are_ignored_when_the_format_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("job_id,submission_time,duration,num_gpu,note\na,1,2,3,hi\n")
    assert len(read_trace(path, format="itp").jobs) == 1


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


@pytest.mark.parametrize(
    ("raw", "name", "message"),
    [
        (b"job_id,\xff\n", "t.csv", "t.csv, must be UTF-8, byte 7 is not"),
        (b"\x1f\x8b\x08\x00", "t.csv.gz", "t.csv.gz, is a damaged gzip file"),
        (b"not gzip", "t.csv.gz", "t.csv.gz, is a damaged gzip file"),
    ],
)
def test_bytes_that_are_no_text(tmp_path: Path, raw: bytes, name: str, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(raw)
    with pytest.raises(TraceError) as caught:
        read_trace(path)
    assert message in str(caught.value)


def test_swf_line_of_wrong_length(tmp_path: Path) -> None:
    path = tmp_path / "t.swf"
    path.write_text("; comment\n1 2 3\n")
    with pytest.raises(TraceError, match=r"t\.swf line 2, must have 18 fields, has 3"):
        read_trace(path)


def test_no_two_formats_share_their_columns() -> None:
    """Sniffing is unambiguous, which matters because the lookalikes differ in units."""
    tables = [form for form in FORMATS if isinstance(form, TableFormat)]
    headed = [frozenset(form.columns) for form in tables if form.layout != "headless-tsv"]
    assert len(set(headed)) == len(headed)
    widths = [len(form.columns) for form in tables if form.layout == "headless-tsv"]
    assert len(set(widths)) == len(widths)
    assert len(set(format_names())) == len(FORMATS)


def test_rows_must_add_up() -> None:
    job = TraceJob("a", Fraction(0), 1, Fraction(1))
    with pytest.raises(ValueError, match="rows = 3, must be 1 kept \\+ 1 dropped"):
        Trace("itp", "t", (job,), {"zero GPUs": 1}, 3)


def test_a_trace_survives_pickling() -> None:
    trace = Trace("itp", "t", (TraceJob("a", Fraction(1, 3), 1, None),), {"zero GPUs": 1}, 2)
    assert pickle.loads(pickle.dumps(trace)) == trace


FIELD = st.sampled_from(["", "0", "1", "2", "-1", "0.5", "4.0", "1e2", "nan", "None", " 3 "])


@settings(deadline=None, max_examples=150)
@given(rows=st.lists(st.tuples(st.sampled_from("abc"), FIELD, FIELD, FIELD), max_size=8))
def test_every_row_is_kept_or_counted(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    lines = ["job_id,submission_time,duration,num_gpu", *(",".join(row) for row in rows)]
    path.write_text("\r\n".join(lines))
    trace = read_trace(path)
    assert trace.rows == len(rows) == len(trace.jobs) + sum(trace.dropped.values())
    for job in trace.jobs:
        assert job.num_gpus >= 1
        assert job.duration_seconds is not None and job.duration_seconds > 0
        assert job.submit_seconds >= 0


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


def test_start_of_an_swf_file_is_short(tmp_path: Path) -> None:
    path = tmp_path / "t.swf"
    path.write_text(f"; UnixStartTime: {'1' * 5000}\n")
    with pytest.raises(TraceError, match=r"t\.swf line 1: UnixStartTime"):
        read_trace(path)


def test_a_file_of_this_package_is_no_trace_and_named(tmp_path: Path) -> None:
    path = tmp_path / "workload.json"
    path.write_text('{"jobs": [], "format": "hadaropt-workload/1"}')
    with pytest.raises(TraceError, match=r"of kind hadaropt-workload/1, must be a trace .* run w"):
        read_trace(path)
    path.write_text('{"format": "hadaropt-certificate/1"}')
    with pytest.raises(TraceError, match=r"of kind hadaropt-certificate/1, .* or a log$"):
        read_trace(path)
