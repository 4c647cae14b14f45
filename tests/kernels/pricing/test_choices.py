"""Choices at one price of progress, against the rule by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.pricing.choices import choose, in_rows
from tests.kernels.pricing.test_cover import ragged

options = st.tuples(st.integers(1, 30), st.integers(0, 900))


@given(
    st.lists(st.lists(options, max_size=4), min_size=1, max_size=6),
    st.integers(0, 2**20),
    st.integers(0, 12),
    st.integers(0, 3),
)
@settings(deadline=None, max_examples=200)
def test_the_first_option_of_the_largest_gain(rounds, price, bits, shift):
    table = in_rows(*ragged(rounds), shift)
    for size in range(1, len(rounds) + 1):
        gains, pick = np.empty(size, np.int64), np.empty(size, np.int64)
        choose(price, bits, table, gains, pick)
        for n in range(size):
            found = [(price * p >> bits) + 1 - (c >> shift) for p, c in rounds[n]]
            most = max([0, *found])
            assert gains[n] == most
            assert pick[n] == (found.index(most) if most > 0 else -1)
