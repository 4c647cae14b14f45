"""The Standard Workload Format of the Parallel Workloads Archive (``.swf``).

Conventions: 18 fields split by blanks, -1 is missing, lines starting with ``;`` are comments, in
any encoding, which end where the line ends; processors are read as GPUs: the allocated ones (field
5), or the requested ones (field 8) where the allocated are missing; the running time is field 4, in
seconds; lines of status 2, 3 and 4 are parts of a job that its own line already sums up, and are
dropped; so are those of a job without a line of its own, under a reason of their own; failed and
cancelled jobs are kept. With a ``; UnixStartTime:`` comment (the first counts) the clock is UTC.
"""

from __future__ import annotations

import re
from fractions import Fraction

from hadaropt.errors import TraceError
from hadaropt.traces.builder import TraceBuilder
from hadaropt.traces.decimals import exact
from hadaropt.traces.formats.layout import FAILED_KEPT, TextFormat
from hadaropt.traces.table import lines_of

PARTIAL = "partial execution, summed up in the job's own line"
PARTIAL_ALONE = "partial execution of a job that has no line of its own"
NUM_FIELDS = 18

_START = re.compile(r";\s*UnixStartTime:\s*(\d+)", re.IGNORECASE)
_STATUS = {Fraction(0): "FAILED", Fraction(1): "COMPLETED", Fraction(5): "CANCELLED"}
_PARTIAL_STATUS = (2, 3, 4)


def is_swf(line: str) -> bool:
    """Whether a line is a comment or has the fields of a job."""
    words = line.split()
    return line.lstrip().startswith(";") or (
        len(words) == NUM_FIELDS
        and all(word.lstrip("-").replace(".", "", 1).isdigit() for word in words)
    )


def _read(text: str, source: str, build: TraceBuilder) -> str | None:
    origin: Fraction | None = None
    jobs: list[tuple[str, list[str]]] = []
    for number, line in enumerate(lines_of(text), start=1):
        words = line.split()
        if not words:
            continue
        if words[0].startswith(";"):
            found = _START.match(line.strip())
            if found and origin is None:
                origin = exact(found[1], f"{source} line {number}: UnixStartTime")
            continue
        place = f"{source} line {number}"
        if len(words) != NUM_FIELDS:
            raise TraceError(place, f"must have {NUM_FIELDS} fields, has {len(words)}")
        jobs.append((place, words))
    whole = {words[0] for place, words in jobs if _status(words, place) not in _PARTIAL_STATUS}
    for place, words in jobs:
        if _status(words, place) in _PARTIAL_STATUS:
            if words[0] in whole:
                build.merge(PARTIAL, words[0])
            else:
                build.drop(PARTIAL_ALONE)
        else:
            _add(words, place, origin or Fraction(0), build)
    return None if origin is None else "UTC"


def _add(words: list[str], place: str, origin: Fraction, build: TraceBuilder) -> None:
    name, submit, run, allocated, requested = (
        _value(words, field, place) for field in (1, 2, 4, 5, 8)
    )
    status = _status(words, place)
    build.add(
        name="" if name is None else words[0],
        submit=None if submit is None else origin + submit,
        gpus=requested if allocated is None else allocated,
        duration=run,
        status=None if status is None else _STATUS.get(status, str(status)),
    )


def _status(words: list[str], place: str) -> Fraction | None:
    return _value(words, 11, place)


def _value(words: list[str], field: int, place: str) -> Fraction | None:
    number = exact(words[field - 1], f"{place}: field {field}")
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
