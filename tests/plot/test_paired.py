"""Paired comparisons as points and intervals."""

import math

import pytest

from hadaropt.plot.paired import plot_paired
from hadaropt.plot.style import BLACK, SKY

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")


def test_each_row_is_a_point_at_its_contestant():
    rows = [
        ("primal_dual:step", "", 0.1, 0.0, 0.2),
        ("fifo", "", -0.3, math.nan, math.nan),
    ]
    axes = plot_paired(rows)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["step", "fifo"]
    interval, first, second, reference = axes.get_lines()
    assert list(interval.get_xdata()) == [0.0, 0.2]
    assert [list(line.get_xdata()) for line in (first, second)] == [[0.1], [-0.3]]
    assert [list(line.get_ydata()) for line in (first, second)] == [[0], [1]]
    assert [line.get_color() for line in (interval, first, second)] == [SKY, SKY, BLACK]
    assert list(reference.get_xdata()) == [0.0, 0.0]
    assert axes.figure.legends == []


def test_places_stand_apart_and_are_named():
    rows = [("fifo", place, 2.0, 1.0, 4.0) for place in ("load=1", "load=2")]
    axes = plot_paired(rows, reference=1.0, log=True)
    heights = [line.get_ydata()[0] for line in axes.get_lines() if line.get_marker() != "None"]
    assert heights == [-0.2, 0.2]
    (legend,) = axes.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["load=1", "load=2"]
    assert axes.get_xscale() == "log"
