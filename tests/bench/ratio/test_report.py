"""Tables of a ratio suite."""

import pytest

from hadaropt.bench.ratio import report
from hadaropt.bench.ratio.summary import Interval, summarise
from tests.bench.made_cells import cell


def test_guarantees_are_marked_where_vacuous():
    cells = [cell(theorem="T7", guarantee=5000.0, vacuous=True), cell()]
    (row,) = report.ratio_rows(summarise(cells))
    assert row[-3] == "5e+03*"
    assert row[-2] == "1/2"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.000"),
        (999.9994, "999.999"),
        (1000.0, "1e+03"),
        (float("inf"), "inf"),
        (float("nan"), "-"),
    ],
)
def test_ratios_in_tables(value, text):
    assert report.figure(value) == text


def test_an_interval_is_a_point_where_its_ends_look_alike():
    assert report.interval(Interval(1.0, 1.0001)) == "1.000"
    assert report.interval(Interval(1.0, float("inf"))) == "1.000..inf"
    assert report.confidence((1.0, 1.0)) == "1.000..1.000"
    assert report.confidence((float("nan"), float("nan"))) == "-"


def test_rows_fit_their_columns_and_open_cells_are_intervals():
    cells = [cell(seed=0), cell(seed=1, best=10, bound=20), cell("q", 0, 10)]
    first, second = report.ratio_rows(summarise(cells))
    assert len(first) == len(second) == len(report.RATIO_COLUMNS)
    shown = dict(zip(report.RATIO_COLUMNS, first, strict=True))
    assert (shown["cells"], shown["OPT proved"], shown["worst"]) == ("2", "1", "1.000..2.000")
    assert (shown["P = 0"], shown["guarantee"], shown["theorem"]) == ("0", "-", "0/2")
    assert dict(zip(report.RATIO_COLUMNS, second, strict=True))["worst"] == "inf"


def test_models_stand_apart_and_together():
    cells = [cell(), cell(parallelism="forked"), cell("q")]
    tables = report.by_model(cells)
    assert {name: len(table) for name, table in tables.items()} == {
        "mixed": 2,
        "forked": 1,
        "all": 2,
    }
    assert list(report.by_model(cells[:1])) == ["mixed"]


def test_optima_of_two_models_are_compared_at_equal_seeds():
    cells = [
        cell(seed=seed, parallelism=model, best=best)
        for seed, pair in enumerate(((10, 10), (10, 15), (10, 30)))
        for model, best in zip(("mixed", "forked"), pair, strict=True)
    ]
    (row,) = [row for row in report.cross_model_rows(cells) if "forked" in row[0]]
    assert row == ("OPT(forked) / OPT(mixed)", "3", "1.500", "3.000", "2")
    assert len(row) == len(report.CROSS_COLUMNS)
    assert report.cross_model_rows(cells[:1]) == []
