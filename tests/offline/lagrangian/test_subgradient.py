"""Deflected subgradients: convex functions of prices k >= 0 are minimised, and never worsened."""

from __future__ import annotations

import numpy as np
import pytest

from hadaropt.mip.model import Floats
from hadaropt.offline.lagrangian.params import SubgradientParams
from hadaropt.offline.lagrangian.subgradient import Search


def distance(prices: Floats) -> tuple[float, Floats]:
    """1 + |k_0 - 3| + |k_1 + 1|, least at (3, 0) over k >= 0, where it is 2."""
    target = np.array([3.0, -1.0])
    return 1 + float(np.abs(prices - target).sum()), np.sign(prices - target)


def test_the_minimum_within_the_prices_that_are_allowed() -> None:
    search = Search(np.zeros(2))
    assert search.run(distance, 1e-4, lambda: False)
    assert search.value == pytest.approx(2, rel=1e-2)
    assert search.prices == pytest.approx([3, 0], abs=0.05)
    assert search.drop <= 1e-4


def test_the_best_prices_are_kept() -> None:
    values: list[float] = []

    def noted(prices: Floats) -> tuple[float, Floats]:
        assert (prices >= 0).all()
        found = distance(prices)
        values.append(found[0])
        return found

    search = Search(np.array([10.0, 10.0]))
    assert not search.run(noted, 0.0, lambda: len(values) >= 40)
    assert search.value == min(values) <= values[0]
    assert search.evaluations == len(values) >= 40


def test_a_function_without_slope_is_done_at_once() -> None:
    search = Search(np.ones(3))
    assert search.run(lambda k: (5.0, np.zeros(3)), 1e-6, lambda: False)
    assert search.evaluations == 1 and search.value == 5


def test_the_level_rises_as_soon_as_patience_says() -> None:
    counts = []
    for patience in (1, 50):
        search = Search(np.zeros(2), params=SubgradientParams(patience=patience))
        search.run(distance, 1e-3, lambda: False)
        counts.append(search.evaluations)
    assert counts[0] < counts[1]
