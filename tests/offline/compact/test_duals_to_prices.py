"""Prices from duals: on types, on nodes, and the exact bound that any of them proves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from hadaropt.modes.plans import job_plans
from hadaropt.offline.compact.duals_to_prices import (
    certified_bound,
    free_bound,
    price_scale,
    prices_of_cells,
    prices_of_sets,
    prices_of_single_nodes,
)
from tests.offline.support import duel

INSTANCE = duel()
PLANS = job_plans(INSTANCE, "hall")
BOTH = [(0, frozenset({0})), (1, frozenset({0}))]


def test_without_prices_every_job_completes_at_once() -> None:
    assert free_bound(PLANS) == 8
    assert certified_bound(INSTANCE, PLANS, None) is None


def test_the_duals_of_the_optimum_prove_it() -> None:
    prices = prices_of_sets(INSTANCE, PLANS, BOTH, np.array([1.0, 0.0]))
    assert prices.pool == "type" and prices.price(0, 0) == 1 and prices.price(1, 0) == 0
    assert certified_bound(INSTANCE, PLANS, prices) == 7


def test_any_prices_prove_a_bound_and_none_a_wrong_one() -> None:
    for duals in ([0.3, 0.2], [5.0, 5.0], [1.0 + 1e-9, 1e-12], [-1.0, 0.0]):
        prices = prices_of_sets(INSTANCE, PLANS, BOTH, np.array(duals))
        bound = certified_bound(INSTANCE, PLANS, prices)
        assert bound is not None and 7 <= bound <= 8
        assert (prices.units >= 0).all()


def test_noise_is_no_price_and_the_rest_is_rounded_up() -> None:
    scale = price_scale(INSTANCE, PLANS)
    grain = 1 / float(scale)
    prices = prices_of_cells(INSTANCE, PLANS, np.array([[[grain / 1000]], [[1.5 * grain]]]))
    assert prices.pool == "node" and prices.units.ravel().tolist() == [0, 2]
    assert prices.scale == scale and isinstance(scale, Fraction)


def test_nodes_too_small_for_a_gang_are_spared_its_price() -> None:
    none = np.zeros(2)
    rows, kept = [(0, 2, 2)], np.array([3.0, 0.0])
    spared = prices_of_single_nodes(INSTANCE, PLANS, BOTH, none, rows, kept)
    assert spared.units.sum() == 0  # the one node holds a single GPU
    paid = prices_of_single_nodes(INSTANCE, PLANS, BOTH, none, [(0, 1, 1)], kept)
    assert paid.price(0, 0, 0) == 3
