"""Guarantees and certified intervals."""

from __future__ import annotations

import pytest

from hadaropt.plot.guarantees import plot_certified, plot_guarantees
from tests.plot.ratio_cells import CELLS

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")


def test_guarantees_show_the_cells_with_a_theorem() -> None:
    axes = plot_guarantees(CELLS)
    full, vacuous = axes.collections[:2]
    assert full.get_offsets().tolist() == [[1.2, 7]]
    assert vacuous.get_offsets().tolist() == [[2, 40]]
    assert vacuous.get_facecolors().size == 0
    assert axes.figure.legends[0].get_texts()[0].get_text() == "priced\nT7 on 2 of 3 cells"


def test_certified_intervals_run_from_best_known_to_the_certificate() -> None:
    axes = plot_certified(CELLS)
    thin, thick, mark = axes.get_lines()[:3]
    assert list(thick.get_xdata()) == [1.5, 50]
    assert thin.get_linewidth() < thick.get_linewidth()
    assert list(mark.get_xdata()) == [2]
    assert [text.get_text() for text in axes.texts] == ["P = 0: 1", "P = 0: 1"]
