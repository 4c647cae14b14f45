"""How time grows with size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hadaropt.plot.style import axes_or_new, legend_below, literal, looks, short, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def growth(points: Sequence[tuple[float, float]]) -> float:
    """Return the exponent b of the least-squares fit time = a size**b through the medians.

    nan if there are fewer than two sizes.

    Examples
    --------
    >>> round(growth([(10, 1.0), (20, 4.0), (40, 16.0)]), 6)
    2.0
    """
    x, y = medians(points)
    if len(x) < 2:
        return float("nan")
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def medians(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Return the sizes and the median time of each; points without a time > 0 are left out."""
    by_size: dict[float, list[float]] = {}
    for size, seconds in points:
        if size > 0 and seconds > 0:
            by_size.setdefault(size, []).append(seconds)
    sizes = sorted(by_size)
    return sizes, [float(np.median(by_size[size])) for size in sizes]


def plot_runtime(
    points: Mapping[str, Sequence[tuple[float, float]]],
    *,
    size: str = "jobs",
    ax: Axes | None = None,
) -> Axes:
    """Draw seconds against size per name, medians joined; the legend gives the growth exponent.

    Parameters
    ----------
    points : mapping
        Name -> (size, seconds) pairs.
    size : str
        What the size counts.
    ax : Axes, optional
    """
    axes = axes_or_new(ax, 8.5, 4.6)
    look = looks(points)
    for name, pairs in points.items():
        x, y = medians(pairs)
        exponent = growth(pairs)
        label = (
            literal(short(name))
            if np.isnan(exponent)
            else f"{literal(short(name))}: growth {exponent:.2f}"
        )
        style = look[name]
        kept = [(s, t) for s, t in pairs if s > 0 and t > 0]
        if kept:
            axes.plot(*zip(*kept, strict=True), ".", color=style.colour, alpha=0.25, markersize=3)
        axes.plot(
            x,
            y,
            color=style.colour,
            linestyle=style.dashes,
            marker=style.marker,
            markersize=5,
            linewidth=1.7,
            label=label,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    sizes = sorted({s for pairs in points.values() for s, _ in pairs})
    if 0 < len(sizes) <= 8:
        axes.set_xticks(sizes, [f"{s:g}" for s in sizes])
        axes.minorticks_off()
    tidy(axes)
    axes.set_xlabel(literal(size))
    axes.set_ylabel("seconds")
    axes.set_title("Run time: points are runs, lines join medians", fontsize="medium")
    legend_below(axes)
    return axes
