"""Pictures of simulated runs of one workload: completion times, use over time, who holds what."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hadaropt.plot.boxes import draw_box
from hadaropt.plot.gantt import MIXED, PLAIN, draw_bar, gantt_bars, kind_keys, lane_name, lanes_of
from hadaropt.plot.style import (
    COLOURS,
    DASHES,
    PAGE,
    legend_below,
    literal,
    new_figure,
    save_figure,
    tidy,
)
from hadaropt.schedule import Schedule
from hadaropt.simulate.metrics import common_jobs
from hadaropt.simulate.result import SimulatedRun

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hadaropt.instance import Cluster

HOUR = 3600
MOST_BINS = 240
WINDOW_ROUNDS = 24
WINDOW_INCHES = 12.0
MOST_INCHES = PAGE * WINDOW_INCHES
"""Height of all panels together: scaled to the width of a page they are no higher than it."""
FRAME_INCHES = 0.7
FEW_LANES = 40


def save_run_figures(
    runs: Sequence[SimulatedRun], folder: Path, window: tuple[int, int] | None = None
) -> dict[str, Path]:
    """Write ``jct.png``, ``use.png`` and ``gantt.png`` in an existing folder.

    Parameters
    ----------
    runs : sequence of SimulatedRun
        At least one; all of one workload.
    folder : Path
    window : (first, last) or None
        Rounds that the Gantt chart shows, last excluded; `busiest_window` if None.

    Returns
    -------
    dict
        Name of the picture -> file.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    figures = {
        "jct": plot_completion_times(runs),
        "use": plot_use(runs),
        "gantt": plot_window(runs, window or busiest_window(runs)),
    }
    return {name: save_figure(figure, folder / f"{name}.png") for name, figure in figures.items()}


def plot_completion_times(runs: Sequence[SimulatedRun]) -> tuple[Axes, ...]:
    """Draw the distribution of JCT: cumulative curves, and boxes with the mean.

    A curve ends below 100 per cent by the share of the jobs that never complete. The boxes are
    over the jobs that every run completes, so that they compare.

    Returns
    -------
    tuple of Axes
        Curves, boxes.
    """
    figure = new_figure(13, max(4.2, 1.6 + 0.4 * len(runs)))
    curves, boxes = figure.subplots(1, 2)
    common, total = set(common_jobs(runs)), len(runs[0].problem.jobs)
    figure.suptitle(
        "Job completion time: completion inside the round - arrival\n"
        f"(curves: all {total} jobs; boxes: the {len(common)} that every scheduler completes)"
    )
    for i, run in enumerate(runs):
        hours = sorted(float(jct) / HOUR for jct in run.jct.values() if jct > 0)
        colour = COLOURS[i % len(COLOURS)]
        both = [float(run.jct[j]) / HOUR for j in sorted(common) if run.jct[j] > 0]
        if not both:
            why = "no job completed" if not hours else "no job completed by all"
            boxes.annotate(why, (0.02, i), xycoords=("axes fraction", "data"))
        if not hours:
            continue
        shares = [100 * k / total for k in range(len(hours) + 1)]
        curves.step(
            [hours[0], *hours],
            shares,
            where="post",
            color=colour,
            linestyle=DASHES[i % len(DASHES)],
            linewidth=1.6,
            label=f"{literal(run.scheduler)} ({len(hours)} of {total})",
        )
        if both:
            draw_box(boxes, both, i, 0.55, colour, mean=True, linear=True)
    for axes in (curves, boxes):
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel("hours (log scale)")
        tidy(axes, "x")
    boxes.set_yticks(range(len(runs)), [literal(run.scheduler) for run in runs])
    boxes.set_ylim(len(runs) - 0.4, -0.6)
    boxes.set_title("box 25-75 %, whiskers 5-95 %, bar = median, diamond = mean", fontsize="medium")
    curves.set_ylim(0, 102)
    curves.set_ylabel("per cent of the jobs")
    curves.set_title("share of jobs complete within a time", fontsize="medium")
    legend_below(curves)
    return curves, boxes


def plot_use(runs: Sequence[SimulatedRun]) -> tuple[Axes, ...]:
    """Draw over time the share of GPUs in use and the jobs that have arrived and not completed.

    Returns
    -------
    tuple of Axes
        GPUs, jobs.
    """
    figure = new_figure(12, 6.5)
    used, queued = figure.subplots(2, 1, sharex=True)
    for i, run in enumerate(runs):
        style = {"color": COLOURS[i % len(COLOURS)], "linestyle": DASHES[i % len(DASHES)]}
        edges, shares = gpu_share(run)
        if len(edges) > 1:
            used.stairs(
                100 * shares, edges / HOUR, linewidth=1.4, baseline=None,
                label=literal(run.scheduler), **style,
            )  # fmt: skip
        instants, counts = jobs_in_system(run)
        queued.step(
            [instant / HOUR for instant in instants], counts, where="post", linewidth=1.4,
            label=literal(run.scheduler), **style,
        )  # fmt: skip
    used.set_ylabel("GPUs in use, per cent")
    used.set_ylim(0, 102)
    queued.set_ylabel("jobs arrived and not complete")
    queued.set_ylim(bottom=0)
    queued.set_xlim(left=0)
    figure.suptitle("GPUs in use, and jobs in the system")
    queued.set_xlabel("hours")
    for axes in (used, queued):
        tidy(axes)
    queued.legend(fontsize="small", frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1))
    return used, queued


