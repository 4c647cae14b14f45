"""The inner loops of covering tables, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from hadaropt.kernels.pricing.relaxation import offer_first, offer_further


@pytest.mark.parametrize("plain", [False, True])
def test_an_option_lowers_a_row(plain):
    first, further = (f.py_func if plain else f for f in (offer_first, offer_further))
    rng = np.random.default_rng(5)
    base, prev, row = rng.integers(0, 50, (3, 20))
    before = row.copy()
    first(row, base, prev, 7)
    assert np.array_equal(row, np.minimum(base, prev + 7)) and not np.array_equal(row, before)
    again = row.copy()
    further(row, prev, 3)
    assert np.array_equal(row, np.minimum(again, prev + 3))
