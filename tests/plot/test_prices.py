"""Prices by round."""

from fractions import Fraction

import numpy as np
import pytest

from hadaropt import Cluster, Instance
from hadaropt.plot.prices import mean_price, plot_prices
from hadaropt.results import Prices

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")

CLUSTER = Cluster.of({"a": {"V100": 3}, "b": {"V100": 1, "K80": 2}}, ("V100", "K80", "P100"))
INSTANCE = Instance(CLUSTER, (), 2, 1)


def test_node_prices_are_averaged_over_the_gpus_of_a_type():
    units = np.array([[[4, 9, 0], [8, 6, 0]], [[0, 0, 0], [4, 2, 0]]])
    prices = Prices(units, Fraction(2), "node")
    assert mean_price(INSTANCE, prices).tolist() == [[2.5, 3.0, 0.0], [0.5, 1.0, 0.0]]


def test_a_panel_for_each_type_that_is_there_and_a_curve_for_each_vector():
    flat = Prices(np.ones((2, 3), np.int64), Fraction(1), "type")
    high = Prices(np.full((2, 3), 500), Fraction(1), "type")
    axes = plot_prices(INSTANCE, {"flat": flat, "high": high})
    assert [a.get_title() for a in axes] == ["price of a GPU: V100 (4)", "price of a GPU: K80 (2)"]
    assert [len(a.patches) for a in axes] == [2, 2]
    assert axes[0].get_yscale() == "symlog"
    (legend,) = axes[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["flat", "high"]


def test_no_prices_and_no_gpus_are_no_error():
    assert len(plot_prices(INSTANCE, {})) == 2
    nothing = Instance(Cluster.of({"a": {}}, ("V100",)), (), 1, 1)
    assert len(plot_prices(nothing, {})) == 1
