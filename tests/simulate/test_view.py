"""What a scheduler sees at the start of a round."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest

from tests.simulate.small import job
from tests.simulate.views import view_of

NODES = {"a": {"fast": 2}, "b": {"slow": 2}}


def test_the_instant_and_what_was_held():
    held = {1: ((0, 0, 1),)}
    view = view_of(NODES, job("x", 0, 1, 5), job("y", 0, 1, 5), round=3, held=held, tau="0.1")
    assert view.now == Fraction(3, 10)
    assert view.held == held


def test_a_view_is_a_value():
    view = view_of(NODES, job("x", 0, 1, 5))
    with pytest.raises(dataclasses.FrozenInstanceError):
        view.round = 4
    with pytest.raises(dataclasses.FrozenInstanceError):
        view.queue[0].remaining = 0
    view.held[0] = ((0, 0, 1),)  # a copy
    assert view.held == {}
