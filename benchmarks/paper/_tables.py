"""Paired comparisons over samples, markdown tables, and two kinds of pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from hadaropt.plot.style import BLACK, COLOURS, HATCHES, new_figure, save_figure

MARKERS = "os^DvPX"
RESAMPLES, CONFIDENCE, FEWEST = 2000, 0.95, 5


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float, float]:
    """Return the geometric mean of ours / theirs over pairs, and its bootstrap interval (95 %).

    The interval is nan with fewer than `FEWEST` pairs.
    """
    logs = np.log(np.array(ours, float) / np.array(theirs, float))
    if len(logs) < FEWEST:
        return float(np.exp(logs.mean())), float("nan"), float("nan")
    draws = np.random.default_rng(0).choice(logs, (RESAMPLES, len(logs))).mean(axis=1)
    low, high = np.exp(np.quantile(draws, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]))
    return float(np.exp(logs.mean())), float(low), float(high)


def mean(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and its bootstrap interval, as `ratio` does."""
    own = np.array(values, float)
    if len(own) < FEWEST:
        return float(own.mean()), float("nan"), float("nan")
    draws = np.random.default_rng(0).choice(own, (RESAMPLES, len(own))).mean(axis=1)
    low, high = np.quantile(draws, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(own.mean()), float(low), float(high)


def shown(figure: tuple[float, float, float]) -> str:
    """Return ``1.23 [1.1, 1.4]``, or the figure alone where there is no interval."""
    value, low, high = figure
    return f"{value:.3g}" if np.isnan(low) else f"{value:.3g} [{low:.3g}, {high:.3g}]"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a markdown table."""
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def bars(file: Path, title: str, unit: str, groups: Mapping[str, Mapping[str, float]]) -> None:
    """Draw one group of horizontal bars for each key, one bar for each name in it."""
    names = list(next(iter(groups.values())))
    figure = new_figure(7.5, 0.5 + 0.24 * len(groups) * (len(names) + 1))
    axes = figure.subplots()
    step = len(names) + 1
    for i, name in enumerate(names):
        places = [g * step + i for g in range(len(groups))]
        values = [group[name] for group in groups.values()]
        axes.barh(
            places,
            values,
            0.9,
            label=name,
            color=COLOURS[i % len(COLOURS)],
            hatch=HATCHES[i % len(HATCHES)],
            edgecolor="white",
        )
        for place, value in zip(places, values, strict=True):
            axes.text(value, place, f" {value:.3g}", va="center", fontsize=8)
    axes.axvline(1, color=BLACK, linewidth=0.8)
    axes.set_yticks([g * step + (len(names) - 1) / 2 for g in range(len(groups))], list(groups))
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set(title=title if len(names) > 1 else f"{title}\n{names[0]}", xlabel=unit)
    axes.spines[["top", "right"]].set_visible(False)
    if len(names) > 1:
        axes.legend(frameon=False, fontsize=8)
    save_figure(figure, file)


def dots(
    file: Path, panels: Mapping[str, Mapping[str, Sequence[tuple[str, float]]]], unit: str
) -> None:
    """Draw one panel for each key, one mark for each name in it, over settings named in words."""
    counts = [len(next(iter(own.values()))) for own in panels.values()]
    figure = new_figure(7.5, 1.2 + 0.32 * sum(counts) + 0.3 * len(counts))
    every = figure.subplots(
        len(panels), sharex=True, squeeze=False, gridspec_kw={"height_ratios": counts}
    )[:, 0]
    for axes, (title, own) in zip(every, panels.items(), strict=True):
        for i, (name, points) in enumerate(own.items()):
            axes.plot(
                [value for _, value in points],
                [label for label, _ in points],
                linestyle="",
                marker=MARKERS[i % len(MARKERS)],
                color=COLOURS[i % len(COLOURS)],
                label=name,
            )
        axes.set_title(title, fontsize=9, loc="left")
        axes.set_ylim(len(next(iter(own.values()))) - 0.5, -0.5)
        axes.axvline(1, color=BLACK, linewidth=0.8)
        axes.grid(alpha=0.3)
        axes.tick_params(labelsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    every[-1].set_xlabel(unit)
    handles, labels = every[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    save_figure(figure, file)
