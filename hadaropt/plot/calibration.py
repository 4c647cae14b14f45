"""Generated against published: how like the Philly trace the family philly_like is."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hadaropt.errors import TraceError
from hadaropt.generate.draws import Draws, Floats, Ints
from hadaropt.generate.philly import philly_arrivals
from hadaropt.plot.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, mark_x, new_figure, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TRACE = "philly_pollux_csv"
"""The entry of the summary that the family was fitted to."""

_CLASSES = (
    ("1 GPU", "1", 1, 1, BLUE, "o"),
    ("2-4 GPUs", "2_to_4", 2, 4, ORANGE, "s"),
    ("5-8 GPUs", "5_to_8", 5, 8, GREEN, "^"),
    ("over 8 GPUs", "gt8", 9, 10**9, PURPLE, "D"),
)
_TICKS = (
    (1, "1 s"),
    (10, "10 s"),
    (60, "1 min"),
    (600, "10 min"),
    (3600, "1 h"),
    (36000, "10 h"),
    (345600, "4 d"),
    (3456000, "40 d"),
)


def plot_calibration(
    summary: str | os.PathLike[str], *, num_jobs: int | None = None, seed: int = 0
) -> tuple[Axes, ...]:
    """Draw four panels: lines and filled bars are generated, markers and open bars published.

    Durations by gang size, gang sizes, seconds between arrivals, and arrivals by hour of the day.

    Parameters
    ----------
    summary : path
        JSON with the published figures under ``philly_pollux_csv``: counts by gang size, quantiles
        of durations by gang size and of inter-arrival times, and relative rates by hour.
    num_jobs : int, optional
        Jobs to generate; as many as the trace has by default.
    seed : int
        Of the generated jobs.

    Returns
    -------
    tuple of Axes
        The four panels, row by row; ``axes[0].figure.savefig(path)`` writes them.

    Raises
    ------
    TraceError
        If the file is no JSON or lacks a figure.
    MissingExtraError
        If matplotlib is not installed.
    OSError
        If the file cannot be read.
    """
    published = _published(Path(summary))
    count = published["n_jobs"] if num_jobs is None else num_jobs
    if count < 2:
        raise ValueError(f"num_jobs = {count}, must be >= 2")
    jobs = philly_arrivals(Draws("philly_like", seed), count, None)
    times = jobs.clock(jobs.times)
    figure = new_figure(11, 7.5)
    figure.suptitle(
        f"philly_like, seed {seed}: {count:,} generated jobs against the "
        f"{published['n_jobs']:,} of the Philly trace",
        fontsize="large",
    )
    (durations, gangs), (gaps, hours) = figure.subplots(2, 2)
    _draw_durations(durations, jobs.gangs, jobs.seconds, published["duration_by_gpu_bucket_s"])
    _draw_gangs(gangs, jobs.gangs, published["gpu_count_distribution"])
    _draw_gaps(gaps, np.diff(times), published["interarrival_s_quantiles"])
    _draw_hours(hours, times, published)
    panels = (durations, gangs, gaps, hours)
    for axes in panels:
        tidy(axes, "y")
    return panels


def _published(path: Path) -> dict[str, Any]:
    """Return the published figures that are drawn."""
    try:
        document = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise TraceError(path.name, f"must be a JSON file ({error})") from None
    entry = document.get(TRACE) if isinstance(document, dict) else None
    if not isinstance(entry, dict):
        raise TraceError(f"{path.name}: {TRACE}", "is missing")
    needed = ("n_jobs", "duration_by_gpu_bucket_s", "gpu_count_distribution")
    for name in (*needed, "interarrival_s_quantiles", "arrivals_by_hour_of_day", _ROBUST):
        if name not in entry:
            raise TraceError(f"{path.name}: {TRACE}.{name}", "is missing")
    return entry


_ROBUST = "arrivals_by_hour_of_day_robust"


def _points(quantiles: Mapping[str, float]) -> tuple[list[float], list[float]]:
    """Return values and per cent of the entries p10, p25, ..."""
    levels = [key for key in quantiles if key.startswith("p")]
    return [quantiles[key] for key in levels], [float(key[1:]) for key in levels]


def _cumulative(axes: Axes, values: Floats, colour: str, label: str) -> None:
    ordered = np.sort(values)
    if not ordered.size:
        return
    # A line of some hundred points looks the same and keeps a vector file small.
    shares = np.linspace(0, 100, min(len(ordered), 500))
    axes.plot(np.percentile(ordered, shares), shares, color=colour, linewidth=1.8, label=label)


def _draw_durations(axes: Axes, gangs: Ints, seconds: Floats, published: Mapping[str, Any]) -> None:
    for title, key, least, most, colour, marker in _CLASSES:
        own = seconds[(gangs >= least) & (gangs <= most)]
        _cumulative(axes, own, colour, f"{title} ({own.size:,})")
        values, levels = _points(published[key])
        axes.plot(values, levels, marker, color=colour, markeredgecolor="white", markersize=7)
    axes.set_xscale("log")
    mark_x(axes, _TICKS)
    axes.set_ylim(0, 101)
    axes.set_title("Durations by gang size, cumulative")
    axes.set_xlabel("duration")
    axes.set_ylabel("per cent of the jobs of that size")
    axes.legend(
        fontsize="small",
        loc="upper left",
        frameon=False,
        title="lines generated, markers published",
    )


def _draw_gangs(axes: Axes, gangs: Ints, published: Mapping[str, Mapping[str, float]]) -> None:
    sizes = sorted(int(size) for size in published)
    places = np.arange(len(sizes))
    own = np.array([100 * float(np.mean(gangs == size)) for size in sizes])
    theirs = np.array([100 * published[str(size)]["share"] for size in sizes])
    axes.bar(places - 0.2, own, width=0.4, color=BLUE, label="generated")
    axes.bar(
        places + 0.2,
        theirs,
        width=0.4,
        color="white",
        edgecolor=BLACK,
        hatch="//",
        label="published",
    )
    axes.set_yscale("log")
    axes.set_ylim(10 ** np.floor(np.log10(theirs.min())), 200)
    axes.set_xticks(places, [str(size) for size in sizes])
    axes.set_title("Gang sizes")
    axes.set_xlabel("GPUs per job")
    axes.set_ylabel("per cent of the jobs (log scale)")
    axes.legend(frameon=False, fontsize="small")


def _draw_gaps(axes: Axes, gaps: Floats, published: Mapping[str, float]) -> None:
    _cumulative(axes, gaps[gaps > 0], BLUE, "generated")
    values, levels = _points(published)
    axes.plot(values, levels, "o", color=BLACK, markeredgecolor="white", label="published")
    axes.set_xscale("log")
    axes.set_xlim(left=0.5)
    mark_x(axes, _TICKS)
    axes.set_ylim(0, 101)
    axes.set_title("Time between arrivals, cumulative")
    axes.set_xlabel("time to the next arrival")
    axes.set_ylabel("per cent of the gaps")
    axes.legend(frameon=False, fontsize="small", loc="lower right")


def _draw_hours(axes: Axes, times: Floats, published: Mapping[str, Any]) -> None:
    counts = np.bincount((times // 3600 % 24).astype(np.int64), minlength=24)
    middles = np.arange(24) + 0.5
    axes.bar(middles, counts / counts.mean(), width=0.9, color=BLUE, alpha=0.6, label="generated")
    for key, name, marker, colour in (
        ("relative_rate", "published, all jobs", "o", BLACK),
        ("trimmed_mean_over_days", "published, extreme days trimmed", "D", ORANGE),
    ):
        source = published["arrivals_by_hour_of_day" if key == "relative_rate" else _ROBUST]
        axes.plot(
            middles,
            source[key],
            marker,
            color=colour,
            markeredgecolor="white",
            label=name,
            markersize=7,
        )
    axes.set_xlim(0, 24)
    axes.set_xticks(range(0, 25, 3))
    axes.set_title("Arrivals by hour of the day")
    axes.set_xlabel("hour")
    axes.set_ylabel("rate, 1 on average")
    axes.legend(frameon=False, fontsize="small", loc="upper right")
