"""Boxes with the quantiles of the tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value with a share of at least ``share`` at or below it.

    Examples
    --------
    >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5)
    2.0
    """
    return float(np.quantile(values, share, method="inverted_cdf"))


def draw_box(
    axes: Axes,
    values: Sequence[float],
    place: float,
    width: float,
    colour: str,
    *,
    filled: bool = True,
    mean: bool = False,
    linear: bool = False,
    most: float = math.inf,
) -> None:
    """Draw a horizontal box: quartiles, median, whiskers at 5 and 95 per cent, the rest as points.

    Parameters
    ----------
    axes : Axes
    values : sequence of float
        At least one; infinite ones count in the quantiles and are no points.
    place, width : float
        On the y axis.
    colour : str
    filled, mean : bool
        Whether the box is filled, and whether the mean has a mark.
    linear : bool
        Whether quantiles are interpolated, as those of `hadaropt.simulate.metrics.Distribution`.
    most : float
        Where what is infinite is drawn.
    """
    found = np.quantile(values, SHARES, method="linear" if linear else "inverted_cdf")
    low, q1, middle, q3, high = (min(most, float(x)) for x in found)
    figures = {
        "whislo": low,
        "q1": q1,
        "med": middle,
        "q3": q3,
        "whishi": high,
        "mean": math.fsum(values) / len(values),
        "fliers": [x for x in values if math.isfinite(x) and not low <= x <= high],
    }
    axes.bxp(
        [figures],
        positions=[place],
        orientation="horizontal",
        widths=width,
        patch_artist=True,
        manage_ticks=False,
        showmeans=mean,
        boxprops={"facecolor": f"{colour}59" if filled else "white", "edgecolor": colour},
        medianprops={"color": "black", "linewidth": 1.6},
        whiskerprops={"color": colour},
        capprops={"color": colour},
        meanprops={"marker": "D", "markerfacecolor": "white", "markeredgecolor": "black"},
        flierprops={"marker": ".", "markersize": 4, "markeredgecolor": colour},
    )
