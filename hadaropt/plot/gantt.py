"""A schedule over time: who holds which GPUs, by node and type."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from hadaropt.instance import Cluster, Instance
from hadaropt.plot.style import COLOURS, HATCHES, PAGE, axes_or_new, literal, tidy
from hadaropt.schedule import Allocation, Schedule, check_schedule

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

INCHES_PER_GPU, INCHES_PER_ROUND = 0.27, 0.42
MOST_INCHES = 30
FRAME_INCHES = 1.7
LEGEND_POINTS = 38
"""How far below the axes the legend is."""
LEAST_INCHES = 0.11
"""A bar that is less high has no room for its name."""
MIXED, COPIES, PLAIN = "mixed gang", "copies", "gang on one type"
_EDGES: dict[str, tuple[str, Literal["-", ":"], float]] = {
    PLAIN: ("0.35", "-", 0.8),
    MIXED: ("black", "-", 2.2),
    COPIES: ("black", ":", 1.8),
}


@dataclass(frozen=True)
class Bar:
    """GPUs next to each other that a job holds for consecutive rounds.

    Attributes
    ----------
    job : int
    lane : tuple of int
        (node, type).
    first_round, rounds : int
    first_gpu, gpus : int
        Position within the lane, and how many.
    kind : str
        One of `PLAIN`, `MIXED`, `COPIES`.
    """

    job: int
    lane: tuple[int, int]
    first_round: int
    rounds: int
    first_gpu: int
    gpus: int
    kind: str


def gantt_bars(cluster: Cluster, schedule: Schedule) -> list[Bar]:
    """Return the bars of a schedule; a job stays on the same GPUs of a lane where it can.

    Which GPUs of a node it holds is no part of a schedule: this picks the lowest that are free.
    """
    holders: dict[tuple[int, tuple[int, int]], list[tuple[int, int, str]]] = defaultdict(list)
    for j, allocations in enumerate(schedule.jobs):
        for allocation in allocations:
            kind = _kind(allocation)
            for h, r, count in allocation.gpus:
                holders[allocation.round, (h, r)].append((j, count, kind))
    held: dict[tuple[int, int], dict[int, tuple[int, str]]] = {}
    cells: list[tuple[int, tuple[int, int], str, int, int]] = []
    for (t, lane), jobs in sorted(holders.items()):
        before = held.get(lane, {})
        now: dict[int, tuple[int, str]] = {}
        for j, count, kind in jobs:
            kept = [gpu for gpu, (owner, _) in before.items() if owner == j and gpu not in now]
            now.update({gpu: (j, kind) for gpu in kept[:count]})
        for j, count, kind in jobs:
            missing = count - sum(owner == j for owner, _ in now.values())
            free = (gpu for gpu in range(cluster.capacity[lane[0]][lane[1]]))
            lowest = [gpu for gpu in free if gpu not in now][:missing]
            now.update({gpu: (j, kind) for gpu in lowest})
        held[lane] = now
        cells += [(j, lane, kind, gpu, t) for gpu, (j, kind) in now.items()]
    return _merged(cells)


def _kind(allocation: Allocation) -> str:
    if allocation.copies:
        return COPIES
    return MIXED if len({r for _, r, _ in allocation.gpus}) > 1 else PLAIN


def _merged(cells: list[tuple[int, tuple[int, int], str, int, int]]) -> list[Bar]:
    """Join cells (job, lane, kind, gpu, round) over neighbouring GPUs, then over rounds."""
    columns: dict[tuple[int, tuple[int, int], str, int, int], list[int]] = defaultdict(list)
    by_round = sorted(cells, key=lambda cell: (cell[0], cell[1], cell[2], cell[4], cell[3]))
    for (job, lane, kind, t), part in groupby(by_round, lambda c: (c[0], c[1], c[2], c[4])):
        for first, count in _runs([cell[3] for cell in part]):
            columns[job, lane, kind, first, count].append(t)
    bars = [
        Bar(job, lane, start, length, first, count, kind)
        for (job, lane, kind, first, count), rounds in columns.items()
        for start, length in _runs(rounds)
    ]
    return sorted(bars, key=lambda bar: (bar.lane, bar.first_round, bar.first_gpu))


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Return (first, length) of each run of consecutive integers of an increasing list.

    >>> _runs([1, 2, 5])
    [(1, 2), (5, 1)]
    """
    runs: list[tuple[int, int]] = []
    for n in numbers:
        if runs and n == sum(runs[-1]):
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((n, 1))
    return runs


def lanes_of(cluster: Cluster) -> tuple[dict[tuple[int, int], int], int]:
    """Return the top of the lane of each (node, type) that has GPUs, and the height of all."""
    lanes: dict[tuple[int, int], int] = {}
    height = 0
    for h, row in enumerate(cluster.capacity):
        for r, count in enumerate(row):
            if count:
                lanes[h, r] = height
                height += count
    return lanes, height


def lane_name(cluster: Cluster, node: int, kind: int) -> str:
    """Return node and type of a lane, for a figure."""
    return f"{literal(cluster.nodes[node])}  {literal(cluster.accelerators[kind])}"


