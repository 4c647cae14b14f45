"""Pictures of a ratio suite."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt.errors import MissingExtraError
from hadaropt.plot.ratios import plot_guarantees, plot_ratios, save_ratio_figures
from hadaropt.results import ratio

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")


@dataclass(frozen=True)
class Cell:
    policy: str
    primal: Fraction
    best: Fraction
    bound: Fraction
    parallelism: str = "mixed"
    theorem: str = ""
    guarantee: float = float("inf")
    vacuous: bool = False

    @property
    def ratio_low(self) -> float:
        return ratio(self.best, self.primal)

    @property
    def ratio_high(self) -> float:
        return ratio(self.bound, self.primal)


def cell(policy: str, primal: int, best: int, bound: int, **more: object) -> Cell:
    return Cell(policy, Fraction(primal), Fraction(best), Fraction(bound), **more)  # type: ignore[arg-type]


CELLS = [
    cell("fifo", 10, 20, 20),
    cell("fifo", 10, 15, 30),
    cell("fifo", 0, 5, 5),
    cell("fifo", 0, 0, 0),
    cell("greedy", 10, 10, 10),
    cell("greedy", 4, 4, 4, parallelism="forked"),
    cell("priced", 10, 20, 20, theorem="T7", guarantee=40.0, vacuous=True),
    cell("priced", 10, 11, 12, theorem="T7", guarantee=7.0),
    cell("priced", 0, 7, 7, theorem="T7"),
]


def test_each_model_has_curves_and_boxes_of_each_policy() -> None:
    figure = plot_ratios(CELLS)
    titles = [axes.get_title().partition(":")[0] for axes in figure.axes]
    assert titles == ["mixed", "mixed", "forked", "forked"]
    curves, boxes = figure.axes[:2]
    assert [text.get_text() for text in curves.get_legend().get_texts()] == [
        "fifo",
        "greedy",
        "priced",
    ]
    assert [text.get_text() for text in boxes.get_yticklabels()] == ["fifo", "greedy", "priced"]
    assert curves.get_xscale() == boxes.get_xscale() == "log"
    assert len(boxes.patches) == 3


def test_starved_cells_are_counted_and_keep_the_curve_below_the_whole() -> None:
    curves, boxes = plot_ratios(CELLS).axes[:2]
    fifo = curves.get_lines()[0]
    assert max(fifo.get_ydata()) == pytest.approx(75)
    assert [note.get_text() for note in boxes.texts] == [
        "P = 0: 1 of 4, 1 open",
        "",
        "P = 0: 1 of 3, 1 open",
    ]


def test_open_cells_are_intervals_and_the_curve_takes_the_upper_end() -> None:
    curves, boxes = plot_ratios(CELLS).axes[:2]
    assert list(curves.get_lines()[0].get_xdata())[1:4] == [1, 2, 3]
    assert len(curves.collections) == 2  # the bands of fifo and priced
    (segment,) = boxes.collections[0].get_segments()
    assert segment[:, 0].tolist() == [1.5, 3]


def test_guarantees_show_the_cells_with_a_theorem() -> None:
    axes = plot_guarantees(CELLS).axes[0]
    full, vacuous = axes.collections[:2]
    assert full.get_offsets().tolist() == [[1.2, 7]]
    assert vacuous.get_offsets().tolist() == [[2, 40]]
    assert vacuous.get_facecolors().size == 0
    assert axes.get_legend().get_texts()[0].get_text() == "priced\n  T7 on 2 of 3 cells"


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
