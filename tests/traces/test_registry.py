"""Formats by name and by their columns."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.traces import format_names, read_trace
from hadaropt.traces.formats.layout import TableFormat
from hadaropt.traces.registry import FORMATS
from tests.traces.written import read_written


def test_gzip_reads_too(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"job_id,submission_time,duration,num_gpu\na,1,2,3\n"))
    assert read_trace(path).jobs[0].num_gpus == 3


def test_every_trace_states_its_conventions(tmp_path: Path) -> None:
    trace = read_written(tmp_path, "job_id,submission_time,duration,num_gpu\na,1,2,3\n")
    assert "times are seconds since the start of the trace" in trace.conventions


def test_the_page_on_files_has_every_format_and_its_columns() -> None:
    page = (Path(__file__).parents[2] / "docs/formats.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \| [^|]+ \| (.*) \|$", page, re.M))
    assert [name for name in rows if name in format_names()] == list(format_names())
    for form in FORMATS:
        if isinstance(form, TableFormat):
            known = [*form.columns, *form.optional]
            assert re.findall(r"`(\w+)`", rows[form.name]) == known, form.name
            assert ("no header" in rows[form.name]) == (form.layout != "csv")
        else:
            assert form.conventions[0] in rows[form.name]


def test_further_columns_are_ignored_when_the_format_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("job_id,submission_time,duration,num_gpu,note\na,1,2,3,hi\n")
    assert len(read_trace(path, format="itp").jobs) == 1


def test_no_two_formats_share_their_columns() -> None:
    """Sniffing is unambiguous, which matters because the lookalikes differ in units."""
    tables = [form for form in FORMATS if isinstance(form, TableFormat)]
    headed = [frozenset(form.columns) for form in tables if form.layout != "headless-tsv"]
    assert len(set(headed)) == len(headed)
    widths = [len(form.columns) for form in tables if form.layout == "headless-tsv"]
    assert len(set(widths)) == len(widths)
    assert len(set(format_names())) == len(FORMATS)


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
