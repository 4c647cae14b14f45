"""Performance profiles."""

from __future__ import annotations

import pytest

from hadaropt.plot.profiles import performance_ratios, plot_against, plot_profile
from tests.plot.ratio_cells import CELLS, cell

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")


def test_profiles_compare_with_the_best_policy_on_the_instance() -> None:
    cells = [
        cell("fifo", 10, 20, 20, seed=0),
        cell("greedy", 5, 20, 20, seed=0),
        cell("fifo", 0, 20, 20, seed=1),
        cell("greedy", 8, 20, 20, seed=1),
        cell("fifo", 0, 0, 0, seed=2),
        cell("greedy", 0, 0, 0, seed=2),
    ]
    assert performance_ratios(cells) == {
        "fifo": [1.0, 1.0, float("inf")],
        "greedy": [1.0, 1.0, 2.0],
    }
    fifo, greedy = plot_profile(cells).get_lines()
    assert max(fifo.get_ydata()) == pytest.approx(200 / 3)
    assert max(greedy.get_ydata()) == 100


def test_against_a_property_points_are_cells_and_lines_are_medians() -> None:
    cells = [cell("fifo", 10, 10 * (i + 1), 10 * (i + 1)) for i in range(8)]
    axes = plot_against(cells, [float(i) for i in range(8)], "load")
    points, line = axes.get_lines()
    assert list(points.get_ydata()) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert list(line.get_ydata()) == [1.5, 3.5, 5.5, 7.5]
    plot_against(cells, [2.0] * 8, "load", log=True)
    plot_against(CELLS[2:3], [1.0], "load")
