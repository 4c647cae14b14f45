"""Contestants beside a baseline, and schedulers over the jobs that all complete."""

from __future__ import annotations

import math

import pytest

from hadaropt.bench.results.comparison import (
    PAIRED_COLUMNS,
    SCHEDULER_COLUMNS,
    against,
    common_counts,
    common_jct,
    paired_rows,
    paired_shares,
    scheduler_rows,
)
from hadaropt.bench.results.paired import ITSELF
from hadaropt.bench.schedulers.suite import SimulatedCell
from tests.bench.made_cells import cell

FIGURES = {"jobs": 3, "done": 2, "makespan_s": 7200.0, "gru": 0.5, "finish_time_fairness.mean": 1.5}


def simulated(scheduler, jct, seed=0, family="f", **figures):
    return SimulatedCell(family, seed, scheduler, "0", {**FIGURES, **figures}, jct, {"run": 2.0})


def test_shares_of_the_best_known_value_are_compared_in_pairs():
    """0.5 and 1 for p, 1 and 1 for the baseline."""
    cells = [cell(name, p, 10, seed=s) for name, ps in (("p", (5, 10)), ("base", (10, 10)))
             for s, p in enumerate(ps)]  # fmt: skip
    (row,) = paired_shares(cells, "base")
    assert (row.name, row.pairs, row.seeds, row.better, row.worse) == ("p", 2, 2, 0, 1)
    assert row.mean == pytest.approx(-0.25)
    (shown,) = paired_rows([row], "load=1")
    assert shown[:5] == ("p", "load=1", "2", "2", "-0.2500")
    assert len(shown) == 2 + len(PAIRED_COLUMNS)


def test_an_instance_worth_nothing_counts_as_reached():
    cells = [cell("p", 0, 0), cell("base", 0, 0)]
    (row,) = paired_shares(cells, "base")
    assert row.mean == 0 and paired_rows([row])[0][5] == "-"  # one seed has no interval


def test_only_jobs_that_every_scheduler_completes_are_compared():
    cells = [
        simulated("yarn", {"0": 100.0, "1": 300.0}),
        simulated("hadar", {"1": 100.0, "2": 900.0}),
        simulated("yarn", {"0": 50.0}, seed=1),
        simulated("hadar", {}, seed=1),
    ]
    common = common_jct(cells)
    assert common["f", 0, "yarn"].mean == 300 and common["f", 0, "hadar"].mean == 100
    assert common["f", 1, "yarn"] is None
    assert common_counts(cells) == {("f", 0): 1, ("f", 1): 0}


def test_rows_of_schedulers_are_ratios_to_the_baseline():
    cells = [
        simulated(name, {"0": jct * (1 + seed)}, seed=seed)
        for seed in range(2)
        for name, jct in (("yarn", 3600.0), ("hadar", 1800.0))
    ]
    rows = {row[0]: dict(zip(SCHEDULER_COLUMNS, row[1:], strict=True))
            for row in scheduler_rows(cells, "yarn")["f"]}  # fmt: skip
    assert (rows["yarn"]["JCT h"], rows["hadar"]["JCT h"]) == ("1.500", "0.750")
    assert (rows["yarn"]["ratio"], rows["hadar"]["ratio"]) == ("-", "0.500")
    assert rows["hadar"]["done"] == "4/6" and rows["hadar"]["common"] == "2"
    assert (rows["hadar"]["makespan h"], rows["hadar"]["FTF"]) == ("2.000", "1.500")
    assert (rows["hadar"]["in use"], rows["hadar"]["seconds"]) == ("50.0%", "2.000")


def test_what_was_not_measured_is_no_number():
    (row,) = scheduler_rows([simulated("yarn", {}, makespan_s=None)], "yarn")["f"]
    shown = dict(zip(SCHEDULER_COLUMNS, row[1:], strict=True))
    assert (shown["JCT h"], shown["makespan h"]) == ("-", "-")
    assert not math.isnan(float(shown["seconds"]))


def test_headings_name_the_baseline():
    assert against("yarn") == "against yarn"
    assert against(ITSELF) == "against the same without [ ]"
