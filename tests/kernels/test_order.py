"""The order by price is the stable one, by insertion and by merging runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels import order as orders
from hadaropt.kernels.order import by_price, by_price_in


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60))
@settings(deadline=None, max_examples=200)
def test_the_order_is_stable(prices):
    price, order = np.array(prices, np.int64), np.empty(len(prices), np.int64)
    for sort in (by_price, by_price.py_func):
        order[:] = -1
        sort(price, order)
        assert order.tolist() == np.argsort(price, kind="stable").tolist()


@pytest.mark.parametrize("types", [1, 2, 3, 7])
def test_rising_runs_are_merged(types):
    rng = np.random.default_rng(types)
    price = np.sort(rng.integers(0, 1000, (types, 500)), axis=1).ravel()
    order = np.empty(len(price), np.int64)
    assert len(price) > orders.SHORT
    by_price(price, order)
    assert np.array_equal(order, np.argsort(price, kind="stable"))


@given(st.lists(st.lists(st.integers(0, 9), min_size=40, max_size=40), min_size=1, max_size=3))
@settings(deadline=None, max_examples=100)
def test_rows_are_ordered_as_single_ones(rows):
    for size in (3, 40):  # short and long ones
        price = np.array(rows, np.int64)[:, :size].copy()
        for sort in (by_price_in, by_price_in.py_func):
            order = np.full(price.shape, -1, np.int64)
            for t in range(len(rows)):
                sort(t, price, order)
            assert np.array_equal(order, np.argsort(price, axis=1, kind="stable"))
