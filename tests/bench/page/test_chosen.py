"""The run in detail."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hadaropt.bench.page.build import build_page
from hadaropt.bench.page.results import ResultsError, read_results
from hadaropt.bench.ratio.contestants import run_contestant
from hadaropt.bench.ratio.policy_text import policy_from_text
from hadaropt.generate import generate
from tests.bench.page.samples import cells, folder

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")


def test_a_run_is_chosen_by_name_and_compared(tmp_path):
    own = cells(1)
    results = read_results(folder(tmp_path / "x", own))
    found = build_page(results, run="small_uniform:0:forked:fifo")
    assert "fifo has no prices to show" in found and "chosen by name" in found
    with pytest.raises(ResultsError, match="is none of the cells"):
        build_page(results, run="small_uniform:9:forked:fifo")
    changed = [replace(cell, primal=cell.primal / 2) for cell in own]
    found = build_page(read_results(folder(tmp_path / "y", changed)))
    assert "Run again it collects" in found


def test_a_run_with_parameters_is_run_again(tmp_path):
    drawn = generate("small_uniform", seed=0, num_jobs=5, num_rounds=5)
    policy = policy_from_text("primal_dual:linear[iterations=2]")
    run = run_contestant(drawn, policy)
    own = [c for c in cells(1) if c.parallelism == "mixed"]
    told = replace(own[0], policy=policy.name, primal=run.value, theorem="")
    place = folder(tmp_path / "x", [*own, told])
    found = build_page(read_results(place), run=f"small_uniform:0:mixed:{policy.name}")
    assert "Run again it collects" not in found
    assert "the policy&#x27;s and those of the optimum" in found
