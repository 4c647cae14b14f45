"""Pictures of a ratio suite."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt.errors import MissingExtraError
from hadaropt.plot.guarantees import plot_certified, plot_guarantees
from hadaropt.plot.profiles import performance_ratios, plot_against, plot_profile
from hadaropt.plot.ratios import (
    plot_ratio_boxes,
    plot_ratio_curves,
    plot_ratios,
    save_ratio_figures,
)
from hadaropt.plot.runtime import growth, plot_runtime
from hadaropt.plot.style import looks, new_figure
from hadaropt.policies import POLICY_NAMES
from hadaropt.results import ratio

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")


@dataclass(frozen=True)
class Cell:
    policy: str
    primal: Fraction
    best: Fraction
    bound: Fraction
    parallelism: str = "mixed"
    family: str = "small"
    seed: int = 0
    certified: float = 50.0
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


def test_policies_look_the_same_in_every_figure_and_different_from_each_other() -> None:
    known = looks(POLICY_NAMES)
    assert len({(look.colour, look.dashes) for look in known.values()}) == len(POLICY_NAMES)
    assert looks(["fifo"])["fifo"] == known["fifo"]
    many = looks(f"mine {i}" for i in range(20))
    assert len({(look.colour, look.dashes) for look in many.values()}) == 20


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


def test_growth_is_the_exponent() -> None:
    points = [(size, 3 * size**1.5) for size in (10, 20, 40)]
    assert growth(points) == pytest.approx(1.5)
    assert growth(points[:1]) != growth(points[:1])  # nan: one size only
    axes = plot_runtime({"fifo": points, "one": [(10, 1.0), (10, 0.0)]})
    labels = [text.get_text() for text in axes.figure.legends[0].get_texts()]
    assert labels == ["fifo: growth 1.50", "one"]


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
