"""What theorems promise beside what was measured, and what certificates prove."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hadaropt.plot.boxes import quantile
from hadaropt.plot.cells import (
    MANY_POINTS,
    RatioCell,
    beside,
    largest_ratio,
    log_from_one,
    name_rows,
    of_each,
    policies_of,
    starved,
)
from hadaropt.plot.style import axes_or_new, legend_below, literal, looks, short, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SMALL, LARGE = 16, 110
"""Areas of marks in square points."""


def promised(cell: RatioCell) -> bool:
    """Whether a theorem says something finite about the cell."""
    return bool(cell.theorem) and math.isfinite(cell.guarantee) and not starved(cell)


def plot_guarantees(cells: Sequence[RatioCell], *, ax: Axes | None = None) -> Axes:
    """Draw what each theorem promises of OPT/P against what was measured, cell by cell.

    Hollow marks are vacuous promises. Small marks lie on large ones, so that policies with equal
    figures can be told apart. A mark below the diagonal would refute its theorem.

    Parameters
    ----------
    cells : sequence of RatioCell
        At least one with a theorem.
    ax : Axes, optional
    """
    axes = axes_or_new(ax, 9.5, 5.6)
    chosen = [cell for cell in cells if promised(cell)]
    policies = policies_of(chosen)
    look = looks(policies)
    for i, policy in enumerate(policies):
        size = SMALL + (LARGE - SMALL) * (1 - (i + 1) / len(policies))
        part = [cell for cell in chosen if cell.policy == policy]
        colour, marker = look[policy].colour, look[policy].marker
        everything = sum(cell.policy == policy for cell in cells)
        names = ", ".join(dict.fromkeys(literal(cell.theorem) for cell in part))
        for vacuous in (False, True):
            shown = [cell for cell in part if cell.vacuous == vacuous]
            axes.scatter(
                [cell.ratio_high for cell in shown],
                [cell.guarantee for cell in shown],
                s=size,
                marker=marker,
                facecolors="none" if vacuous else colour,
                edgecolors=colour,
                linewidths=0.9,
                alpha=0.8,
                rasterized=len(chosen) > MANY_POINTS,
            )
        axes.hlines(
            [cell.guarantee for cell in part],
            [cell.ratio_low for cell in part],
            [cell.ratio_high for cell in part],
            color=colour,
            linewidth=0.8,
        )
        label = f"{literal(short(policy))}\n{names} on {len(part)} of {everything} cells"
        axes.scatter([], [], s=size, marker=marker, color=colour, label=label)
    axes.scatter([], [], s=26, facecolors="none", edgecolors="0.3", label="hollow: vacuous")
    most = max(cell.ratio_high for cell in chosen)
    log_from_one(axes, most)
    axes.set_yscale("log")
    highest = max(cell.guarantee for cell in chosen)
    axes.set_ylim(0.9, 2 * highest)
    axes.plot([1, most], [1, most], color="0.3", linewidth=1, linestyle="--")
    axes.set_title("What the theorems promise, and what was measured", fontsize="medium")
    axes.set_xlabel("measured OPT / P (upper end where open; below the dashed line: refuted)")
    axes.set_ylabel("guarantee (constant P + additive) / P")
    tidy(axes)
    legend_below(axes)
    return axes


def plot_certified(cells: Sequence[RatioCell], *, ax: Axes | None = None) -> Axes:
    """Draw, per policy, the certified interval of OPT/P: from best known/P to D/P.

    The thick bar runs between the medians of its two ends, the thin one below between their 95th
    percentiles; the mark is the median of bound/P. Cells with P = 0 < OPT count as infinite, which
    is drawn at the right end of the axis, and are counted.

    Parameters
    ----------
    cells : sequence of RatioCell
    ax : Axes, optional
    """
    policies = policies_of(cells)
    axes = axes_or_new(ax, 8.5, 1.2 + 0.4 * len(policies))
    look, most = looks(policies), largest_ratio(cells)
    finite = [c for c in cells if not starved(c) and math.isfinite(c.certified)]
    for policy in policies:
        own = [cell.certified for cell in finite if cell.policy == policy]
        most = max([most, *([quantile(own, 0.95)] if own else [])])
    log_from_one(axes, most)
    end = axes.get_xlim()[1]
    for i, policy, _, nothing in of_each(policies, cells):
        mine = [cell for cell in cells if cell.policy == policy]
        if mine:
            low, high, certified = (
                [min(end, getattr(cell, name)) for cell in mine]
                for name in ("ratio_low", "ratio_high", "certified")
            )
            colour = look[policy].colour
            for share, width, place in ((0.95, 2.0, i + 0.24), (0.5, 7.0, i)):
                ends = (quantile(low, share), quantile(certified, share))
                axes.plot(ends, (place,) * 2, color=colour, linewidth=width, solid_capstyle="butt")
            axes.plot([quantile(high, 0.5)], [i], "|", color="black", markersize=13, mew=1.8)
        if nothing:
            beside(axes, i, f"P = 0: {nothing}")
    name_rows(axes, policies)
    axes.set_xlabel("OPT / P")
    axes.set_title(
        "from best known / P to D / P: thick medians, thin 95th percentiles, bar bound / P",
        fontsize="medium",
    )
    return axes
