"""Public files without jobs are recognised, and said to be what they are."""

from __future__ import annotations

import pytest

from hadaropt.traces import TraceError, read_trace
from hadaropt.traces.formats.layout import TableFormat
from hadaropt.traces.known_tables import BY_COLUMN, WITH_HEADER, WITHOUT_HEADER
from hadaropt.traces.registry import FORMATS


@pytest.mark.parametrize(
    ("columns", "what"), WITH_HEADER + BY_COLUMN, ids=[what for _, what in WITH_HEADER + BY_COLUMN]
)
def test_a_header_is_recognised_whatever_its_order(tmp_path, columns, what):
    for order in (sorted(columns), sorted(columns, reverse=True)):
        file = tmp_path / "t.csv"
        file.write_text(",".join(order) + "\n" + ",".join("1" for _ in order) + "\n")
        with pytest.raises(TraceError, match=r"^t\.csv, ") as refused:
            read_trace(file)
        assert what in str(refused.value)


@pytest.mark.parametrize(("width", "place", "values", "what"), WITHOUT_HEADER)
def test_a_table_without_header_is_told_by_one_field(tmp_path, width, place, values, what):
    file = tmp_path / "t.csv"
    for value in sorted(values):
        fields = ["1"] * width
        fields[place] = value
        file.write_text(",".join(fields) + "\n")
        with pytest.raises(TraceError) as refused:
            read_trace(file)
        assert what in str(refused.value)


def test_no_format_reads_what_is_no_trace():
    headed = [f for f in FORMATS if isinstance(f, TableFormat) and f.layout == "csv"]
    for columns, _ in WITH_HEADER:
        assert not any(set(form.columns) <= columns for form in headed)
