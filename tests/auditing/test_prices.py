"""The search of prices."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt.auditing.bounds import Pool
from hadaropt.auditing.prices import search_prices


@pytest.mark.parametrize("preemption", [True, False])
def test_prices_see_a_queue_of_equal_jobs(preemption: bool) -> None:
    """Ten gangs of the whole pool: the optimum is one after the other."""
    jobs = [(0, 100, 4)] * 10
    pool = Pool(jobs, 4, 1)
    least = sum(100 * k for k in range(1, 11))
    found = search_prices(pool, Fraction(least), preemption=preemption)
    assert Fraction(95, 100) * least < found.completions <= least
