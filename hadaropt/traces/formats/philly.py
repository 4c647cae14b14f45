"""Microsoft Philly (Jeon et al., ATC 2019; CC-BY-4.0): reduced csv and the original JSON log.

Conventions of the JSON log: a job is one record; its running time is the SUM over its attempts
(retries) of end minus start, which is the time it held GPUs - waiting between attempts is not
running. Its gang size is that of its attempts. A job is dropped whose attempts differ in size, in
which an attempt or a GPU of an attempt stands twice, or with an attempt whose times were not
recorded ("None" or null), for its running time is unknown. The clock of both forms is a wall clock
without zone (the utilisation files of the same cluster say Pacific time); differences are taken on
it as written, so the autumn change on 2017-11-05 shortens intervals across it by an hour, and an
attempt that ends before it starts is dropped as a negative duration.

Conventions of the reduced csv (``timestamp,duration,num_gpus,gpu_time,cluster``, as used by
Pollux and Sia): seconds; attempts were merged by its authors; rows carry no id, so equal rows are
different jobs.
"""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from typing import TypeVar

from hadaropt.errors import TraceError, shown
from hadaropt.traces.builder import NEVER_STARTED, NO_SUBMIT, STILL_RUNNING, TraceBuilder
from hadaropt.traces.clock import wall_seconds
from hadaropt.traces.formats.layout import (
    FAILED_KEPT,
    NO_IDENTITY,
    TableFormat,
    TextFormat,
    each,
)
from hadaropt.traces.table import Row

CALENDAR = "wall clock without zone, Pacific by the utilisation log"
CLOCK_RULE = "times on a wall clock without zone; differences taken as written, summer time ignored"
T = TypeVar("T")
SIZE_CHANGES = "gang size differs between attempts"
UNTIMED_ATTEMPT = "an attempt without recorded times"
REPEATED_ATTEMPT = "an attempt that stands twice"
REPEATED_GPU = "a GPU that stands twice in an attempt"


def _csv_row(row: Row, build: TraceBuilder) -> None:
    build.add(
        name=None,
        submit=wall_seconds(row.text("timestamp"), f"{row.place}: timestamp"),
        gpus=row.number("num_gpus"),
        duration=row.number("duration"),
        queue=row.text("cluster"),
    )


def _read_json(text: str, source: str, build: TraceBuilder) -> str:
    try:
        records = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"{source} line {error.lineno} column {error.colno}"
        cut = "; the file looks cut short" if error.pos >= len(text.rstrip()) - 1 else ""
        raise TraceError(place, f"is not JSON ({error.msg}){cut}") from None
    except RecursionError:
        raise TraceError(source, "is nested too deeply") from None
    except ValueError:  # the only other one: more digits than Python converts
        raise TraceError(source, "holds a number of too many digits") from None
    if not isinstance(records, list):
        raise TraceError(source, f"must be a list of jobs, is a {type(records).__name__}")
    for index, record in enumerate(records):
        _add_record(record, f"{source}: [{index}]", build)
    return CALENDAR


def _add_record(record: object, place: str, build: TraceBuilder) -> None:
    name = _field(record, "jobid", str, place)
    assert isinstance(record, dict)
    status = _field(record, "status", str, place)
    attempts = _field(record, "attempts", list, place)
    submit = _time(record, "submitted_time", place)
    if submit is None:
        build.drop(NO_SUBMIT)
        return
    if not attempts:
        build.drop(NEVER_STARTED)
        return
    total, sizes = Fraction(0), set()
    times: list[tuple[Fraction, Fraction]] = []
    nodes: Counter[str] = Counter()
    for number, attempt in enumerate(attempts):
        here = f"{place}.attempts[{number}]"
        start, end = _time(attempt, "start_time", here), _time(attempt, "end_time", here)
        if start is None or end is None:
            last = number == len(attempts) - 1
            build.drop(STILL_RUNNING if last and start is not None else UNTIMED_ATTEMPT)
            return
        detail = _field(attempt, "detail", list, here)
        held = [(str(node.get("ip")), str(gpu)) for node in detail for gpu in _gpus(node, here)]
        if len(set(held)) < len(held):
            build.drop(REPEATED_GPU)
            return
        sizes.add(len(held))
        nodes = Counter(node for node, _ in held)
        if end < start:  # not hidden by the other attempts' time
            total = end - start
            break
        total += end - start
        times.append((start, end))
    if len(sizes) > 1:
        build.drop(SIZE_CHANGES)
        return
    if total > 0 and any(attempt in attempts[:number] for number, attempt in enumerate(attempts)):
        build.drop(REPEATED_ATTEMPT)
        return
    build.add(
        name=name,
        submit=submit,
        gpus=Fraction(sizes.pop()),
        duration=total,
        status=status,
        attempts=tuple(times),
        nodes=tuple(nodes.items()),
        queue=_label(record, "vc"),
        user=_label(record, "user"),
    )


def _label(record: dict[str, object], key: str) -> str | None:
    """Return a name that a record may have."""
    value = record.get(key)
    return value if isinstance(value, str) else None


def _gpus(node: object, place: str) -> list[object]:
    return _field(node, "gpus", list, place)


def _time(record: object, key: str, place: str) -> Fraction | None:
    value = _field(record, key, object, place)
    if value is not None and not isinstance(value, str):
        raise TraceError(f"{place}.{key}", "must be str or null", shown(value))
    return wall_seconds(value, f"{place}.{key}")


def _field(record: object, key: str, kind: type[T], place: str) -> T:
    if not isinstance(record, dict) or key not in record:
        raise TraceError(place, f"must have a field {key!r}")
    value = record[key]
    if not isinstance(value, kind):
        raise TraceError(f"{place}.{key}", f"must be {kind.__name__}", shown(value))
    return value


CSV = TableFormat(
    name="philly-csv",
    title="Philly, reduced csv",
    columns=("timestamp", "duration", "num_gpus", "gpu_time", "cluster"),
    read=each(_csv_row),
    calendar=CALENDAR,
    conventions=(
        "durations are seconds; attempts (retries) were merged by the authors of the csv",
        CLOCK_RULE,
        NO_IDENTITY,
        "num_gpus is taken; gpu_time is not used",
    ),
)

JSON = TextFormat(
    name="philly-json",
    title="Philly, original JSON log",
    read=_read_json,
    conventions=(
        "retries: the running time is the sum over attempts of end - start",
        "a job whose attempts differ in gang size, or one with unrecorded times, is dropped",
        CLOCK_RULE,
        FAILED_KEPT,
    ),
)
