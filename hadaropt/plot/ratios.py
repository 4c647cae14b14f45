"""Pictures of a ratio suite: distributions per policy, and guarantees beside what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hadaropt.plot.style import COLOURS, DASHES, MARKERS, new_figure, save_figure

if TYPE_CHECKING:
    from fractions import Fraction

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TICKS = (1, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 7)
_MOST_TICKS = 9


class RatioCell(Protocol):
    """What the pictures need of a cell (``hadaropt.bench.cells.Cell`` has it all)."""

    @property
    def policy(self) -> str:
        """Name of the policy."""

    @property
    def parallelism(self) -> str:
        """Parallelism model of the instance."""

    @property
    def primal(self) -> Fraction:
        """P, the value that the policy collected."""

    @property
    def bound(self) -> Fraction:
        """Proven bound on the optimum."""

    @property
    def ratio_low(self) -> float:
        """Best known value / P."""

    @property
    def ratio_high(self) -> float:
        """Bound / P."""

    @property
    def theorem(self) -> str:
        """Id of the theorem that holds, or an empty text."""

    @property
    def guarantee(self) -> float:
        """What the theorem promises of OPT/P."""

    @property
    def vacuous(self) -> bool:
        """Whether that promise says nothing."""


def save_ratio_figures(cells: Sequence[RatioCell], folder: Path) -> dict[str, Path]:
    """Write ``ratios.png`` and, where a theorem holds, ``guarantees.png`` in the folder.

    Parameters
    ----------
    cells : sequence of RatioCell
        At least one.
    folder : Path
        An existing folder.

    Returns
    -------
    dict
        Name of the picture -> file.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    files = {"ratios": save_figure(plot_ratios(cells), folder / "ratios.png")}
    if any(_promised(cell) for cell in cells):
        figure = plot_guarantees(cells)
        files["guarantees"] = save_figure(figure, folder / "guarantees.png")
    return files


def plot_ratios(cells: Sequence[RatioCell]) -> Figure:
    """Draw, per parallelism model, the cumulative distribution and the boxes of OPT/P per policy.

    An open cell is the interval best known/P .. bound/P: a band between two cumulative curves, and
    a line beside the box, which is drawn at the upper ends. Cells with P = 0 < OPT are counted on
    the right; the cumulative curve stays below 100 per cent by their share.
    """
    models = list(dict.fromkeys(cell.parallelism for cell in cells))
    policies = list(dict.fromkeys(cell.policy for cell in cells))
    height = max(3.4, 1.2 + 0.3 * len(policies))
    figure = new_figure(13, 0.6 + height * len(models))
    figure.suptitle("Empirical ratio OPT / P (1 is the optimum)")
    grid = figure.subplots(len(models), 2, squeeze=False, sharex="row")
    for (curves, boxes), model in zip(grid, models, strict=True):
        chosen = [cell for cell in cells if cell.parallelism == model]
        most = max((cell.ratio_high for cell in chosen if not _starved(cell)), default=1.0)
        for axes in (curves, boxes):
            _log_from_one(axes, most)
            axes.set_xlabel("OPT / P")
        curves.set_title(f"{model}: share of cells at or below a ratio", fontsize="medium")
        boxes.set_title(f"{model}: box 25-75 %, whiskers 5-95 %, bar = median", fontsize="medium")
        _draw_curves(curves, policies, chosen)
        _draw_boxes(boxes, policies, chosen)
    return figure


def plot_guarantees(cells: Sequence[RatioCell]) -> Figure:
    """Draw what each theorem promises of OPT/P against what was measured, cell by cell.

    Hollow marks are vacuous promises. A mark below the diagonal would refute its theorem.
    """
    figure = new_figure(9.5, 5.6)
    axes = figure.subplots()
    chosen = [cell for cell in cells if _promised(cell)]
    policies = list(dict.fromkeys(cell.policy for cell in chosen))
    for i, policy in enumerate(policies):
        part = [cell for cell in chosen if cell.policy == policy]
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        everything = sum(cell.policy == policy for cell in cells)
        names = ", ".join(dict.fromkeys(cell.theorem for cell in part))
        for vacuous in (False, True):
            shown = [cell for cell in part if cell.vacuous == vacuous]
            axes.scatter(
                [cell.ratio_high for cell in shown],
                [cell.guarantee for cell in shown],
                s=26,
                marker=marker,
                facecolors="none" if vacuous else colour,
                edgecolors=colour,
                linewidths=0.9,
                alpha=0.8,
            )
        axes.hlines(
            [cell.guarantee for cell in part],
            [cell.ratio_low for cell in part],
            [cell.ratio_high for cell in part],
            color=colour,
            linewidth=0.8,
        )
        label = f"{policy}\n  {names} on {len(part)} of {everything} cells"
        axes.scatter([], [], s=26, marker=marker, color=colour, label=label)
    axes.scatter([], [], s=26, facecolors="none", edgecolors="0.3", label="hollow: vacuous")
    most = max(cell.ratio_high for cell in chosen)
    _log_from_one(axes, most)
    axes.set_yscale("log")
    highest = max(cell.guarantee for cell in chosen)
    axes.set_ylim(0.9, 2 * highest)
    axes.plot([1, most], [1, most], color="0.3", linewidth=1, linestyle="--")
    axes.set_title("What the theorems promise, and what was measured", fontsize="medium")
    axes.set_xlabel("measured OPT / P (upper end where open; below the dashed line: refuted)")
    axes.set_ylabel("guarantee (constant P + additive) / P")
    axes.grid(color="0.92", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize="small", frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1))
    return figure


