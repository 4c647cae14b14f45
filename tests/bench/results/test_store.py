"""Results on disk: exact numbers as text, and a row for every failure."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hadaropt.bench.ratio.sweep import Failure
from hadaropt.bench.results import store
from hadaropt.bench.schedulers.suite import SimulatedCell
from hadaropt.simulate.metrics import Distribution
from hadaropt.sweep import Task
from tests.bench.made_cells import cell

PAYLOAD = {"family": "f", "seed": 3, "policy": "fifo", "instance_sha256": "ab", "parameters": {}}


def failure(**changes):
    return Failure(Task("k", "m:f", PAYLOAD | changes), "timeout", "stopped after 5 s", "")


def test_fractions_are_text_and_ratios_floats():
    record = store.cell_record(cell(primal=Fraction(1, 3), best=1))
    assert (record["primal"], record["best"], record["bound"]) == ("1/3", "1", "1")
    assert (record["ratio_low"], record["certified"]) == (3.0, 300.0)
    assert (record["primal_float"], record["best_float"]) == (1 / 3, 1.0)
    assert (record["status"], record["reason"], record["closed"]) == ("done", "", True)
    assert store.varied("six_class load=1e400")["vary_load_float"] == math.inf


def test_what_varies_has_columns_of_text_and_number():
    own = store.varied("six_class load=1/2 objective=jct sizes=1,2 note")
    assert own == {
        "vary_load": "1/2",
        "vary_load_float": 0.5,
        "vary_objective": "jct",
        "vary_sizes": "1,2",
    }
    assert store.varied("whole, horizon FIFO 95 %") == {}
    simulated = SimulatedCell("gavel_like load=0.7", 0, "yarn", "ab", {}, {}, {"run": 1.5})
    assert store.simulated_record(simulated, None)["vary_load_float"] == 0.7
    assert store.cell_record(cell(family="f load=2"))["vary_load"] == "2"


def test_a_failure_has_its_place_and_its_reason():
    assert store.failure_record(failure()) == {
        "family": "f",
        "seed": 3,
        "policy": "fifo",
        "instance_sha256": "ab",
        "status": "timeout",
        "reason": "stopped after 5 s",
    }


def test_cells_and_failures_are_read_back(tmp_path):
    polars = pytest.importorskip("polars", reason="the extra 'bench' is not installed")
    own = [cell(seed=s, guarantee=g) for s, g in enumerate((2.5, math.inf))]
    file = store.write_cells(own, tmp_path, [failure()])
    assert file == tmp_path / "cells.parquet"
    table = polars.read_parquet(file)
    assert table["status"].to_list() == ["done", "done", "timeout"]
    assert table["primal"].to_list() == ["10", "10", None]
    assert table["guarantee"].to_list() == [2.5, math.inf, None]
    assert table.equals(store.cells_frame(own, [failure()]))


def test_cells_of_schedulers_are_flat():
    own = SimulatedCell("f", 0, "yarn", "ab", {"done": 2, "jct_s.mean": None}, {}, {"run": 1.5})
    record = store.simulated_record(own, Distribution.of([1.0, 3.0]))
    assert (record["scheduler"], record["done"], record["seconds"]) == ("yarn", 2, 1.5)
    assert record["common_jct_s.mean"] == 2.0 and record["common_jct_s.p95"] > 2
    assert store.simulated_record(own, None)["common_jct_s.mean"] is None
