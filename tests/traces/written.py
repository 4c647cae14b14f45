"""Traces written by a test, as they are read."""

from __future__ import annotations

from pathlib import Path

from hadaropt.traces import Trace, read_trace


def read_written(folder: Path, text: str, name: str = "t.csv", **options: str) -> Trace:
    """Return the trace of a text; every row of it is kept or counted."""
    path = folder / name
    path.write_text(text, newline="")
    trace = read_trace(path, **options)
    assert trace.rows == len(trace.jobs) + sum(trace.dropped.values())
    return trace
