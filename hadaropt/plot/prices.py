"""Prices of GPUs by round, of one or several price vectors side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hadaropt.instance import Instance
from hadaropt.plot.style import COLOURS, DASHES, literal, new_figure, tidy
from hadaropt.results import Prices

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAR_APART = 20
"""From this quotient of largest prices on, a linear axis would press one curve flat."""


def mean_price(instance: Instance, prices: Prices) -> NDArray[np.float64]:
    """Return the price of a GPU by round and type, shape (T, R).

    Where nodes have prices of their own, the mean over the GPUs of the type.
    """
    units: NDArray[np.float64] = prices.units / float(prices.scale)
    if prices.pool == "type":
        return units
    counts = np.array(instance.cluster.capacity, np.float64)
    mean: NDArray[np.float64] = (units * counts).sum(axis=1) / np.maximum(1, counts.sum(axis=0))
    return mean


def plot_prices(instance: Instance, prices: Mapping[str, Prices]) -> tuple[Axes, ...]:
    """Draw the price of a GPU in each round, a panel per type that the cluster has.

    Parameters
    ----------
    instance : Instance
    prices : mapping
        Name of a curve -> prices, such as a policy's final ones and those of the optimum.

    Returns
    -------
    tuple of Axes
        Of one figure.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    cluster = instance.cluster
    types = [r for r, count in enumerate(cluster.pooled_capacity) if count]
    figure = new_figure(9.5, 1.6 + 1.8 * len(types))
    from matplotlib.ticker import MaxNLocator

    rows = figure.subplots(max(1, len(types)), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    curves = {name: mean_price(instance, own) for name, own in prices.items()}
    highest = [float(curve.max(initial=0.0)) for curve in curves.values()]
    positive = [x for x in highest if x > 0]
    edges = np.arange(instance.num_rounds + 1)
    for axes, r in zip(rows, types, strict=False):
        for k, (name, curve) in enumerate(curves.items()):
            axes.stairs(
                curve[:, r],
                edges,
                baseline=None,
                color=COLOURS[k % len(COLOURS)],
                linestyle=DASHES[k % len(DASHES)],
                linewidth=1.8,
                label=literal(name),
            )
        axes.set_title(
            f"price of a GPU: {literal(cluster.accelerators[r])} ({cluster.pooled_capacity[r]})",
            fontsize="medium",
        )
        if positive and max(positive) > FAR_APART * min(positive):
            axes.set_yscale("symlog", linthresh=min(positive))
        axes.set_ylim(0, 1.08 * (max(highest, default=0.0) or 1.0))
        axes.set_ylabel("price")
        tidy(axes)
    rows[-1].set_xlabel("round (starts at its mark)")
    rows[-1].set_xlim(0, instance.num_rounds)
    rows[-1].xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    if types and curves:
        figure.legend(*rows[0].get_legend_handles_labels(), loc="outside upper left", ncols=3,
                      frameon=False, fontsize="small")  # fmt: skip
    return tuple(rows)
