"""Streams of random numbers."""

from __future__ import annotations

import numpy as np
import pytest

from hadaropt.generate.draws import Draws


def test_a_stream_is_drawn_once():
    draws = Draws("six_class", 0)
    draws.uniform("gang", 3)
    with pytest.raises(ValueError, match="'gang' is used twice"):
        draws.uniform("gang", 3)


def test_more_draws_begin_with_the_same():
    assert (Draws("x", 5).uniform("a", 9)[:4] == Draws("x", 5).uniform("a", 4)).all()
    assert (Draws("x", 5).uniform("a", 4) != Draws("x", 5).uniform("b", 4)).all()
    assert (Draws("x", 5).uniform("a", 4) != Draws("y", 5).uniform("a", 4)).all()


def test_draws_are_uniform():
    draws, count = Draws("x", 1), 40_000
    values = draws.uniform("u", count)
    assert ((values >= 0) & (values < 1)).all()
    assert np.abs(np.histogram(values, bins=10, range=(0, 1))[0] / count - 0.1).max() < 0.01
    whole = draws.integers("i", count, 3, 5)
    assert sorted(set(whole.tolist())) == [3, 4, 5]
    picks = draws.choices("c", count, (70, 10, 15, 5))
    shares = np.bincount(picks) / count
    assert np.abs(shares - np.array([0.7, 0.1, 0.15, 0.05])).max() < 0.01
    assert draws.choices("none", 100, (0, 1, 0)).tolist() == [1] * 100
