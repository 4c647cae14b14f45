"""An online run over its arrivals: value and dual, and the price of every round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hadaropt.instance import Instance
from hadaropt.online.primal_dual import Arrival
from hadaropt.online.quotation import record_arrivals
from hadaropt.plot.prices import mean_price
from hadaropt.plot.style import BLACK, BLUE, VERMILION, literal, new_figure, tidy
from hadaropt.policies import PrimalDual
from hadaropt.results import Prices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FAR_APART = 10
"""From this D/P on, a linear axis would press P flat against 0."""


@dataclass(frozen=True)
class Trajectory:
    """A primal-dual run, step by step; step 0 is before the first arrival.

    Attributes
    ----------
    arrivals : tuple of Arrival
    primal : tuple of Fraction, length steps
        Value collected so far.
    dual : tuple of Fraction, length steps
        Payoffs so far + sum c k at the prices of the step.
    prices : ndarray of float64, shape (steps, T, R)
        Price of a GPU; where nodes have prices of their own, the mean over the GPUs of a type.
    """

    arrivals: tuple[Arrival, ...]
    primal: tuple[Fraction, ...]
    dual: tuple[Fraction, ...]
    prices: NDArray[np.float64]


def trajectory(instance: Instance, policy: PrimalDual) -> Trajectory:
    """Run the policy and return what it did at each arrival."""
    _, arrivals = record_arrivals(instance, policy)
    shown = [arrivals[0].before, *(arrival.after for arrival in arrivals)] if arrivals else []
    primal, payoffs = [Fraction(0)], [Fraction(0)]
    for arrival in arrivals:
        finish = arrival.best.completion if arrival.best.payoff > 0 else None
        gain = Fraction(0) if finish is None else instance.value(arrival.job, finish)
        primal.append(primal[-1] + gain)
        payoffs.append(payoffs[-1] + (arrival.best.payoff if finish is not None else 0))
    costs = [_capacity_cost(instance, prices) for prices in shown] or [Fraction(0)]
    dual = tuple(paid + cost for paid, cost in zip(payoffs, costs, strict=True))
    rounds, types = instance.num_rounds, len(instance.cluster.accelerators)
    means = np.array([mean_price(instance, prices) for prices in shown]).reshape(-1, rounds, types)
    return Trajectory(arrivals, tuple(primal), dual, means)


def _capacity_cost(instance: Instance, prices: Prices) -> Fraction:
    cluster = instance.cluster
    counts = cluster.pooled_capacity if prices.pool == "type" else cluster.capacity
    # Python integers: 64 bits need not hold the sum.
    units = prices.units.astype(object)
    return Fraction(int((units * np.array(counts, object)[None]).sum())) / prices.scale


def plot_trajectories(instance: Instance, policy: PrimalDual) -> tuple[Axes, ...]:
    """Draw P and D_alg after each arrival, and below them the price of each round, type by type.

    A mark on the curve of P is a job that was accepted; a cross below is one that was rejected.

    Returns
    -------
    tuple of Axes
        Values, then prices of each type that the cluster has, of one figure.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    cluster = instance.cluster
    figure = new_figure(9.5, 3.4 + 2.1 * sum(count > 0 for count in cluster.pooled_capacity))
    from matplotlib.ticker import MaxNLocator

    types = [r for r, count in enumerate(cluster.pooled_capacity) if count]
    path = trajectory(instance, policy)
    rows = figure.subplots(
        1 + len(types), 1, sharex=True, squeeze=False, height_ratios=[1.6, *[1] * len(types)]
    )[:, 0]
    figure.suptitle(f"{literal(policy.name)}: after each arrival")
    _draw_values(rows[0], path)
    _draw_prices(figure, list(rows[1:]), instance, types, path)
    rows[-1].set_xlabel("arrivals so far, in order of release")
    rows[-1].set_xlim(0, len(path.primal) - 0.5)  # no tick after the last arrival
    rows[-1].xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    return tuple(rows)


def _draw_values(axes: Axes, path: Trajectory) -> None:
    steps = range(len(path.primal) + 1)  # the last step has a width, too
    primal, dual = (
        [float(x) for x in (*values, values[-1])] for values in (path.primal, path.dual)
    )
    axes.step(
        steps,
        dual,
        where="post",
        color=VERMILION,
        linestyle="--",
        linewidth=1.6,
        label="D_alg: payoffs at arrival + capacity x prices",
    )
    axes.step(steps, primal, where="post", color=BLUE, linewidth=1.8, label="P: value so far")
    accepted = [k for k, arrival in enumerate(path.arrivals, 1) if arrival.best.payoff > 0]
    rejected = [k for k, arrival in enumerate(path.arrivals, 1) if arrival.best.payoff <= 0]
    axes.plot(
        accepted,
        [primal[k] for k in accepted],
        "o",
        color=BLUE,
        markersize=4,
        label=f"accepted ({len(accepted)})",
    )
    axes.plot(
        rejected,
        [primal[k] for k in rejected],
        "x",
        color=BLACK,
        markersize=6,
        clip_on=not rejected,  # the layout breaks on an empty artist that is not clipped
        label=f"rejected ({len(rejected)})",
    )
    axes.set_ylabel("value")
    highest = max(*primal, *dual)
    positive = [x for x in primal if x > 0]
    if positive and highest > FAR_APART * primal[-1]:
        axes.set_yscale("symlog", linthresh=positive[0])
        axes.set_ylabel(f"value (log above {positive[0]:.3g})")
    axes.set_ylim(0, 1.08 * (highest or 1))
    axes.legend(fontsize="small", loc="lower left", bbox_to_anchor=(0, 1), ncols=4, frameon=False)
    tidy(axes)


def _draw_prices(
    figure: Figure, rows: Sequence[Axes], instance: Instance, types: Sequence[int], path: Trajectory
) -> None:
    from matplotlib.colors import Normalize
    from matplotlib.ticker import MaxNLocator

    highest = float(path.prices.max(initial=0.0)) or 1.0
    norm, mesh = Normalize(0, highest), None
    for axes, r in zip(rows, types, strict=True):
        count = instance.cluster.pooled_capacity[r]
        axes.set_title(
            f"price of a GPU: {literal(instance.cluster.accelerators[r])} ({count})",
            fontsize="medium",
        )
        axes.set_ylabel("round")
        edges = np.arange(len(path.prices) + 1)
        if len(path.prices):
            mesh = axes.pcolormesh(
                edges,
                np.arange(instance.num_rounds + 1),
                path.prices[:, :, r].T,
                norm=norm,
                cmap="cividis",
                rasterized=True,
            )
        axes.set_ylim(0, instance.num_rounds)
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    if mesh is not None:
        figure.colorbar(mesh, ax=list(rows), label="price", pad=0.01)
