"""Lifted covers hold for every set that fits, and cut off what they should."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.offline.cuts.knapsack import lift, minimum_cover

SETTINGS = settings(deadline=None, max_examples=150)
GANGS = st.lists(st.sampled_from((1, 2, 3, 4)), min_size=2, max_size=6)


@given(GANGS, st.integers(1, 9), st.data())
@SETTINGS
def test_covers_are_cheapest_minimal_and_their_lifting_is_valid(
    gangs: list[int], capacity: int, data: st.DataObject
) -> None:
    share = st.sampled_from((0.0, 0.25, 0.5, 0.75, 1.0))
    y = np.array(data.draw(st.lists(share, min_size=len(gangs), max_size=len(gangs))))
    sets = [
        chosen
        for n in range(len(gangs) + 1)
        for chosen in itertools.combinations(range(len(gangs)), n)
    ]
    covers = [
        sum(1 - y[i] for i in chosen)
        for chosen in sets
        if sum(gangs[i] for i in chosen) > capacity and all(y[i] > 0 for i in chosen)
    ]
    cover = minimum_cover(y, gangs, capacity)
    assert (cover is not None) == (min(covers, default=1.0) < 1)
    if cover is None:
        return
    assert sum(1 - y[i] for i in cover) <= min(covers) + 1e-9
    size = sum(gangs[i] for i in cover)
    assert size > capacity
    assert all(size - gangs[i] <= capacity for i in cover)
    order = list(range(len(gangs)))
    coefficients, lifted = lift(cover, gangs, capacity, order)
    assert all(coefficients[i] == 1 for i in cover)
    assert lifted == [i for i in order if i in coefficients and i not in cover]
    fitting = [chosen for chosen in sets if sum(gangs[i] for i in chosen) <= capacity]
    assert max(sum(coefficients.get(i, 0) for i in chosen) for chosen in fitting) <= len(cover) - 1
