"""Slurm accounting: what ``sacct -P`` (or ``-p``) prints, with a header.

Needed: JobID, Submit, Start, End, State and AllocTRES or ReqTRES. Read where they are there:
User, Partition, Elapsed. A good call is ``sacct -aPD -S ... -E ... --format=JobID,User,Partition,
Submit,Start,End,Elapsed,State,AllocTRES,ReqTRES`` (D keeps the runs of requeued jobs).

Conventions: GPUs are ``gres/gpu:TYPE=N`` of AllocTRES, or of ReqTRES where nothing was allocated;
jobs without are dropped as jobs of zero GPUs, those of several types under their own reason. Steps
(``123.batch``) and further components of heterogeneous jobs (``123+1``) are no jobs of their own.
Members of arrays are jobs. Rows that share a JobID are the runs of one requeued job: its attempts,
submitted when the first was. ``Unknown`` is missing. An end that is missing where the elapsed time
(``days-hours:minutes:seconds``) is not, and the state is final, is the start plus that time. Times
all carry a UTC offset, or none does; they are then of one local clock, taken as written unless its
zone is named (an hour of summer time stretches or shortens what lies across it).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, timezone
from fractions import Fraction
from itertools import pairwise
from zoneinfo import ZoneInfo

from hadaropt.errors import TraceError, shown
from hadaropt.traces.builder import TraceBuilder
from hadaropt.traces.clock import wall_seconds, zoned_seconds
from hadaropt.traces.decimals import exact
from hadaropt.traces.formats.layout import FAILED_KEPT, TextFormat, not_run
from hadaropt.traces.table import Row, parse_table

NEEDED = ("JobID", "Submit", "Start", "End", "State")
STEP = "job step"
COMPONENT = "further component of a heterogeneous job"
SEVERAL_TYPES = "GPUs of several types"
REQUEUED = "run of a requeued job already counted"
BROKEN_ROW = "row of another number of fields (a | in a name?)"
OVERLAP = "attempts that overlap"
LOCAL = "local time without zone"

_GPU = re.compile(r"gres/gpu(?::([^=,]+))?=(\d+)")
_ELAPSED = re.compile(r"(?:(\d{1,18})-)?(?:(\d{1,18}):)?(\d{1,18}):(\d{1,18})(?:\.\d+)?", re.ASCII)
_OFFSET = re.compile(r"(?:[+-]\d\d:?\d\d|Z)$")
_OPEN = frozenset({"RUNNING", "PENDING", "SUSPENDED", "RESIZING", "REQUEUED"})


def is_slurm(line: str) -> bool:
    """Whether a line is a header of ``sacct -P`` with the columns that are needed."""
    fields = {name.strip() for name in line.split("|")}
    return fields >= set(NEEDED) and bool(fields & {"AllocTRES", "ReqTRES"})


@dataclass
class _Job:
    submit: Fraction | None
    gpus: int
    kind: str | None
    state: str
    queue: str | None
    user: str | None
    attempts: list[tuple[Fraction, Fraction]] = field(default_factory=list)
    fault: str | None = None


def _read(text: str, source: str, build: TraceBuilder) -> str:
    return read_zoned(text, source, build, None)


def read_zoned(text: str, source: str, build: TraceBuilder, zone: ZoneInfo | None) -> str:
    """Add the jobs of a log to a builder; ``zone`` is that of local times; return the calendar."""
    table = parse_table(text, source, delimiter="|")
    columns = table.first[:-1] if not table.first[-1] else table.first  # sacct -p ends with |
    if len(set(columns)) < len(columns):
        raise TraceError(source, "names a column twice")
    zoned: bool | None = None
    jobs: dict[str, _Job] = {}
    for line, values in table.records[1:]:
        if len(values) != len(table.first):
            build.drop(BROKEN_ROW)
            continue
        row = Row(f"{source} line {line}", dict(zip(columns, values, strict=False)))
        name = row.text("JobID") or ""
        if "." in name or ("+" in name and not name.endswith("+0")):
            if "." in name:
                build.merge(STEP, name.partition(".")[0])
            else:
                build.drop(COMPONENT)
            continue
        if zoned is None and row.text("Submit"):
            zoned = bool(_OFFSET.search(row.text("Submit") or ""))
        _gather(jobs, name, row, UTC if zoned else zone, build)
    for name, job in jobs.items():
        _add(name, job, build)
    if not zoned and zone is not None:
        return f"UTC, from {zone.key}"
    return "UTC" if zoned else LOCAL


def _gather(
    jobs: dict[str, _Job],
    name: str,
    row: Row,
    zone: ZoneInfo | timezone | None,
    build: TraceBuilder,
) -> None:
    """Make the row a job, or a further attempt of one."""
    submit = _time(row, "Submit", zone)
    start = _time(row, "Start", zone, submit)
    end = _time(row, "End", zone, submit if start is None else start)
    state = (row.text("State") or "UNKNOWN").split()[0]
    if end is None and start is not None and state not in _OPEN:
        elapsed = elapsed_seconds(row.text("Elapsed"), f"{row.place}: Elapsed")
        end = None if elapsed is None else start + elapsed
    gpus, kind, fault = _gpus(row)
    known = jobs.get(name)
    if known is None:
        known = jobs[name] = _Job(
            submit, gpus, kind, state, row.text("Partition"), row.text("User"), fault=fault
        )
    else:
        build.merge(REQUEUED, name)
        if (gpus, kind) != (known.gpus, known.kind) and gpus and known.gpus:
            known.fault = "gang size differs between attempts"
        known.gpus, known.kind = (gpus, kind) if gpus else (known.gpus, known.kind)
        known.state = state
        if submit is not None:
            known.submit = submit if known.submit is None else min(submit, known.submit)
    if start is not None and end is not None:
        known.attempts.append((start, end))
    elif start is not None:
        known.fault = known.fault or not_run(start, end)


def _add(name: str, job: _Job, build: TraceBuilder) -> None:
    runs = tuple(sorted(run for run in job.attempts if run[0] != run[1]))
    fault = job.fault or (None if job.attempts else not_run(None, None))
    if any(after[0] < before[1] for before, after in pairwise(runs)):
        fault = fault or OVERLAP
    backwards = next((end - start for start, end in runs if end < start), None)
    build.add(
        name=name,
        submit=job.submit,
        gpus=Fraction(job.gpus),
        duration=sum((end - start for start, end in runs), Fraction(0))
        if backwards is None
        else backwards,
        not_run=fault,
        gpu_type=job.kind,
        status=job.state,
        attempts=runs,
        queue=job.queue,
        user=job.user,
    )


def _gpus(row: Row) -> tuple[int, str | None, str | None]:
    """Return the GPUs of a row, their type, and why they are no gang of one type."""
    column = "AllocTRES" if row.text("AllocTRES") else "ReqTRES"
    text = row.text(column) or ""
    typed: dict[str, int] = {}
    total = 0
    for kind, digits in _GPU.findall(text):
        count = int(exact(digits, f"{row.place}: {column}") or 0)
        if kind:
            typed[kind] = typed.get(kind, 0) + count
        else:
            total += count
    held = {kind: count for kind, count in typed.items() if count}
    if len(held) > 1:
        return sum(held.values()), None, SEVERAL_TYPES
    if held:
        kind, count = next(iter(held.items()))
        return max(count, total), kind, None
    return total, None, None


def _time(
    row: Row, column: str, zone: ZoneInfo | timezone | None, after: Fraction | None = None
) -> Fraction | None:
    text = row.text(column)
    if text is None or text.lower() == "unknown":
        return None
    place = f"{row.place}: {column}"
    if text.isdigit():  # SLURM_TIME_FORMAT=%s
        return exact(text, place)
    if isinstance(zone, ZoneInfo):
        return zoned_seconds(text, place, zone, after)
    return wall_seconds(text, place, zone=zone)


def elapsed_seconds(text: str | None, place: str) -> Fraction | None:
    """Return the seconds of ``days-hours:minutes:seconds``, None where it is missing.

    Examples
    --------
    >>> elapsed_seconds("1-02:00:03", "here")
    Fraction(93603, 1)
    """
    if text is None or text.lower() in ("unknown", "invalid"):
        return None
    found = _ELAPSED.fullmatch(text)
    if found is None:
        raise TraceError(place, "must be days-hours:minutes:seconds", shown(text))
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return Fraction(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


FORMAT = TextFormat(
    name="slurm",
    title="Slurm, sacct -P",
    read=_read,
    conventions=(
        "GPUs are gres/gpu of AllocTRES, or of ReqTRES where nothing was allocated",
        "rows of one JobID are the attempts of a requeued job; its running time is their sum",
        "job steps are no jobs; members of arrays are",
        "times without a UTC offset are taken as written, unless a zone is named",
        FAILED_KEPT,
    ),
)
