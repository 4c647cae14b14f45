"""Any csv, by naming its columns: ``submit=...,start=...,end=...,gpus=...``.

Conventions: a time is a number of seconds, or a date and time of ISO 8601; in one file all of them
carry a UTC offset or none does (then they are of one local clock, taken as written unless its zone
is named). A duration is seconds or ``days-hours:minutes:seconds``. Each row is one job.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC
from fractions import Fraction
from zoneinfo import ZoneInfo

from hadaropt.errors import TraceError, one_of
from hadaropt.traces.builder import TraceBuilder
from hadaropt.traces.clock import wall_seconds, zoned_seconds
from hadaropt.traces.decimals import exact
from hadaropt.traces.formats.layout import FAILED_KEPT, ROW_IS_JOB, not_run, ran
from hadaropt.traces.formats.slurm import LOCAL, elapsed_seconds
from hadaropt.traces.table import Row, Table

FIELDS = (
    "submit",
    "start",
    "end",
    "duration",
    "gpus",
    "type",
    "id",
    "status",
    "queue",
    "user",
    "node",
    "model",
)
TEMPLATE = (
    "--columns submit=SUBMIT,start=START,end=END,gpus=GPUS,type=TYPE,id=ID,status=STATE,"
    "queue=QUEUE,user=USER,model=MODEL (right of each = the name of your column; submit, gpus and "
    "end or duration are needed, the rest as you have it; times are seconds or ISO 8601)"
)
CONVENTIONS = (
    "columns are read as they were named; times are seconds or ISO 8601",
    "times without a UTC offset are taken as written, summer time ignored, unless a zone is named",
    ROW_IS_JOB,
    FAILED_KEPT,
)
_NUMBER = re.compile(r"[+-]?[\d.]+(?:[eE][+-]?\d+)?")
_OFFSET = re.compile(r"\d(?:[+-]\d\d:?\d\d|Z)$")


def parse_columns(text: str) -> dict[str, str]:
    """Return the columns of ``submit=...,start=...``, by what they hold.

    Raises
    ------
    TraceError
        If a part is none, stands twice or is unknown, or one that is needed is missing.

    Examples
    --------
    >>> parse_columns("submit=queued_at,gpus=n,duration=secs")["gpus"]
    'n'
    """
    columns: dict[str, str] = {}
    for part in text.split(","):
        key, equals, name = (piece.strip() for piece in part.partition("="))
        if not equals or not name or key in columns:
            raise TraceError("columns", f"must be FIELD=COLUMN, each once: {TEMPLATE}", part)
        if key not in FIELDS:
            raise TraceError("columns", f"{one_of(key, FIELDS)}: {TEMPLATE}", key)
        columns[key] = name
    if not {"submit", "gpus"} <= columns.keys() or not {"end", "duration"} & columns.keys():
        raise TraceError("columns", f"must name submit, gpus and end or duration: {TEMPLATE}")
    return columns


def read_columns(
    table: Table, columns: Mapping[str, str], build: TraceBuilder, zone: ZoneInfo | None = None
) -> str | None:
    """Add the rows of a table to a builder; return the calendar, None for seconds.

    ``zone`` is that of local times.

    Raises
    ------
    TraceError
        If a named column is not there, or a field is malformed.
    """
    lacking = [name for name in columns.values() if name not in table.first]
    if lacking:
        raise TraceError(table.source, f"has no columns {lacking}; it has {list(table.first)}")
    return _Reader(columns, zone).read(table.rows(), build)


class _Reader:
    def __init__(self, columns: Mapping[str, str], zone: ZoneInfo | None) -> None:
        self._columns, self._zone = columns, zone
        self._clock: str | None = None  # "seconds", "UTC" or LOCAL: that of the first time

    def read(self, rows: Iterable[Row], build: TraceBuilder) -> str | None:
        for row in rows:
            self._row(row, build)
        if self._clock == LOCAL and self._zone is not None:
            return f"UTC, from {self._zone.key}"
        return None if self._clock == "seconds" else self._clock

    def _row(self, row: Row, build: TraceBuilder) -> None:
        submit = self._time(row, "submit")
        start = self._time(row, "start", submit)
        end = self._time(row, "end", submit if start is None else start)
        duration = self._duration(row)
        if end is None and start is not None and duration is not None:
            end = start + duration
        elif start is None and end is not None and duration is not None:
            start = end - duration
        if start is not None and end is not None:
            duration = end - start
        timed = "duration" in self._columns or "start" not in self._columns
        nodes = row.text(self._columns["node"]) if "node" in self._columns else None
        gpus = row.number(self._columns["gpus"])
        whole = gpus is not None and gpus.denominator == 1
        build.add(
            name=(self._text(row, "id") or "") if "id" in self._columns else None,
            submit=submit,
            gpus=gpus,
            duration=duration,
            not_run=None if timed else not_run(start, end),
            gpu_type=self._text(row, "type"),
            status=self._text(row, "status"),
            attempts=ran(start, end),
            nodes=((nodes, int(gpus)),) if nodes and whole and gpus is not None else (),
            queue=self._text(row, "queue"),
            user=self._text(row, "user"),
            model=self._text(row, "model"),
        )

    def _text(self, row: Row, key: str) -> str | None:
        return row.text(self._columns[key]) if key in self._columns else None

    def _time(self, row: Row, key: str, after: Fraction | None = None) -> Fraction | None:
        text = self._text(row, key)
        if text is None or text.lower() == "unknown":
            return None
        place = f"{row.place}: {self._columns[key]}"
        clock = LOCAL
        if _NUMBER.fullmatch(text):
            clock = "seconds"
        elif _OFFSET.search(text) and ":" in text:
            clock = "UTC"
        if self._clock is None:
            self._clock = clock
        if clock != self._clock:
            raise TraceError(place, f"must be on the clock of the first time ({self._clock})", text)
        if clock == "seconds":
            return exact(text, place)
        if clock == LOCAL and self._zone is not None:
            return zoned_seconds(text, place, self._zone, after)
        return wall_seconds(text, place, zone=UTC if clock == "UTC" else None)

    def _duration(self, row: Row) -> Fraction | None:
        text = self._text(row, "duration")
        if text is None:
            return None
        place = f"{row.place}: {self._columns['duration']}"
        return elapsed_seconds(text, place) if ":" in text else exact(text, place)
