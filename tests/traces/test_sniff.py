"""Which format a file looks like."""

from __future__ import annotations

from pathlib import Path

import pytest

from hadaropt.traces import TraceError, read_trace

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


def test_a_file_of_this_package_is_no_trace_and_named(tmp_path: Path) -> None:
    path = tmp_path / "workload.json"
    path.write_text('{"jobs": [], "format": "hadaropt-workload/1"}')
    with pytest.raises(TraceError, match=r"of kind hadaropt-workload/1, must be a trace .* run w"):
        read_trace(path)
    path.write_text('{"format": "hadaropt-certificate/1"}')
    with pytest.raises(TraceError, match=r"of kind hadaropt-certificate/1, .* or a log$"):
        read_trace(path)