def _starved(cell: RatioCell) -> bool:
    return cell.primal == 0 < cell.bound


def _promised(cell: RatioCell) -> bool:
    return bool(cell.theorem) and math.isfinite(cell.guarantee) and not _starved(cell)


def _of_each(
    policies: Sequence[str], cells: Sequence[RatioCell]
) -> Iterator[tuple[int, str, list[RatioCell], int]]:
    """Yield (index, policy, cells that collected something, number of the others)."""
    for i, policy in enumerate(policies):
        mine = [cell for cell in cells if cell.policy == policy]
        alive = [cell for cell in mine if not _starved(cell)]
        yield i, policy, alive, len(mine) - len(alive)


def _draw_curves(axes: Axes, policies: Sequence[str], cells: Sequence[RatioCell]) -> None:
    end = axes.get_xlim()[1]
    for i, policy, alive, starved in _of_each(policies, cells):
        total = len(alive) + starved
        if not total:
            continue
        colour = COLOURS[i % len(COLOURS)]
        shares = [0.0, *(100 * (k + 1) / total for k in range(len(alive)))]
        shares.append(shares[-1])
        low = [1.0, *sorted(cell.ratio_low for cell in alive), end]
        high = [1.0, *sorted(cell.ratio_high for cell in alive), end]
        dashes = DASHES[(i + 2 * (i // len(COLOURS))) % len(DASHES)]
        axes.step(
            high, shares, where="post", color=colour, linestyle=dashes, linewidth=1.6, label=policy
        )
        if low != high:
            axes.fill_betweenx(shares, low, high, step="pre", color=colour, alpha=0.2, linewidth=0)
    axes.set_ylim(0, 102)
    axes.set_ylabel("per cent of the cells")
    axes.legend(fontsize="small", loc="lower right", framealpha=0.9, edgecolor="none")


def _draw_boxes(axes: Axes, policies: Sequence[str], cells: Sequence[RatioCell]) -> None:
    for i, _, alive, starved in _of_each(policies, cells):
        colour = COLOURS[i % len(COLOURS)]
        if alive:
            axes.boxplot(
                [[cell.ratio_high for cell in alive]],
                positions=[i],
                orientation="horizontal",
                widths=0.5,
                whis=(5, 95),
                patch_artist=True,
                manage_ticks=False,
                boxprops={"facecolor": colour, "alpha": 0.35, "edgecolor": colour},
                medianprops={"color": "black", "linewidth": 1.6},
                whiskerprops={"color": colour},
                capprops={"color": colour},
                flierprops={"marker": ".", "markersize": 4, "markeredgecolor": colour},
            )
        ends = [(c.ratio_low, c.ratio_high) for c in alive if c.ratio_low < c.ratio_high]
        if ends:
            low, high = zip(*ends, strict=True)
            axes.hlines([i + 0.36] * len(ends), low, high, color=colour, linewidth=2, alpha=0.6)
        note = f"P = 0: {starved} of {starved + len(alive)}" if starved else ""
        note += f"{', ' if note and ends else ''}{len(ends)} open" if ends else ""
        axes.annotate(
            note,
            (1.01, i),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize="small",
            annotation_clip=False,
        )
    axes.set_yticks(range(len(policies)), policies, fontsize="small")
    axes.set_ylim(len(policies) - 0.4, -0.6)


def _log_from_one(axes: Axes, most: float) -> None:
    """Give the axis a log scale from 1 to ``most``, with ticks in plain numbers."""
    end = max(1.02, most) ** 1.06
    axes.set_xscale("log")
    axes.set_xlim(end**-0.02, end)
    decades = range(math.floor(math.log10(end)) + 1)
    ticks: list[float] = []
    for tick in [t * 10**k for k in decades for t in (_TICKS if k == 0 else (1, 2, 5))]:
        apart = math.log(end) / _MOST_TICKS
        if tick <= end and (not ticks or math.log(tick / ticks[-1]) >= apart):
            ticks.append(tick)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(axis="x", color="0.92", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
