"""The page of an audit: one sentence, one picture, tables, assumptions; one file, offline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hadaropt import __version__
from hadaropt.auditing.floor import least_present
from hadaropt.auditing.report import Audit
from hadaropt.auditing.sentences import (
    assumptions,
    clock,
    headline,
    misfit_lines,
    more_lines,
    rules,
)
from hadaropt.auditing.tables import (
    GROUP_HEAD,
    any_type_rows,
    change_rows,
    group_rows,
    schedule_rows,
    shown_groups,
)
from hadaropt.auditing.waiting import present
from hadaropt.bench.page.html import Block, Figure, Numbers, Section, Table, Text, page
from hadaropt.io.files import writing
from hadaropt.plot.style import (
    BLACK,
    BLUE,
    DASHED,
    SOLID,
    VERMILION,
    axes_or_new,
    legend_below,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS, MOST_GROUPS = 600, 20


def write_page(audit: Audit, file: Path, *, names: bool = False, command: str = "") -> Path:
    """Write the page; queues by pseudonyms unless ``names``, users not at all.

    Its foot says which version made it, and by which ``command``.
    """
    title = f"Audit of {audit.log.source}"
    sections = [
        Section("answer", "The answer", [Text(headline(audit)), *_texts(more_lines(audit))]),
        Section("picture", "Jobs that wait or run", [_picture(audit)]),
    ]
    if audit.misfits:
        sections[0].blocks += [Text(line, missing=True) for line in misfit_lines(audit)]
    columns, rows = schedule_rows(audit)
    sections.append(
        Section(
            "schedules",
            "Schedules",
            [
                Table(columns, rows, numbers=Numbers("schedules", columns, rows)),
                Text(
                    "Waiting is completion minus submission minus the time for which the job held "
                    "its GPUs."
                ),
                Table((), rules(audit), caption="The rules", facts=True),
            ],
        )
    )
    columns, rows = any_type_rows(audit)
    if rows:
        own = Table(columns, rows, numbers=Numbers("any-type", columns, rows))
        about = "Mean JCT at the speeds that are assumed above; waiting has no meaning there."
        sections.append(Section("any-type", "Jobs on any type", [own, Text(about)]))
    columns, rows = change_rows(audit)
    if rows:
        own = Table(columns, rows, numbers=Numbers("what-if", columns, rows))
        about = "Each change by itself."
        if any(change.any_type is not None for change in audit.changes):
            about += " Waiting has no meaning where jobs may run on any type."
        sections.append(Section("what-if", "What if", [own, Text(about)]))
    groups = Section("groups", "Who waited")
    for heading, members in shown_groups(audit, names=names).items():
        if members:
            rows = group_rows(audit, members)
            numbers = Numbers(f"by-{heading.replace(' ', '-')}", GROUP_HEAD, rows)
            caption = f"By {heading}"
            if heading == "queue" and not names:
                caption += " (pseudonyms, most jobs first; --names shows the names)"
            groups.blocks.append(Table(GROUP_HEAD, rows[:MOST_GROUPS], numbers, caption=caption))
    if groups.blocks:
        sections.append(groups)
    sections.append(Section("log", "The log", [_facts(audit)]))
    sections.append(Section("assumptions", "What this rests on", _texts(assumptions(audit))))
    about = "What the jobs of this log waited, and what no schedule could have avoided."
    with writing(file) as draft:
        foot = f"Made by hadaropt {__version__}{f': {command}' if command else ''}"
        draft.write_text(page(title, about, sections, foot), encoding="utf-8")
    return file


def _texts(lines: Iterable[str]) -> list[Block]:
    return [Text(line) for line in lines]


def _facts(audit: Audit) -> Table:
    log = audit.log
    rows = [
        ("file", f"{log.source} ({log.format})"),
        *_dates(audit),
        ("rows", f"{log.rows:,}"),
        ("jobs that count", f"{audit.jobs:,}"),
        ("jobs that do not", f"{len(log.jobs) - audit.jobs:,} failed, cancelled or cut"),
        *[(f"left out: {why}", f"{n:,}") for why, n in log.left_out.items()],
        *[(f"part of a job: {why}", f"{n:,}") for why, n in log.merged.items()],
        ("cluster", ", ".join(f"{size:,} {pool}" for pool, size in log.pools.items())),
        ("cluster from", log.origin),
        ("clock", log.calendar or "seconds since the start of the log"),
        *[("how it is read", rule) for rule in log.conventions],
    ]
    return Table((), rows, facts=True)


def _dates(audit: Audit) -> list[tuple[str, str]]:
    """Return the first submission and the last end of the log, on its clock."""
    log = audit.log
    zone = log.calendar or "of the log's own clock"
    dates = [("first submission", f"{clock(audit, min(job.submit for job in log.jobs))} ({zone})")]
    if log.recorded:
        last = max(job.completion for job in log.jobs)
        dates.append(("last end", f"{clock(audit, last)} ({zone})"))
    return dates


def _curves(audit: Audit) -> Mapping[str, tuple[list[int], list[int]]]:
    counted = audit.log.counted
    submits = [job.submit for job in counted]
    curves = {}
    if audit.recorded is not None:
        curves["recorded"] = present(submits, [job.completion for job in counted])
    best = min(audit.replayed, key=lambda run: sum(run.completions))
    curves[f"best rule here ({best.rule})"] = present(submits, best.completions)
    asked = [(job.pool, (job.submit, job.service, job.gang)) for job in counted]
    curves["proven least"] = least_present(audit.floor, asked)
    return curves


def _picture(audit: Audit) -> Figure:
    seconds = audit.log.seconds
    curves = _curves(audit)
    end = max(times[-1] for times, _ in curves.values())
    unit, name = (86400, "days") if seconds(end) >= 2 * 86400 else (3600, "hours")
    axes = axes_or_new(None, 9.0, 3.8)
    looks = {"recorded": (BLACK, SOLID), "proven least": (VERMILION, SOLID)}
    rows = []
    for label, (times, counts) in curves.items():
        colour, dashes = looks.get(label, (BLUE, DASHED))
        xs, ys = _sampled(times, counts, end)
        own = [float(seconds(x)) / unit for x in xs]
        axes.plot(
            own,
            ys,
            drawstyle="steps-post",
            linewidth=1.4,
            label=label,
            color=colour,
            linestyle=dashes,
        )
        if label == "proven least":
            axes.fill_between(own, ys, step="post", color=VERMILION, alpha=0.12, linewidth=0)
        rows += [(label, float(seconds(x)), y) for x, y in zip(xs, ys, strict=True)]
    axes.set_xlabel(f"{name} since the first submission")
    axes.set_ylabel("jobs that wait or run")
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="y", integer=True)
    tidy(axes)
    legend_below(axes)
    return _figure(axes, rows)


def _figure(axes: Axes, rows: list[tuple[str, float, int]]) -> Figure:
    return Figure(
        "Jobs submitted and not complete, over time",
        "Lines over time: how many jobs wait or run in the recorded schedule, under the best rule "
        "here, and the least number that any schedule has there at that moment.",
        axes,
        Numbers("jobs-over-time", ("schedule", "seconds", "jobs"), rows),
        wide=True,
    )


def _sampled(times: list[int], counts: list[int], end: int) -> tuple[list[int], list[int]]:
    """Return a step curve at its own times, or at even ones where there are too many."""
    if len(times) <= POINTS:
        return [*times, end], [*counts, counts[-1]]
    xs, ys, i = [], [], 0
    for k in range(POINTS + 1):
        x = end * k // POINTS
        while i + 1 < len(times) and times[i + 1] <= x:
            i += 1
        xs.append(x)
        ys.append(counts[i])
    return xs, ys
