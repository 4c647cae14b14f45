"""A gang filled in an order of places, against enumeration of all ways to hold it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.gang_fill import INF, fill_gang, gang_charge
from hadaropt.kernels.order import by_price
from tests.kernels import plain


@given(st.integers(1, 4), st.integers(1, 7), st.data())
@settings(deadline=None, max_examples=200)
def test_the_cheapest_way_to_hold_a_gang(places, gang, data):
    def column(values):
        return np.array(data.draw(st.lists(values, min_size=places, max_size=places)))

    price, free = column(st.integers(0, 5)), column(st.integers(-1, 4))
    admitted = column(st.booleans())
    order, use = np.empty(places, np.int64), np.empty(places, np.int64)
    by_price(price, order)
    assert order.tolist() == np.argsort(price, kind="stable").tolist()
    room = np.where(admitted, np.maximum(free, 0), 0)
    costs = [int(np.dot(way, price)) for way in plain.fills(room.tolist(), gang)]
    for charge, fill in ((gang_charge, fill_gang), (gang_charge.py_func, fill_gang.py_func)):
        found = charge(gang, admitted, order, price, free)
        assert found == min(costs, default=INF)
        assert fill(gang, admitted, order, free, use) == bool(costs)
        assert (use <= room).all()
        if costs:
            assert use.sum() == gang and np.dot(use, price) == found
        else:
            assert np.array_equal(use, room)
