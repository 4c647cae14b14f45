"""Tables of quantiles."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hadaropt.generate.quantiles import QuantileTable


def test_a_quantile_table_is_inverted():
    table = QuantileTable((0, 0.5, 1), (1, 10, 1000))
    assert table.sample(np.array([0.0, 0.25, 0.5])) == pytest.approx([1, math.sqrt(10), 10])
    assert table.share_below(100) == pytest.approx(0.75)
    assert table.sample(np.array([0.999999]), 100) == pytest.approx([100], rel=1e-4)
