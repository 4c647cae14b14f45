"""What pictures of a ratio suite need of its cells, and an axis of ratios."""

from __future__ import annotations

from itertools import pairwise

import pytest

from hadaropt.plot.cells import (
    MANY_CURVES,
    groups,
    largest_ratio,
    log_from_one,
    name_rows,
    of_each,
    plain_ticks,
    policies_of,
    starved,
)
from hadaropt.plot.style import new_figure
from tests.plot.ratio_cells import CELLS, cell

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")


def test_starved_cells_are_counted_apart():
    assert [starved(cell("p", *x)) for x in ((0, 5, 5), (0, 0, 0), (1, 5, 5), (0, 0, 3))] == [
        *(True, False, False, True)
    ]
    found = {policy: (i, len(alive), dead) for i, policy, alive, dead in
             of_each(policies_of(CELLS), CELLS)}  # fmt: skip
    assert found == {"fifo": (0, 3, 1), "greedy": (1, 2, 0), "priced": (2, 2, 1)}


def test_few_curves_share_a_panel_and_many_are_parted():
    prices = [f"primal_dual:{i}" for i in range(6)]
    others = [f"mine{i}" for i in range(4)]
    assert groups(prices) == {"": prices}
    assert len(prices + others) > MANY_CURVES
    assert groups(prices + others) == {"prices": prices, "others": others}
    assert groups([f"mine{i}" for i in range(10)]).keys() == {"others"}


@pytest.mark.parametrize("end", [1.02, 1.3, 2.0, 7.0, 20.0, 1e3, 1e6])
def test_ticks_are_few_and_apart(end):
    ticks = plain_ticks(end)
    assert ticks[0] == 1 and ticks == sorted(set(ticks)) and ticks[-1] <= end
    assert 1 <= len(ticks) <= 10
    for low, high in pairwise(ticks):
        assert high / low >= end ** (1 / 9) * (1 - 1e-12)


def test_the_largest_ratio_is_that_of_cells_that_collected_something():
    assert largest_ratio(CELLS) == 3.0
    assert largest_ratio([cell("p", 0, 5, 5)]) == 1.0


def test_the_axis_begins_at_one_in_plain_numbers():
    axes = new_figure(4, 3).subplots()
    log_from_one(axes, 40.0)
    low, high = axes.get_xlim()
    assert axes.get_xscale() == "log" and 0.9 < low < 1 and high > 40
    assert axes.get_xticklabels()[0].get_text() == "1"
    assert not axes.xaxis.get_minorticklocs().size


def test_names_are_written_as_they_are_from_the_top():
    axes = new_figure(4, 3).subplots()
    name_rows(axes, ["$x^2$", "fifo"])
    axes.figure.draw_without_rendering()
    low, high = axes.get_ylim()
    assert low > high and len(axes.get_yticklabels()) == 2
    assert "x^2" in axes.get_yticklabels()[0].get_text()
