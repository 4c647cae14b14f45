"""The anytime curve of a solve: best value and proven bound over time, and the gap between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from hadaropt.plot.style import BLACK, BLUE, VERMILION, literal, new_figure, tidy
from hadaropt.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NARROW, WIDE = 4, 1000
"""Below the one spread of gaps an axis is linear, above the other a tick a decade is enough."""


def gap_curve(result: Result) -> list[tuple[float, float]]:
    """Return (seconds, gap in per cent) from the first schedule of some worth on.

    Examples
    --------
    >>> from fractions import Fraction
    >>> history = ((0.5, None, Fraction(12)), (1.0, Fraction(10), Fraction(12)))
    >>> gap_curve(Result(method="auto", termination="time_limit", history=history))
    [(1.0, 20.0)]
    """
    return [
        (seconds, 100 * float((bound - value) / max(Fraction(1), value)))
        for seconds, value, bound in result.history
        if value is not None and bound is not None and (value > 0 or bound == 0)
    ]


def plot_anytime(result: Result, title: str = "") -> tuple[Axes, Axes]:
    """Draw the history of a solve; ``solve`` and ``branch_and_price`` through it record one.

    Parameters
    ----------
    result : Result
        With a ``history``.
    title : str

    Raises
    ------
    ValueError
        If the result has no history.
    MissingExtraError
        If matplotlib is not installed.
    """
    if not result.history:
        raise ValueError(f"the result of method {result.method} has no history")
    figure = new_figure(7.5, 5.2)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[1.4, 1])
    figure.suptitle(literal(title or f"{result.method}: {result.termination}"))
    end = max(result.history[-1][0], result.timings.solve)
    for index, (name, colour, dashes) in enumerate(
        (("best value", BLUE, "-"), ("proven bound", VERMILION, "--")), 1
    ):
        points = [(row[0], row[index]) for row in result.history]
        curve = [(seconds, float(x)) for seconds, x in points if x]
        _step(above, curve, end, colour, dashes, name)
    above.set_ylabel("value")
    above.legend(frameon=False)
    _step(below, gap_curve(result), end, BLACK, "-", "gap")
    below.set_ylabel("gap (%)")
    _scale_gap(below, [gap for _, gap in gap_curve(result) if gap > 0])
    below.set_xlabel("seconds")
    for axes in (above, below):
        tidy(axes)
    return above, below


def _scale_gap(axes: Axes, gaps: Sequence[float]) -> None:
    """Give the axis of gaps a log scale where they span one, and ticks in plain numbers."""
    if gaps and max(gaps) > NARROW * min(gaps):
        from matplotlib.ticker import LogLocator, NullLocator

        axes.set_yscale("log")
        wide = max(gaps) > WIDE * min(gaps)
        axes.yaxis.set_major_locator(LogLocator(subs=(1,) if wide else (1, 2, 5)))
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter("{x:g}")


def _step(
    axes: Axes,
    curve: Sequence[tuple[float, float]],
    end: float,
    colour: str,
    dashes: str,
    name: str,
) -> None:
    finite = [(seconds, x) for seconds, x in curve if math.isfinite(x)]
    if finite:
        finite.append((end, finite[-1][1]))
        seconds, values = zip(*finite, strict=True)
        axes.step(seconds, values, where="post", color=colour, linestyle=dashes, label=name)
