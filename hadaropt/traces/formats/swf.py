"""The Standard Workload Format of the Parallel Workloads Archive (``.swf``).

Conventions: 18 fields split by blanks, -1 is missing, lines starting with ``;`` are comments;
processors are read as GPUs: the allocated ones (field 5), or the requested ones (field 8) where
the allocated are missing; the running time is field 4, in seconds; lines of status 2, 3 and 4 are
parts of a job that its own line already sums up, and are dropped; failed and cancelled jobs are
kept. With a ``; UnixStartTime:`` comment the clock is UTC.
"""

from __future__ import annotations

import re
from fractions import Fraction

from hadaropt.errors import TraceError
from hadaropt.traces.builder import TraceBuilder
from hadaropt.traces.decimals import exact
from hadaropt.traces.formats.layout import FAILED_KEPT, TextFormat

PARTIAL = "partial execution, summed up in the job's own line"
NUM_FIELDS = 18

_START = re.compile(r";\s*UnixStartTime:\s*(\d+)", re.IGNORECASE)
_STATUS = {0: "FAILED", 1: "COMPLETED", 5: "CANCELLED"}


def _read(text: str, source: str, build: TraceBuilder) -> str | None:
    origin: Fraction | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        if line.lstrip().startswith(";"):
            found = _START.match(line.strip())
            origin = Fraction(int(found[1])) if found else origin
            continue
        place = f"{source} line {number}"
        words = line.split()
        if len(words) != NUM_FIELDS:
            raise TraceError(place, f"must have {NUM_FIELDS} fields, has {len(words)}")
        _add(words, place, origin or Fraction(0), build)
    return None if origin is None else "UTC"


def _add(words: list[str], place: str, origin: Fraction, build: TraceBuilder) -> None:
    submit, run, allocated, requested, status = (
        _value(words[index], f"{place}: field {index + 1}") for index in (1, 3, 4, 7, 10)
    )
    if status in (2, 3, 4):
        build.drop(PARTIAL)
        return
    build.add(
        name=words[0],
        submit=None if submit is None else origin + submit,
        gpus=requested if allocated is None else allocated,
        duration=run,
        status=None if status is None else _STATUS.get(int(status), str(status)),
    )


def _value(word: str, place: str) -> Fraction | None:
    number = exact(word, place)
    return None if number == -1 else number


FORMAT = TextFormat(
    name="swf",
    title="Standard Workload Format",
    read=_read,
    conventions=(
        "processors are read as GPUs: allocated, or requested where allocated is missing",
        "times are seconds; -1 is missing",
        "partial executions (status 2, 3, 4) are dropped: the job's own line sums them up",
        FAILED_KEPT,
    ),
)
