"""Policies against each other, and against what makes an instance hard."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hadaropt.plot.cells import (
    MANY_POINTS,
    RatioCell,
    log_from_one,
    plain_ticks,
    policies_of,
    starved,
)
from hadaropt.plot.style import axes_or_new, legend_below, literal, looks, short, tidy

if TYPE_CHECKING:
    from fractions import Fraction

    from matplotlib.axes import Axes


def performance_ratios(cells: Sequence[RatioCell]) -> dict[str, list[float]]:
    """Return, per policy, best P of any policy / its own P on each instance, ascending.

    Infinite where the policy collected nothing and another something; 1 where all collected
    nothing.
    """
    best: dict[tuple[str, int, str], Fraction] = {}
    for cell in cells:
        place = (cell.family, cell.seed, cell.parallelism)
        best[place] = max(best.get(place, cell.primal), cell.primal)
    found: dict[str, list[float]] = defaultdict(list)
    for cell in cells:
        top = best[cell.family, cell.seed, cell.parallelism]
        own = cell.primal
        ratio = float(top / own) if own else (1.0 if top == 0 else float("inf"))
        found[cell.policy].append(ratio)
    return {policy: sorted(values) for policy, values in found.items()}


def plot_profile(
    cells: Sequence[RatioCell], *, policies: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the performance profile: share of instances within a factor of the best policy there.

    E. D. Dolan and J. J. More, Benchmarking optimization software with performance profiles,
    Mathematical Programming 91 (2002), doi:10.1007/s101070100263.

    Parameters
    ----------
    cells : sequence of RatioCell
        Every policy on the same instances.
    policies : sequence of str, optional
        Whose curves are drawn; all by default. The best policy is the best of all.
    ax : Axes, optional
    """
    axes = axes_or_new(ax, 8.5, 4.6)
    ratios = performance_ratios(cells)
    look = looks(ratios)
    finite = [value for values in ratios.values() for value in values if np.isfinite(value)]
    log_from_one(axes, max(finite, default=1.0))
    end = axes.get_xlim()[1]
    for policy in ratios if policies is None else policies:
        values = ratios[policy]
        inside = [value for value in values if np.isfinite(value)]
        shares = [100 * (k + 1) / len(values) for k in range(len(inside))]
        axes.step(
            [1.0, *inside, end],
            [0.0, *shares, shares[-1] if shares else 0.0],
            where="post",
            color=look[policy].colour,
            linestyle=look[policy].dashes,
            linewidth=1.7,
            label=literal(short(policy)),
        )
    axes.set_ylim(0, 102)
    axes.set_xlabel("factor of the best policy on the instance: best P / P")
    axes.set_ylabel("per cent of the instances")
    axes.set_title("Performance profile", fontsize="medium")
    legend_below(axes)
    return axes


def plot_against(
    cells: Sequence[RatioCell],
    values: Sequence[float],
    label: str,
    *,
    log: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw bound/P of every cell against a property of its instance, with medians by quarter.

    Parameters
    ----------
    cells : sequence of RatioCell
    values : sequence of float
        Property of the instance of each cell, finite (and > 0 if ``log``).
    label : str
        Name of the property, with its unit.
    log : bool
        Log scale of the property.
    ax : Axes, optional
    """
    axes = axes_or_new(ax, 8.5, 4.6)
    shown = [(c, v) for c, v in zip(cells, values, strict=True) if not starved(c)]
    look = looks(policies_of(cells))
    places = np.array([value for _, value in shown])
    edges = np.unique(np.quantile(places, [0, 0.25, 0.5, 0.75, 1])) if shown else np.array([])
    for policy, style in look.items():
        mine = [(value, cell.ratio_high) for cell, value in shown if cell.policy == policy]
        if not mine:
            continue
        x, y = np.array(mine).T
        axes.plot(
            x,
            y,
            style.marker,
            color=style.colour,
            markersize=3,
            alpha=0.3,
            mew=0,
            rasterized=len(shown) > MANY_POINTS,
        )
        part = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, max(0, len(edges) - 2))
        groups = [part == k for k in np.unique(part)]
        axes.plot(
            [np.median(x[group]) for group in groups],
            [np.median(y[group]) for group in groups],
            color=style.colour,
            linestyle=style.dashes,
            marker=style.marker,
            markersize=5,
            linewidth=1.7,
            label=literal(short(policy)),
        )
    if log:
        axes.set_xscale("log")
    end = max(1.02, *(cell.ratio_high for cell, _ in shown), 1.02) ** 1.06
    ticks = plain_ticks(end)
    axes.set_yscale("log")
    axes.set_ylim(end**-0.03, end)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.yaxis.set_tick_params(which="minor", left=False, labelleft=False)
    tidy(axes)
    axes.set_xlabel(literal(label))
    axes.set_ylabel("bound / P")
    axes.set_title("points: cells; lines: medians of the quarters", fontsize="medium")
    legend_below(axes)
    return axes
