"""Distributions of OPT/P per policy: cumulative curves and boxes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hadaropt.plot.boxes import draw_box
from hadaropt.plot.cells import (
    RatioCell,
    beside,
    groups,
    largest_ratio,
    log_from_one,
    name_rows,
    of_each,
    policies_of,
)
from hadaropt.plot.guarantees import plot_guarantees, promised
from hadaropt.plot.style import (
    axes_or_new,
    legend_below,
    literal,
    looks,
    new_figure,
    save_figure,
    short,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY_OPEN = 0.2
"""From this share of open cells on, bands of the cumulative curves would hide each other."""


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
    if any(promised(cell) for cell in cells):
        files["guarantees"] = save_figure(plot_guarantees(cells), folder / "guarantees.png")
    return files


def plot_ratios(cells: Sequence[RatioCell]) -> tuple[Axes, ...]:
    """Draw, per parallelism model, the cumulative distribution and the boxes of OPT/P per policy.

    Returns
    -------
    tuple of Axes
        Curves (two panels of them if there are many) and boxes of the first model, of the
        second, ...

    See Also
    --------
    plot_ratio_curves, plot_ratio_boxes
    """
    models = list(dict.fromkeys(cell.parallelism for cell in cells))
    policies = policies_of(cells)
    parts = groups(policies)
    height = max(3.2, 1.2 + 0.32 * len(policies))
    figure = new_figure(6.5 * (1 + len(parts)), 1.2 + height * len(models))
    figure.suptitle("Empirical ratio OPT / P (1 is the optimum)")
    grid = figure.subplots(len(models), 1 + len(parts), squeeze=False, sharex="row")
    for row, model in zip(grid, models, strict=True):
        chosen = [cell for cell in cells if cell.parallelism == model]
        for curves, (name, part) in zip(row, parts.items(), strict=False):
            plot_ratio_curves(chosen, policies=part, ax=curves, legend=False)
            if name:
                curves.set_title(f"{name}, {curves.get_title()}")
        plot_ratio_boxes(chosen, policies=policies, ax=row[-1])
        for axes in row:
            axes.set_title(f"{literal(model)}: {axes.get_title()}", fontsize="medium")
    legend_below(*grid[0, :-1])
    return tuple(grid.ravel())


def plot_ratio_curves(
    cells: Sequence[RatioCell],
    *,
    policies: Sequence[str] | None = None,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the cumulative distribution of OPT/P per policy, at the upper ends of open cells.

    Where few cells are open, a band reaches to the curve of the lower ends. Cells with P = 0 < OPT
    keep the curve below 100 per cent by their share.

    Parameters
    ----------
    cells : sequence of RatioCell
    policies : sequence of str, optional
        Which, and in what order; those of the cells by default.
    ax : Axes, optional
        Where to draw; on a new figure by default.
    legend : bool
        Whether to add one, outside the axes.
    """
    axes = axes_or_new(ax, 8.5, 4.2)
    names = policies_of(cells) if policies is None else list(policies)
    log_from_one(axes, largest_ratio(cells))
    end = axes.get_xlim()[1]
    open_cells = sum(cell.ratio_low < cell.ratio_high for cell in cells)
    look, bands = looks(names), 0 < open_cells <= MANY_OPEN * len(cells)
    for i, policy, alive, nothing in of_each(names, cells):
        total = len(alive) + nothing
        shares = [0.0, *(100 * (k + 1) / total for k in range(len(alive)))]
        shares.append(shares[-1])
        low = [1.0, *sorted(cell.ratio_low for cell in alive), end]
        high = [1.0, *sorted(cell.ratio_high for cell in alive), end]
        axes.step(
            high,
            shares,
            where="post",
            color=look[policy].colour,
            linestyle=look[policy].dashes,
            linewidth=max(1.2, 2.8 - 0.2 * i),  # thin over thick: no curve hides another
            label=literal(short(policy)),
        )
        if bands and low != high:
            colour = look[policy].colour
            axes.fill_betweenx(shares, low, high, step="pre", color=colour, alpha=0.15, linewidth=0)
    axes.set_ylim(0, 102)
    axes.set_xlabel("OPT / P" + (" (upper ends: bound / P)" if open_cells else ""))
    axes.set_ylabel("per cent of the cells")
    axes.set_title("share of cells at or below a ratio", fontsize="medium")
    if legend:
        legend_below(axes)
    return axes


def plot_ratio_boxes(
    cells: Sequence[RatioCell],
    *,
    policies: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a box of OPT/P per policy: quartiles, whiskers at 5 and 95 per cent, the rest as points.

    Where cells are open there are two boxes: hollow for the lower ends best known/P, filled for
    the upper ends bound/P. Cells with P = 0 < OPT count as infinite, which is drawn at the right
    end of the axis; they and open cells are counted on the right.

    Parameters
    ----------
    cells, policies, ax
        As in `plot_ratio_curves`.
    """
    names = policies_of(cells) if policies is None else list(policies)
    axes = axes_or_new(ax, 8.5, 1.2 + 0.4 * len(names))
    log_from_one(axes, largest_ratio(cells))
    end = axes.get_xlim()[1]
    look = looks(names)
    for i, policy, alive, nothing in of_each(names, cells):
        uncertain = sum(cell.ratio_low < cell.ratio_high for cell in alive)
        mine = [cell for cell in cells if cell.policy == policy]
        upper, colour = [cell.ratio_high for cell in mine], look[policy].colour
        if mine and uncertain:
            lower = [cell.ratio_low for cell in mine]
            draw_box(axes, lower, i - 0.19, 0.3, colour, filled=False, most=end)
            draw_box(axes, upper, i + 0.19, 0.3, colour, most=end)
        elif mine:
            draw_box(axes, upper, i, 0.56, colour, most=end)
        note = f"P = 0: {nothing} of {nothing + len(alive)}" if nothing else ""
        note += f"{', ' if note and uncertain else ''}{uncertain} open" if uncertain else ""
        beside(axes, i, note)
    name_rows(axes, names)
    axes.set_xlabel("OPT / P")
    hollow = "; hollow: best known / P" if any(c.ratio_low < c.ratio_high for c in cells) else ""
    axes.set_title(f"box 25-75 %, whiskers 5-95 %, bar = median{hollow}", fontsize="medium")
    return axes
