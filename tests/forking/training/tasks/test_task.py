"""Minibatches."""

from __future__ import annotations

import numpy as np
import pytest

from hadaropt.errors import TrackerError
from hadaropt.forking.training.tasks.task import Batches


def test_minibatches_do_not_depend_on_how_many_are_asked_for():
    one = Batches(10, 3, np.random.default_rng(7))
    many = Batches(10, 3, np.random.default_rng(7))
    assert np.concatenate([one.take(1) for _ in range(10)]).tolist() == many.take(10).tolist()
    rows = Batches(10, 5, np.random.default_rng(7)).take(2)
    assert sorted(rows.tolist()) == list(range(10))
    for size in (0, 11):
        with pytest.raises(TrackerError, match=rf"batch = {size}, must be between 1 and 10"):
            Batches(10, size, np.random.default_rng(0))
