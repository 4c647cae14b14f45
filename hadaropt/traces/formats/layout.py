"""What describes a trace format: its name, columns, conventions and reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from hadaropt.traces.builder import NEVER_STARTED, STILL_RUNNING, TraceBuilder
from hadaropt.traces.table import Row

#: Tables with a header line, or without (then told apart by their number of fields).
Layout = Literal["csv", "headless-csv", "headless-tsv"]
RowReader = Callable[[Iterable[Row], TraceBuilder], None]


@dataclass(frozen=True)
class TableFormat:
    """A format of delimited rows.

    Attributes
    ----------
    name, title : str
        Short name for ``format=``, and a title for people.
    columns : tuple of str
        Columns that must be there; for a layout without header, all columns in order.
    read : callable
        Adds the rows to a builder.
    conventions : tuple of str
        How rows are read, in words.
    optional : tuple of str
        Columns that may be there.
    layout : str
        ``csv`` has a header line, ``headless-csv`` and ``headless-tsv`` have none.
    calendar : str or None
        See :class:`~hadaropt.traces.trace.Trace`.
    probe : (position, values) or None
        Values of one field by which a comma-separated layout without header is known.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    read: RowReader
    conventions: tuple[str, ...]
    optional: tuple[str, ...] = ()
    layout: Layout = "csv"
    calendar: str | None = None
    probe: tuple[int, frozenset[str]] | None = None


@dataclass(frozen=True)
class TextFormat:
    """A format that is not a table; `read(text, source, builder)` returns the calendar or None."""

    name: str
    title: str
    read: Callable[[str, str, TraceBuilder], str | None]
    conventions: tuple[str, ...]


def each(row_reader: Callable[[Row, TraceBuilder], None]) -> RowReader:
    """Return a reader for formats in which every row is one job."""

    def read(rows: Iterable[Row], build: TraceBuilder) -> None:
        for row in rows:
            row_reader(row, build)

    return read


def job_id(row: Row, column: str = "job_id") -> str:
    """Return the id of a job in a format that has ids; the builder drops a missing one."""
    return row.text(column) or ""


def not_run(start: Fraction | None, end: Fraction | None) -> str | None:
    """Return why a job without start or end has no running time; None with both."""
    if start is None:
        return NEVER_STARTED
    return STILL_RUNNING if end is None else None


def ran(start: Fraction | None, end: Fraction | None) -> tuple[tuple[Fraction, Fraction], ...]:
    """Return the one attempt of a job from its start to its end; none where one is missing."""
    return () if start is None or end is None else ((start, end),)


FAILED_KEPT = "failed and killed jobs are kept: they held their GPUs"
ROW_IS_JOB = "every row is one job; retries are not marked"
NO_IDENTITY = "rows carry no id: equal rows are different jobs, all kept"
