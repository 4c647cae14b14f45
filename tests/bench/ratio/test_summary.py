"""Summaries: open cells stay intervals, starved cells are infinite ratios, nothing is dropped."""

import pytest

from hadaropt.bench.ratio import report
from hadaropt.bench.ratio.cells import settle
from hadaropt.bench.ratio.summary import cross_model, summarise
from hadaropt.errors import InvariantError
from tests.bench.made_cells import cell


def test_ratio_is_opt_over_value_and_one_when_both_are_zero():
    assert cell(primal=4, best=10).ratio_low == 2.5
    assert cell(primal=0, best=0).ratio_low == 1
    assert cell(primal=0, best=3).ratio_low == float("inf")


def test_open_cells_are_intervals():
    (summary,) = summarise([cell(primal=10, best=10), cell(primal=10, best=12, bound=15)])
    assert (summary.cells, summary.closed) == (2, 1)
    assert (summary.worst.low, summary.worst.high) == (1.2, 1.5)
    assert report.interval(summary.worst) == "1.200..1.500"


def test_starved_cells_are_infinite_and_empty_ones_are_one():
    (summary,) = summarise([cell(primal=0, best=5), cell(primal=0, best=0), cell(primal=5, best=5)])
    assert (summary.cells, summary.starved) == (3, 1)
    assert summary.median.high == 1
    assert report.interval(summary.p95) == report.interval(summary.worst) == "inf"


def test_where_most_cells_starve_the_median_is_infinite():
    (summary,) = summarise([cell(primal=0, best=5, seed=k) for k in range(6)])
    assert report.interval(summary.median) == "inf"
    assert report.confidence(summary.median_confidence) == "inf..inf"


def test_quantiles_are_values_that_occur():
    cells = [cell(primal=1, best=k, seed=k) for k in range(1, 21)]
    (summary,) = summarise(cells)
    assert (summary.median.low, summary.p95.low, summary.worst.low) == (10, 19, 20)
    assert summary.median_confidence[0] <= 10 <= summary.median_confidence[1]


def test_models_of_one_seed_are_one_draw():
    once = [cell(primal=1, best=k, seed=k) for k in range(1, 11)]
    (one,) = summarise(once)
    (three,) = summarise([c for c in once for _ in range(3)])
    assert one.median_confidence == three.median_confidence
    assert one.median_confidence[0] < 5 < one.median_confidence[1]


def test_few_seeds_have_no_interval():
    (summary,) = summarise([cell(best=10, seed=k % 4) for k in range(12)])
    (row,) = report.ratio_rows([summary])
    assert row[4] == "-"


def test_jobs_per_second_counts_all_jobs_and_all_seconds():
    (summary,) = summarise([cell(), cell(seconds=1.5)])
    assert summary.jobs_per_second == pytest.approx(4)


def test_settle_gives_every_cell_the_best_value_and_bound():
    cells = settle([cell(primal=7, best=8, bound=20), cell(primal=9, best=8, bound=20, dual=18)])
    assert {(c.best, c.bound) for c in cells} == {(9, 18)}


def test_settle_refuses_a_certificate_below_a_value():
    with pytest.raises(InvariantError, match="below the feasible value"):
        settle([cell(primal=9, best=8, bound=20), cell(primal=7, best=8, bound=20, dual=8)])


def test_cross_model_compares_equal_seeds_only():
    cells = [
        cell(parallelism="single_type", best=10),
        cell(parallelism="mixed", best=12, bound=13),
        cell(parallelism="mixed", best=99, seed=1),
    ]
    assert cross_model(cells)["mixed", "single_type"] == [(1.2, 1.3)]
    (row,) = report.cross_model_rows(cells)
    assert row == ("OPT(mixed) / OPT(single_type)", "1", "1.200..1.300", "1.200..1.300", "1")
