"""Lower bounds of the class."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt.bench.adversary.bounds import lower_bound
from tests.theory.test_lower_bounds import least_ratio


@pytest.mark.parametrize("spread", [2, 10, 100])
@pytest.mark.parametrize(("c", "m"), [(1, 1), (2, 1), (4, 1), (4, 2), (4, 3), (4, 4), (8, 4)])
def test_lower_bounds_agree_with_the_theory(c, m, spread):
    bound = lower_bound(c, m, spread)
    assert least_ratio(c, m, spread) - Fraction(1, 64) <= bound <= least_ratio(c, m, spread)
    if m == c:
        assert bound == c * spread
