"""Curves of forked training: the score after each round, and who made its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hadaropt.plot.style import BLUE, COLOURS, HATCHES, literal, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hadaropt.forking.training.events import CopyRecord, CurvePoint

HEADROOM = 0.12
"""Share of an axis that stays free above what is drawn."""

MOST_BARS = 60
"""Rounds beyond this are drawn without edges and hatches, which would hide the bars."""


def plot_training(
    curve: Sequence[CurvePoint], copies: Sequence[CopyRecord], metrics: Mapping[str, str]
) -> tuple[Axes, ...]:
    """Draw one column per job: its score over steps, and the steps of each copy by round.

    Returns the axes of the scores, then those of the steps.

    Parameters
    ----------
    curve : sequence of CurvePoint
    copies : sequence of CopyRecord
    metrics : mapping of str to str
        What the score of each job measures.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    jobs = list(metrics)
    nodes = sorted({record.node for record in copies})
    figure = new_figure(max(5.0, 4.2 * len(jobs)), 5.6)
    axes = figure.subplots(2, len(jobs), squeeze=False)
    for column, job in enumerate(jobs):
        _scores(axes[0][column], [point for point in curve if point.job == job], metrics[job], job)
        _shares(axes[1][column], [record for record in copies if record.job == job], nodes)
    handles, labels = axes[1][0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=min(5, len(handles)))
    return tuple(axes.flat)


def _scores(axes: Axes, curve: Sequence[CurvePoint], metric: str, job: str) -> None:
    axes.plot([p.steps for p in curve], [p.score for p in curve], color=BLUE, marker=".")
    axes.set(title=literal(job), xlabel="steps done, all copies", ylabel=literal(metric))
    axes.margins(y=HEADROOM)
    axes.grid(alpha=0.3)


def _shares(axes: Axes, copies: Sequence[CopyRecord], nodes: Sequence[str]) -> None:
    rounds = range(max((record.round for record in copies), default=-1) + 1)
    under = dict.fromkeys(rounds, 0)
    plain = len(rounds) > MOST_BARS
    for i, node in enumerate(nodes):
        made = {record.round: record.steps for record in copies if record.node == node}
        heights = [made.get(k, 0) for k in rounds]
        axes.bar(
            list(rounds),
            heights,
            bottom=list(under.values()),
            width=1.0 if plain else 0.8,
            label=literal(node),
            color=COLOURS[i % len(COLOURS)],
            hatch="" if plain else HATCHES[i % len(HATCHES)],
            edgecolor="none" if plain else "white",
        )
        under = {k: under[k] + height for k, height in zip(rounds, heights, strict=True)}
    axes.set(xlabel="round", ylabel="steps of each copy")
    axes.set_ylim(0, (1 + HEADROOM) * (max(under.values(), default=0) or 1))
    axes.locator_params(axis="x", integer=True)
