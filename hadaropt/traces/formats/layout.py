"""What describes a trace format: its columns, conventions and row reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from hadaropt.traces.builder import TraceBuilder
from hadaropt.traces.table import Row

Layout = Literal["csv", "headless-csv", "tsv"]


@dataclass(frozen=True)
class RowFormat:
    """A format in which each delimited row is one job (or one part of it).

    Attributes
    ----------
    name, title : str
        Short name for ``format=`` and a title for people.
    columns : tuple of str
        Columns that must be there; for layouts without header, all columns in order.
    optional : tuple of str
        Columns that may be there.
    conventions : tuple of str
        How rows are read, in words.
    row : callable
        Adds one row to the builder.
    layout : str
        ``csv`` (with header), ``headless-csv`` or ``tsv`` (without).
    calendar : str or None
        See :class:`~hadaropt.traces.trace.Trace`.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    conventions: tuple[str, ...]
    row: Callable[[Row, TraceBuilder], None]
    optional: tuple[str, ...] = ()
    layout: Layout = "csv"
    calendar: str | None = None
