"""Paired comparisons: means with intervals, contestant by contestant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hadaropt.plot.style import (
    COLOURS,
    Look,
    axes_or_new,
    legend_below,
    literal,
    looks,
    short,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Row = tuple[str, str, float, float, float]
"""Contestant, where (what varies, or ""), mean, low and high end of the interval (nan: none)."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""One more than colours, so that no two of 56 places look the same."""


def plot_paired(
    rows: Sequence[Row],
    *,
    reference: float = 0.0,
    label: str = "mean difference",
    log: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw a point and its interval for each row, the contestants one below another.

    Parameters
    ----------
    rows : sequence of (contestant, where, mean, low, high)
        Rows of one contestant stand together; each ``where`` has a colour and a marker, or, where
        there is one only, each contestant those that it has in every figure.
    reference : float
        Where the baseline stands: 0 of differences, 1 of ratios.
    label : str
        Of the axis of the figures.
    log : bool
        For ratios: a factor is as far to the right as its inverse to the left.
    ax : Axes, optional

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    names = list(dict.fromkeys(row[0] for row in rows))
    places = list(dict.fromkeys(row[1] for row in rows))
    own_looks = looks(names)
    share = 0.8 / max(1, len(places))
    axes = axes_or_new(ax, 5.2, 1.0 + 0.3 * sum(max(1, 0.55 * len(places)) for _ in names))
    for k, where in enumerate(places):
        of_place = Look(COLOURS[k % len(COLOURS)], "-", MARKERS[k % len(MARKERS)])
        label_of_place = literal(where) if where else None
        for name, _, mean, low, high in (row for row in rows if row[1] == where):
            height = names.index(name) + (k - (len(places) - 1) / 2) * share
            look = of_place if len(places) > 1 else own_looks[name]
            if math.isfinite(low) and math.isfinite(high) and math.isfinite(mean):
                axes.plot([low, high], [height, height], color=look.colour, linewidth=1.6)
            axes.plot(
                [mean],
                [height],
                look.marker,
                color=look.colour,
                markersize=5,
                label=label_of_place,
            )
            label_of_place = None
    axes.axvline(reference, color="0.4", linewidth=1, linestyle="--")
    if log:
        from matplotlib.ticker import LogLocator, NullFormatter

        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_yticks(range(len(names)), [literal(short(name)) for name in names], fontsize="small")
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel(literal(label))
    tidy(axes)
    if any(places):
        legend_below(axes)
    return axes
