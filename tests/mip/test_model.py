"""Non-zeros are compressed to the same arrays with and without scipy."""

import numpy as np
import pytest

from hadaropt.mip import model
from hadaropt.mip.model import Entries


@pytest.mark.parametrize("seed", range(20))
def test_few_entries_are_compressed_as_scipy_compresses_many(monkeypatch, seed):
    draw = np.random.default_rng(seed)
    rows, cols = draw.integers(1, 12, 2)
    entries = Entries()
    for _ in range(draw.integers(1, 5)):
        size = draw.integers(0, 15)
        places = draw.integers(0, rows, size), draw.integers(0, cols, size)
        entries.add(*places, draw.integers(-3, 4, size) / 4)
    few = entries.columns(int(rows), int(cols))
    monkeypatch.setattr(model, "FEW_ENTRIES", -1)
    many = entries.columns(int(rows), int(cols))
    for own, other in zip(few, many, strict=True):
        assert own.dtype == other.dtype and np.array_equal(own, other)
