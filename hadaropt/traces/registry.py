"""Which formats there are, which one a file is in, and reading it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from hadaropt.traces.builder import TraceBuilder
from hadaropt.traces.errors import TraceError
from hadaropt.traces.formats import normalised
from hadaropt.traces.formats.layout import RowFormat
from hadaropt.traces.table import parse_table, read_text
from hadaropt.traces.trace import Trace

FORMATS: tuple[RowFormat, ...] = (normalised.FORMAT,)


def read_trace(path: str | PathLike[str], *, format: str | None = None) -> Trace:
    """Read a trace file."""
    file = Path(path)
    chosen = FORMATS[0]
    table = parse_table(read_text(file), file.name)
    missing = [c for c in chosen.columns if c not in (table.header or ())]
    if missing:
        raise TraceError(f"{file.name}: columns {missing} are missing")
    build = TraceBuilder()
    for row in table.rows():
        chosen.row(row, build)
    return build.finish(
        format=chosen.name,
        source=file.name,
        conventions=chosen.conventions,
        calendar=chosen.calendar,
    )
