"""The picture of a solve over time."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from hadaropt import solve, solve_ilp
from hadaropt.generate import generate
from hadaropt.plot.anytime import gap_curve, plot_anytime
from hadaropt.plot.style import figure_of, save_figure
from hadaropt.results import Result

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")


def test_the_history_improves_and_ends_at_the_answer() -> None:
    result = solve(generate("small_uniform", seed=1))
    assert result.status == "proved"
    seconds, value, bound = result.history[-1]
    assert (value, bound) == (result.value, result.bound)
    assert 0 <= seconds <= result.timings.solve
    for before, after in pairwise(result.history):
        assert before[0] <= after[0]
        assert (before[1] or 0) <= (after[1] or 0)
        assert before[2] is None or Fraction(after[2] or 0) <= before[2]
    assert gap_curve(result)[-1][1] == 0


def test_curves_are_drawn_to_the_end(tmp_path: Path) -> None:
    result = solve(generate("overloaded_tight", seed=1), time_limit=2, cross_check=False)
    above, below = plot_anytime(result, "a title")
    figure = figure_of(above)
    assert figure.get_suptitle() == "a title"
    value, bound = above.lines
    assert value.get_ydata()[-1] == pytest.approx(float(result.value))
    assert bound.get_ydata()[-1] == pytest.approx(float(result.bound))
    assert value.get_xdata()[-1] == bound.get_xdata()[-1] >= result.history[-1][0]
    assert below.get_ylabel() == "gap (%)"
    assert save_figure(above, tmp_path / "a.png").stat().st_size > 1000


def test_a_result_without_history_is_refused() -> None:
    with pytest.raises(ValueError, match="no history"):
        plot_anytime(solve_ilp(generate("small_uniform", seed=1)))


@pytest.mark.parametrize(("last", "scale"), [(60, "linear"), (1, "log")])
def test_the_axis_of_gaps_has_plain_ticks(last: int, scale: str) -> None:
    history = (
        (0.5, Fraction(100), Fraction(200)),
        (1.0, Fraction(100), Fraction(100 + last)),
    )
    result = Result(method="auto", termination="time_limit", history=history)
    _, below = plot_anytime(result)
    assert below.get_yscale() == scale
    figure_of(below).draw_without_rendering()
    low, high = below.get_ylim()
    shown = [text.get_text() for text in below.get_yticklabels()]
    assert len([text for text in shown if low <= float(text) <= high]) >= 2