def gpu_share(run: SimulatedRun) -> tuple[np.ndarray, np.ndarray]:
    """Return edges in seconds, (B + 1,), and the share of GPU-seconds held in each bin, (B,).

    Bins are whole rounds, as many as give at most `MOST_BINS` of them.
    """
    last = 1 + max((use.round for use in run.uses), default=-1)
    rounds = max(1, -(-last // MOST_BINS))
    held = np.zeros(-(-last // rounds))
    for use in run.uses:
        gpus = sum(count for _, _, count in use.placement)
        held[use.round // rounds] += gpus * float(use.seconds)
    width = rounds * float(run.problem.round_seconds)
    gpus = sum(run.problem.cluster.pooled_capacity)
    return width * np.arange(len(held) + 1), held / (gpus * width)


def jobs_in_system(run: SimulatedRun) -> tuple[list[float], list[int]]:
    """Return instants in seconds and the jobs that are in the system from each on.

    Jobs that can never run are not counted.
    """
    here = [j for j in range(len(run.problem.jobs)) if j not in run.unschedulable]
    changes = [(float(run.problem.jobs[j].arrival), 1) for j in here]
    changes += [(float(run.finish[j]), -1) for j in here if j in run.finish]
    instants, counts, number = [0.0], [0], 0
    for instant, change in sorted(changes):
        number += change
        instants.append(instant)
        counts.append(number)
    return instants, counts


def busiest_window(runs: Sequence[SimulatedRun]) -> tuple[int, int]:
    """Return `WINDOW_ROUNDS` rounds with the most gangs that mix types, then the most gangs.

    Counted over all runs; the earliest such window.
    """
    last = 1 + max((use.round for run in runs for use in run.uses), default=0)
    mixed, gangs = np.zeros(last + 1, np.int64), np.zeros(last + 1, np.int64)
    for run in runs:
        for use in run.uses:
            gangs[use.round + 1] += 1
            mixed[use.round + 1] += len({r for _, r, _ in use.placement}) > 1
    best, chosen = (-1, -1), 0
    sums = np.cumsum(mixed), np.cumsum(gangs)
    for first in range(max(1, last - WINDOW_ROUNDS + 1)):
        end = min(last, first + WINDOW_ROUNDS)
        found = int(sums[0][end] - sums[0][first]), int(sums[1][end] - sums[1][first])
        if found > best:
            best, chosen = found, first
    return chosen, min(last, chosen + WINDOW_ROUNDS)


def plot_window(runs: Sequence[SimulatedRun], window: tuple[int, int]) -> tuple[Axes, ...]:
    """Draw who holds which GPUs in a window of rounds, one panel for each run, one below the other.

    A lane for each type on each node, as high as its GPUs. Colour and hatching tell jobs apart, a
    number is the job's place in the workload, and a thick edge marks a gang that mixes types. Kinds
    of gangs are named below, unless all are on one type.

    Parameters
    ----------
    runs : sequence of SimulatedRun
        At least one; all of one workload.
    window : (first, last)
        Rounds, last excluded.

    Returns
    -------
    tuple of Axes
        One for each run.
    """
    cluster = runs[0].problem.cluster
    lanes, height = lanes_of(cluster)
    room = MOST_INCHES / len(runs) - FRAME_INCHES
    per_gpu = max(0.03, min(0.22, 5 / max(1, height), room / max(1, height)))
    figure = new_figure(
        WINDOW_INCHES,
        min(MOST_INCHES, 0.5 + len(runs) * max(1.6, FRAME_INCHES + per_gpu * height)),
    )
    grid = figure.subplots(len(runs), 1, squeeze=False, sharex=True, sharey=True)[:, 0]
    first, last = window
    kinds: set[str] = set()
    for axes, run in zip(grid, runs, strict=True):
        bars = gantt_bars(cluster, _cut(run, first, last))
        kinds |= {bar.kind for bar in bars}
        per_round = 0.75 * WINDOW_INCHES / max(1, last - first)
        for bar in bars:
            text = str(bar.job)
            wide = bar.rounds * per_round > 0.09 * len(text) + 0.05
            high = bar.gpus * per_gpu > 0.11
            draw_bar(axes, lanes, bar, text if wide and high else "", 0.03)
        mixed = len({bar.job for bar in bars if bar.kind == MIXED})
        axes.set_title(f"{literal(run.scheduler)}, jobs on mixed types: {mixed}", fontsize="medium")
        axes.set_xlim(first, last)
        axes.spines[["top", "right"]].set_visible(False)
    seconds = float(runs[0].problem.round_seconds)
    grid[-1].set_xlabel(f"round of {seconds:g} s (starts at its mark)")
    _name_lanes(grid[0], cluster, lanes)
    grid[0].set_ylim(max(1, height), 0)
    for axes in grid:
        axes.tick_params(axis="y", length=0, labelsize="small")
        for start in lanes.values():
            axes.axhline(start, color="0.25", linewidth=0.6)
    if kinds - {PLAIN}:  # one kind needs no name
        keys = kind_keys(kinds)
        figure.legend(
            handles=keys,
            loc="outside lower center",
            ncols=len(keys),
            frameon=False,
            fontsize="small",
        )
    return tuple(grid)


def _cut(run: SimulatedRun, first: int, last: int) -> Schedule:
    jobs = run.schedule().jobs
    return Schedule(tuple(tuple(a for a in rounds if first <= a.round < last) for rounds in jobs))


def _name_lanes(axes: Axes, cluster: Cluster, lanes: dict[tuple[int, int], int]) -> None:
    step = math.ceil(len(lanes) / FEW_LANES)
    shown = list(lanes.items())[::step]
    axes.set_yticks(
        [start + cluster.capacity[h][r] / 2 for (h, r), start in shown],
        [lane_name(cluster, *lane) for lane, _ in shown],
        fontsize="small",
    )
    axes.tick_params(axis="y", length=0)