def plot_gantt(instance: Instance, schedule: Schedule, *, ax: Axes | None = None) -> Axes:
    """Draw a schedule: a lane for each type on each node, as high as its number of GPUs.

    Colour and hatching tell jobs apart. A thick edge marks the parts of a gang that mixes types,
    a dotted edge the copies of a job. Jobs that never run are named below.

    Parameters
    ----------
    instance : Instance
    schedule : Schedule
    ax : Axes, optional
        Where to draw; on a new figure of fitting size by default.

    Raises
    ------
    ScheduleError
        If the schedule breaks a rule of the instance.
    MissingExtraError
        If matplotlib is not installed.
    """
    checked = check_schedule(instance, schedule)
    cluster = instance.cluster
    lanes, height = lanes_of(cluster)
    width = min(MOST_INCHES, max(6.0, 3 + INCHES_PER_ROUND * instance.num_rounds))
    tall = min(MOST_INCHES, PAGE * width, max(2.6, FRAME_INCHES + INCHES_PER_GPU * height))
    per_gpu = (tall - FRAME_INCHES) / max(1, height)
    axes = axes_or_new(ax, width, tall)
    for bar in gantt_bars(instance.cluster, schedule):
        high = bar.gpus * per_gpu >= LEAST_INCHES
        draw_bar(axes, lanes, bar, literal(instance.jobs[bar.job].name) if high else "")
    for (h, r), start in lanes.items():
        axes.axhline(
            start,
            color="0.25" if r == min(q for g, q in lanes if g == h) else "0.75",
            linewidth=1.0,
        )
    axes.set_yticks(
        [start + cluster.capacity[h][r] / 2 for (h, r), start in lanes.items()],
        [lane_name(cluster, *lane) for lane in lanes],
        fontsize="small",
    )
    axes.set_ylim(max(1, height), 0)
    axes.set_xlim(0, instance.num_rounds)
    step = max(1, -(-instance.num_rounds // 25))
    axes.set_xticks(range(0, instance.num_rounds + 1, step))
    axes.set_xlabel("round (starts at its mark)")
    axes.tick_params(axis="y", length=0)
    tidy(axes, "x")
    done = sum(finish is not None for finish in checked.completion)
    axes.set_title(
        f"{instance.parallelism}: {done} of {len(instance.jobs)} jobs complete, value "
        f"{float(checked.value):.6g}",
        fontsize="medium",
    )
    _describe(axes, instance, schedule)
    return axes


def draw_bar(
    axes: Axes, lanes: dict[tuple[int, int], int], bar: Bar, label: str, margin: float = 0.06
) -> None:
    """Draw a bar with its label, a `literal`; an empty one leaves it without text."""
    from matplotlib.patches import Rectangle

    edge, dashes, thickness = _EDGES[bar.kind]
    top = lanes[bar.lane] + bar.first_gpu
    axes.add_patch(
        Rectangle(
            (bar.first_round + margin, top + margin),
            bar.rounds - 2 * margin,
            bar.gpus - 2 * margin,
            facecolor=_colour(bar.job),
            hatch=_hatch(bar.job),
            edgecolor=edge,
            linestyle=dashes,
            linewidth=thickness,
            label=bar.kind,
        )
    )
    if not label:
        return
    axes.text(
        bar.first_round + bar.rounds / 2,
        top + bar.gpus / 2,
        label,
        ha="center",
        va="center",
        fontsize="small",
        clip_on=True,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1},
    )


def _colour(j: int) -> str:
    return COLOURS[j % (len(COLOURS) - 1)]  # black is for edges


def _hatch(j: int) -> str:
    return HATCHES[j // (len(COLOURS) - 1) % len(HATCHES)]


def kind_keys(found: Collection[str]) -> list[Patch]:
    """Return what a legend shows for the kinds of bars that were found."""
    from matplotlib.patches import Patch

    return [
        Patch(facecolor="white", edgecolor=edge, linestyle=dashes, linewidth=thickness, label=kind)
        for kind, (edge, dashes, thickness) in _EDGES.items()
        if kind in found
    ]


def _describe(axes: Axes, instance: Instance, schedule: Schedule) -> None:
    """Add the legend of kinds that occur, and the jobs that never run."""
    from matplotlib.transforms import ScaledTranslation

    keys = kind_keys({_kind(allocation) for part in schedule.jobs for allocation in part})
    if keys:
        below = ScaledTranslation(0, -LEGEND_POINTS / 72, axes.figure.dpi_scale_trans)
        axes.legend(
            handles=keys,
            loc="upper left",
            bbox_to_anchor=(0, 0),
            bbox_transform=axes.transAxes + below,
            borderaxespad=0,
            borderpad=0,
            ncols=len(keys),
            frameon=False,
            fontsize="small",
        )
    idle = [
        literal(job.name)
        for job, part in zip(instance.jobs, schedule.jobs, strict=True)
        if not part
    ]
    if idle:
        more = f" and {len(idle) - 12} more" if len(idle) > 12 else ""
        axes.annotate(
            f"never run: {', '.join(idle[:12])}{more}",
            (0, 0),
            xycoords="axes fraction",
            xytext=(0, -LEGEND_POINTS - (16 if keys else 0)),
            textcoords="offset points",
            fontsize="small",
            va="top",
        )
