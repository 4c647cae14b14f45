"""A picture of a trace: what it asks for over time, when, for how long, and in what gangs."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from hadaropt.plot.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    literal,
    mark_x,
    new_figure,
    tidy,
)
from hadaropt.traces.inspection import DAY, HOUR, TraceInspection

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CLASSES = (
    ("1 GPU", 1, 1, BLUE, "-"),
    ("2-4 GPUs", 2, 4, ORANGE, "--"),
    ("5-8 GPUs", 5, 8, GREEN, "-."),
    ("over 8 GPUs", 9, None, PURPLE, ":"),
)

_MARKS = (
    (1, "1 s"),
    (10, "10 s"),
    (60, "1 min"),
    (600, "10 min"),
    (HOUR, "1 h"),
    (10 * HOUR, "10 h"),
    (4 * DAY, "4 d"),
    (40 * DAY, "40 d"),
    (400 * DAY, "400 d"),
)


def plot_trace(inspection: TraceInspection) -> tuple[Axes, ...]:
    """Draw four panels of one trace.

    GPUs wanted over time if every job started on arrival, against the cluster; arrivals by hour of
    the day; the distribution of durations by gang size; and each gang size's share of the jobs
    beside its share of the GPU-seconds.

    Parameters
    ----------
    inspection : TraceInspection
        Of :func:`hadaropt.traces.inspect_trace`.

    Returns
    -------
    tuple of Axes
        The four panels, row by row; ``axes[0].figure.savefig(path)`` writes them.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    trace = inspection.trace
    figure = new_figure(11, 7.5)
    figure.suptitle(
        f"{literal(trace.source)}: {len(trace.jobs):,} of {trace.rows:,} rows kept",
        fontsize="large",
    )
    (demand, hours), (durations, gangs) = figure.subplots(2, 2)
    _draw_demand(demand, inspection)
    _draw_hours(hours, inspection)
    _draw_durations(durations, inspection)
    _draw_gangs(gangs, inspection)
    panels = (demand, hours, durations, gangs)
    for axes in panels:
        tidy(axes, "y")
    return panels


def wanted_gpus(inspection: TraceInspection) -> tuple[list[Fraction], list[int]]:
    """Return instants and the GPUs held from each on, if every job started on arrival.

    Intervals are half-open: a job that ends at an instant has given its GPUs back there.
    """
    change: dict[Fraction, int] = {}
    pairs = zip(inspection.trace.jobs, inspection.seconds, strict=True)
    for job, seconds in pairs:
        start, end = job.submit_seconds, job.submit_seconds + seconds
        change[start] = change.get(start, 0) + job.num_gpus
        change[end] = change.get(end, 0) - job.num_gpus
    instants, levels, level = sorted(change), [], 0
    for instant in instants:
        level += change[instant]
        levels.append(level)
    return instants, levels


def _draw_demand(axes: Axes, inspection: TraceInspection) -> None:
    instants, levels = wanted_gpus(inspection)
    end = inspection.span_seconds or (instants[-1] if instants else Fraction(HOUR))
    size, unit = (DAY, "days") if end >= 2 * DAY else (HOUR, "hours")
    shown = [(float(t / size), n) for t, n in zip(instants, levels, strict=True) if t <= end]
    shown.append((float(end / size), shown[-1][1] if shown else 0))
    times, counts = zip(*shown, strict=True)
    axes.fill_between(times, counts, step="post", color=BLUE, alpha=0.25, linewidth=0)
    axes.step(times, counts, where="post", color=BLUE, linewidth=1)
    total = sum(inspection.cluster.pooled_capacity)
    axes.axhline(total, color=BLACK, linestyle="--", linewidth=1)
    axes.annotate(
        f"cluster: {total} GPUs",
        (1, total),
        xycoords=("axes fraction", "data"),
        xytext=(-4, 3),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize="small",
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
    )
    axes.set_ylim(0, 1.12 * max(*counts, total))
    axes.set_xlim(0, float(end / size))
    axes.set_title("GPUs wanted if every job started on arrival")
    axes.set_xlabel(f"{unit} since the first arrival")
    axes.set_ylabel("GPUs")


def _draw_hours(axes: Axes, inspection: TraceInspection) -> None:
    axes.bar(range(24), inspection.by_hour, width=0.9, color=BLUE, align="edge")
    axes.set_xticks(range(0, 25, 3))
    axes.set_xlim(0, 24)
    calendar = inspection.trace.calendar
    axes.set_title("Arrivals by hour of the day")
    clock = "since the trace's own start, modulo a day" if calendar is None else calendar
    axes.set_xlabel(f"hour ({literal(clock)})", fontsize="medium" if len(clock) < 45 else "small")
    axes.set_ylabel("jobs")
    axes.set_ylim(0, None if any(inspection.by_hour) else 1)


def _draw_durations(axes: Axes, inspection: TraceInspection) -> None:
    pairs = list(zip(inspection.trace.jobs, inspection.seconds, strict=True))
    for title, least, most, colour, dashes in _CLASSES:
        values = sorted(
            float(seconds)
            for job, seconds in pairs
            if seconds > 0 and least <= job.num_gpus <= (most or job.num_gpus)
        )
        if values:
            shares = [100 * (i + 1) / len(values) for i in range(len(values))]
            axes.step(
                [values[0], *values],
                [0, *shares],
                where="post",
                color=colour,
                linestyle=dashes,
                linewidth=1.8,
                label=f"{title} ({len(values):,})",
            )
    if pairs:
        axes.set_xscale("log")
        mark_x(axes, _MARKS)
        axes.legend(fontsize="small", loc="best", framealpha=0.9, edgecolor="none")
    axes.set_ylim(0, 101)
    axes.set_title("Durations, cumulative")
    axes.set_xlabel("duration")
    axes.set_ylabel("per cent of the jobs of that size")


def _draw_gangs(axes: Axes, inspection: TraceInspection) -> None:
    jobs, work = len(inspection.trace.jobs), inspection.gpu_seconds
    sizes = list(inspection.by_gpus)
    places = range(len(sizes))
    _bars(
        axes,
        [place - 0.2 for place in places],
        (Fraction(count, jobs) for count, _ in inspection.by_gpus.values()),
        ORANGE,
        "//",
        "jobs",
    )
    _bars(
        axes,
        [place + 0.2 for place in places],
        (part / work if work else Fraction(0) for _, part in inspection.by_gpus.values()),
        BLUE,
        "",
        "GPU-hours",
    )
    crowded = len(sizes) > 12
    axes.set_xticks(
        list(places),
        [str(size) for size in sizes],
        rotation=90 if crowded else 0,
        fontsize="small" if crowded else "medium",
    )
    axes.set_title("Who holds the GPUs")
    axes.set_xlabel("gang size (GPUs per job)")
    axes.set_ylabel("per cent of the total")
    axes.set_ylim(0, None if sizes else 100)
    if sizes:
        axes.legend(frameon=False, fontsize="small")


def _bars(
    axes: Axes, places: list[float], shares: Iterable[Fraction], colour: str, hatch: str, label: str
) -> None:
    heights = [float(100 * share) for share in shares]
    axes.bar(places, heights, width=0.4, color=colour, hatch=hatch, edgecolor="white", label=label)
