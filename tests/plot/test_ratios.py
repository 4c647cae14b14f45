"""Pictures of a ratio suite."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hadaropt.errors import MissingExtraError
from hadaropt.plot.profiles import plot_profile
from hadaropt.plot.ratios import (
    plot_ratio_boxes,
    plot_ratio_curves,
    plot_ratios,
    save_ratio_figures,
)
from hadaropt.plot.style import new_figure
from hadaropt.policies import POLICY_NAMES
from tests.plot.ratio_cells import CELLS, Cell, cell

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")


def test_each_model_has_curves_and_boxes_of_each_policy() -> None:
    panels = plot_ratios(CELLS)
    titles = [axes.get_title().partition(":")[0] for axes in panels]
    assert titles == ["mixed", "mixed", "forked", "forked"]
    curves, boxes = panels[:2]
    (legend,) = curves.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["fifo", "greedy", "priced"]
    assert curves.get_legend() is None  # nothing covers the curves
    assert [text.get_text() for text in boxes.get_yticklabels()] == ["fifo", "greedy", "priced"]
    assert curves.get_xscale() == boxes.get_xscale() == "log"
    assert len(boxes.patches) == 5  # two each for fifo and priced, which have open cells


def test_starved_cells_are_counted_and_keep_the_curve_below_the_whole() -> None:
    curves, boxes = plot_ratios(CELLS)[:2]
    fifo = curves.get_lines()[0]
    assert max(fifo.get_ydata()) == pytest.approx(75)
    assert [note.get_text() for note in boxes.texts] == [
        "P = 0: 1 of 4, 1 open",
        "",
        "P = 0: 1 of 3, 1 open",
    ]


def test_where_many_cells_are_open_curves_take_the_upper_ends_and_boxes_show_both() -> None:
    curves, boxes = plot_ratios(CELLS)[:2]
    assert list(curves.get_lines()[0].get_xdata())[1:4] == [1, 2, 3]
    assert not curves.collections
    hollow, filled = boxes.patches[:2]
    assert hollow.get_facecolor()[:3] == (1, 1, 1) != filled.get_facecolor()[:3]
    assert hollow.get_path().get_extents().x1 < filled.get_path().get_extents().x1
    assert "bound / P" in curves.get_xlabel()


def test_a_few_open_cells_are_a_band() -> None:
    cells = [cell("fifo", 10, 10 + i, 10 + i) for i in range(9)] + CELLS[1:2]
    axes = plot_ratio_curves(cells)
    assert len(axes.collections) == 1
    assert [text.get_text() for text in axes.figure.legends[0].get_texts()] == ["fifo"]
    assert not plot_ratio_curves(cells[:9], legend=False).figure.legends


def test_axes_that_are_given_are_drawn_on() -> None:
    given = new_figure(4, 3).subplots()
    assert plot_ratio_boxes(CELLS, ax=given) is given
    assert [t.get_text() for t in given.get_yticklabels()] == ["fifo", "greedy", "priced"]


def test_files_are_written(tmp_path: Path) -> None:
    files = save_ratio_figures(CELLS, tmp_path)
    assert files == {name: tmp_path / f"{name}.png" for name in ("ratios", "guarantees")}
    for file in files.values():
        assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("cells", [CELLS[2:3], CELLS[3:4], CELLS[:1]])
def test_without_theorems_there_is_one_picture(tmp_path: Path, cells: list[Cell]) -> None:
    assert list(save_ratio_figures(cells, tmp_path)) == ["ratios"]


def test_without_matplotlib_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hadaropt\[plot\]'"):
        save_ratio_figures(CELLS, tmp_path)


def test_importing_the_module_loads_no_matplotlib() -> None:
    code = "import sys, hadaropt.plot.ratios; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_many_policies_share_two_panels_of_curves() -> None:
    names = [*POLICY_NAMES, "mine"]
    cells = [cell(name, 10, 10 + i, 10 + i) for i, name in enumerate(names)]
    prices, others, boxes = plot_ratios(cells)
    posted = [name for name in names if name.startswith("primal_dual:")]
    assert len(prices.get_lines()) == len(posted) > 5
    assert len(others.get_lines()) == len(names) - len(posted) > 3
    assert len(boxes.get_yticklabels()) == len(names)
    (legend,) = prices.figure.legends
    assert len(legend.get_texts()) == len(names)
    assert len(plot_profile(cells, policies=names[:2]).get_lines()) == 2
