"""Utilities of a family: what completion at once is worth, and when nothing is left."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.generate.utilities import MAKERS
from hadaropt.utility import FAMILIES, Sigmoid

sizes = st.integers(1, 500), st.integers(1, 20), st.integers(0, 40)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(list(MAKERS)), *sizes)
def test_the_earliest_completion_is_worth_the_value_and_later_ones_no_more(
    kind, value, shortest, more
):
    slack, tau = shortest + more, Fraction(360)
    utility = MAKERS[kind](value, shortest, slack, 1000, tau)
    assert utility.kind == kind
    worth = [utility.value(d, 1000, tau) for d in range(1, 4 * slack + 4)]
    assert all(x >= y >= 0 for x, y in pairwise(worth))
    first = worth[shortest - 1]
    if isinstance(utility, Sigmoid):
        assert utility.peak == value and first <= value
    elif kind == "effective_throughput":  # three significant digits
        assert abs(first - value) <= Fraction(value, 200)
    elif kind == "completion":  # a whole weight, so that the end is a whole round
        assert 0 <= value - first < utility.weight
    else:
        assert first == value


@pytest.mark.parametrize("kind", ["linear", "step", "table"])
def test_nothing_is_left_after_about_one_and_a_half_times_the_slack(kind):
    utility = MAKERS[kind](300, 4, 20, 1000, Fraction(360))
    assert utility.value(20, 1000, Fraction(360)) > 0
    assert utility.value(45, 1000, Fraction(360)) == 0


def test_every_kind_of_utility_can_be_drawn():
    assert set(MAKERS) == set(FAMILIES)
