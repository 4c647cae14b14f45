"""Tables of an audit: schedules side by side, and who waited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from hadaropt.auditing.report import Audit
from hadaropt.auditing.sentences import in_unit, unit_of
from hadaropt.auditing.waiting import Measures
from hadaropt.auditing.whatif import WhatIf

HEAD = (
    "schedule",
    "jobs",
    "mean waiting",
    "waiting p50",
    "p90",
    "p99",
    "mean JCT",
    "JCT p50",
    "p90 ",
    "p99 ",
    "last done",
)
ANY_TYPE_HEAD = ("on any type", "mean JCT", "last done")
CHANGE_HEAD = ("what if", "schedule", "mean waiting", "mean JCT")
UNCHANGED = "no change"
GROUP_HEAD = ("group", "jobs", "mean waiting", "p50", "p90", "p99", "mean JCT")


class Least(Fraction):
    """Seconds that bound from below: rounded down."""


Cell: TypeAlias = str | Fraction
"""A text, or a time in seconds."""


def schedule_rows(audit: Audit) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the table of schedules: recorded, those of this package, and what none beats."""
    log, count = audit.log, audit.jobs
    rows = list[tuple[Cell, ...]]()
    if audit.recorded is not None:
        rows.append(_row(audit, "recorded", audit.recorded))
    for name, own in sorted(audit.schedulers.items(), key=lambda item: item[1].waiting):
        rows.append(_row(audit, name, own))
    rows += [(name, *["did not complete every job"], *[""] * 9) for name in audit.incomplete]
    least = Least(log.seconds(audit.least_waiting / count))
    whole = Least(log.seconds(audit.least_waiting_in_one_piece / count))
    jct, last = Least(audit.least_jct), Least(audit.least_last)
    service = Fraction(audit.service - sum(job.submit for job in log.counted), count)
    jct_whole = Least(log.seconds(service + audit.least_waiting_in_one_piece / count))
    rows.append(("proven least", f"{count:,}", least, "", "", "", jct, "", "", "", last))
    rows.append(
        ("proven, no preemption", f"{count:,}", whole, "", "", "", jct_whole, "", "", "", last)
    )
    return HEAD, _told(rows)


def any_type_rows(audit: Audit) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the table of what holds where jobs may run on any type; no rows without speeds."""
    own = audit.any_type
    if own is None:
        return ANY_TYPE_HEAD, []
    rows: list[tuple[Cell, ...]] = [(name, *ends) for name, ends in own.reached.items()]
    rows += [(name, "did not complete every job", "") for name in own.incomplete]
    rows.append(("proven least", Least(own.mean_jct), Least(own.last)))
    return ANY_TYPE_HEAD, _told(rows)


def change_rows(audit: Audit) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the table of changes: what schedules reach after each, and what none beats.

    First what there is without any of them.
    """
    log, count = audit.log, audit.jobs
    rows = _unchanged_rows(audit) if audit.changes else []
    for own in audit.changes:

        def row(
            name: str,
            ends: Fraction | int,
            made: Callable[[Fraction], Fraction] = Fraction,
            own: WhatIf = own,
        ) -> tuple[Cell, ...]:
            means = (
                log.seconds(Fraction(ends - less) / count) for less in (own.service, own.submits)
            )
            return own.change.text, name, *map(made, means)

        rows += [row(name, ends) for name, ends in own.schedulers.items()]
        unfinished = [*own.incomplete]
        rows.append(row("proven least", max(own.floor, Fraction(own.service)), Least))
        text, any_type = own.change.text, own.any_type
        if any_type is not None:
            for name, (mean, _) in any_type.reached.items():
                rows.append((text, f"{name}, on any type", "", mean))
            unfinished += [f"{name}, on any type" for name in any_type.incomplete]
            rows.append((text, "proven least, on any type", "", Least(any_type.mean_jct)))
        rows += [(text, name, "did not complete every job", "") for name in unfinished]
    return CHANGE_HEAD, _told(rows)


def _unchanged_rows(audit: Audit) -> list[tuple[Cell, ...]]:
    """Return what is recorded, the best that is known and what none beats, without a change."""
    log, count = audit.log, audit.jobs
    reached = dict([audit.best])
    if audit.recorded is not None:
        reached = {"recorded": audit.recorded, **reached}
    rows: list[tuple[Cell, ...]] = [
        (
            UNCHANGED,
            name,
            log.seconds(Fraction(own.waiting, own.jobs)),
            log.seconds(Fraction(own.jct, own.jobs)),
        )
        for name, own in reached.items()
    ]
    least = Least(log.seconds(audit.least_waiting / count))
    rows.append((UNCHANGED, "proven least", least, Least(audit.least_jct)))
    if audit.any_type is not None:
        least = Least(audit.any_type.mean_jct)
        rows.append((UNCHANGED, "proven least, on any type", "", least))
    return rows


def shown_groups(audit: Audit, *, names: bool) -> dict[str, list[tuple[str | int, Measures]]]:
    """Return measures by group; queues by pseudonyms unless ``names``, most jobs first."""
    queues = sorted(audit.by_queue.items(), key=lambda item: (-item[1].jobs, str(item[0])))
    if not names:
        queues = [(f"queue {i}", own) for i, (_, own) in enumerate(queues, 1)]
    return {
        "queue": queues,
        "GPU type": sorted(audit.by_type.items(), key=lambda item: str(item[0])),
        "gang size": sorted(audit.by_gang.items(), key=lambda item: int(item[0])),
    }


def _row(audit: Audit, name: str, own: Measures) -> tuple[Cell, ...]:
    seconds = audit.log.seconds
    return (
        name,
        f"{own.jobs:,}",
        seconds(Fraction(own.waiting, own.jobs)),
        *map(seconds, own.waiting_at),
        seconds(Fraction(own.jct, own.jobs)),
        *map(seconds, own.jct_at),
        seconds(own.last),
    )


def group_rows(audit: Audit, groups: Iterable[tuple[str | int, Measures]]) -> list[tuple[str, ...]]:
    """Return the rows of groups."""
    return _told([_row(audit, str(name), own)[:7] for name, own in groups])


def _told(rows: Sequence[tuple[Cell, ...]]) -> list[tuple[str, ...]]:
    """Return cells in words: times in seconds as ones of one unit for each column."""
    columns = []
    for column in zip(*rows, strict=True):
        unit = unit_of(cell for cell in column if isinstance(cell, Fraction))
        columns.append(
            [
                in_unit(cell, unit, down=isinstance(cell, Least))
                if isinstance(cell, Fraction)
                else cell
                for cell in column
            ]
        )
    return list(zip(*columns, strict=True))
