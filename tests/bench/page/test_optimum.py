"""The optimum of the run in detail."""

from __future__ import annotations

import pytest

from hadaropt import solve
from hadaropt.bench.page import optimum
from hadaropt.bench.page.build import build_page
from hadaropt.bench.page.results import read_results
from hadaropt.generate import generate
from tests.bench.page.reader import Reader
from tests.bench.page.samples import cells, folder
from tests.interrupting import cut_short

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")


def test_the_optimum_of_the_run_is_drawn_beside_it(tmp_path):
    place = folder(tmp_path / "x", cells(1))
    chosen = build_page(read_results(place)).partition('id="chosen"')[2].partition("</section>")[0]
    files = [a["download"] for a in Reader(chosen).all("a")]
    names = ("trajectories.csv", "schedule.csv", "solve.csv", "prices.csv", "optimum.csv")
    assert sorted(files) == sorted(names)
    instance = generate("small_uniform", seed=0, num_jobs=5, num_rounds=5)
    name = "small_uniform:0:mixed:fifo"
    found = build_page(read_results(place), run=name)
    assert f"solved again for this page: {float(solve(instance).value):.6g}." in found
    assert "Prices by round: dual prices of the solver" in found


def test_a_page_does_not_say_20_s_of_a_proof_that_ctrl_c_cut_short(monkeypatch):
    cut_short(monkeypatch, optimum, "solve")
    with pytest.raises(KeyboardInterrupt):
        optimum.optimum_blocks(generate("small_uniform", seed=0, num_jobs=3), "fifo", None)
