"""Tables of an audit: schedules side by side, and who waited."""

from __future__ import annotations

from fractions import Fraction

from hadaropt.auditing.report import Audit
from hadaropt.auditing.sentences import hours
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
GROUP_HEAD = ("group", "jobs", "mean waiting", "p50", "p90", "p99", "mean JCT")


def schedule_rows(audit: Audit) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the table of schedules: recorded, those of this package, and what none beats."""
    log, count = audit.log, audit.jobs
    rows = []
    if audit.recorded is not None:
        rows.append(_row(audit, "recorded", audit.recorded))
    for name, own in sorted(audit.schedulers.items(), key=lambda item: item[1].waiting):
        rows.append(_row(audit, name, own))
    rows += [(name, *["did not complete every job"], *[""] * 9) for name in audit.incomplete]
    least = hours(log.seconds(audit.least_waiting / count), down=True)
    whole = hours(log.seconds(audit.least_waiting_in_one_piece / count), down=True)
    jct, last = hours(audit.least_jct, down=True), hours(audit.least_last, down=True)
    service = Fraction(audit.service - sum(job.submit for job in log.counted), count)
    jct_whole = hours(log.seconds(service + audit.least_waiting_in_one_piece / count), down=True)
    rows.append(("proven least", f"{count:,}", least, "", "", "", jct, "", "", "", last))
    rows.append(
        ("proven, no preemption", f"{count:,}", whole, "", "", "", jct_whole, "", "", "", last)
    )
    return HEAD, rows


def any_type_rows(audit: Audit) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the table of what holds where jobs may run on any type; no rows without speeds."""
    own = audit.any_type
    if own is None:
        return ANY_TYPE_HEAD, []
    rows = [(name, hours(mean), hours(last)) for name, (mean, last) in own.reached.items()]
    rows += [(name, "did not complete every job", "") for name in own.incomplete]
    least = hours(own.mean_jct, down=True), hours(own.last, down=True)
    return ANY_TYPE_HEAD, [*rows, ("proven least", *least)]


def change_rows(audit: Audit) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the table of changes: what schedules reach after each, and what none beats."""
    log, count, rows = audit.log, audit.jobs, list[tuple[str, ...]]()
    for own in audit.changes:

        def row(
            name: str, ends: Fraction | int, *, down: bool = False, own: WhatIf = own
        ) -> tuple[str, ...]:
            means = (
                log.seconds(Fraction(ends - less) / count) for less in (own.service, own.submits)
            )
            return own.change.text, name, *(hours(mean, down=down) for mean in means)

        rows += [row(name, ends) for name, ends in own.schedulers.items()]
        unfinished = [*own.incomplete]
        rows.append(row("proven least", max(own.floor, Fraction(own.service)), down=True))
        text, any_type = own.change.text, own.any_type
        if any_type is not None:
            for name, (mean, _) in any_type.reached.items():
                rows.append((text, f"{name}, on any type", "", hours(mean)))
            unfinished += [f"{name}, on any type" for name in any_type.incomplete]
            least = hours(any_type.mean_jct, down=True)
            rows.append((text, "proven least, on any type", "", least))
        rows += [(text, name, "did not complete every job", "") for name in unfinished]
    return CHANGE_HEAD, rows


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


def _row(audit: Audit, name: str, own: Measures) -> tuple[str, ...]:
    def shown(ticks: Fraction | int) -> str:
        return hours(audit.log.seconds(ticks))

    return (
        name,
        f"{own.jobs:,}",
        shown(Fraction(own.waiting, own.jobs)),
        *map(shown, own.waiting_at),
        shown(Fraction(own.jct, own.jobs)),
        *map(shown, own.jct_at),
        shown(own.last),
    )


def group_row(audit: Audit, name: str | int, own: Measures) -> tuple[str, ...]:
    """Return the row of a group."""
    row = _row(audit, str(name), own)
    return row[:7]
