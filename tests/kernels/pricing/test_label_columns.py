"""The best schedule of one job from labels, against enumeration."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.pricing.label_columns import INF, cover_by_labels
from tests.kernels.pricing.test_columns import one_job, within


def enumerated(job, most):
    """The largest payoff above ``most`` of a schedule that completes; ``most`` if there is none."""
    need, gains, cost, worth, low, high, begin, end = job
    for f in range(begin, min(end + 1, len(cost))):
        if any(low[f + 1 :]):
            continue
        for choice in itertools.product(*(range(low[n], high[n] + 1) for n in range(f + 1))):
            paid = sum(int(cost[n, k - 1]) for n, k in enumerate(choice) if k)
            if paid < INF and sum(gains[k - 1] for k in choice if k) >= need:
                most = max(most, worth[f] - paid)
    return most


@given(one_job(), st.integers(-3, 20))
@settings(deadline=None, max_examples=200)
def test_the_payoff_is_the_largest_and_the_choice_attains_it(job, most):
    job = within(job)
    need, gains, cost, worth, low, high, begin, end = job
    choice = np.zeros(len(cost), np.int64)
    arrays = (np.array(a, np.int64) for a in (cost.ravel(), worth, low, high))
    found, at = cover_by_labels(np.array(gains), need, *arrays, begin, end, most, choice)
    assert found == enumerated(job, most)
    assert (at < 0) == (found == most)
    if at >= 0:
        mine = choice[: at + 1]
        assert begin <= at <= end and all(low[n] <= k <= high[n] for n, k in enumerate(mine))
        assert sum(gains[k - 1] for k in mine if k) >= need
        assert worth[at] - sum(int(cost[n, k - 1]) for n, k in enumerate(mine) if k) == found


def test_many_rounds_with_sums_beyond_any_table():
    """Eight rounds, three options of large coprime progress."""
    rng = np.random.default_rng(0)
    gains = np.array([999_983, 1_299_709, 1_999_993])
    cost = rng.integers(1, 50, (8, 3))
    worth = np.arange(400, 400 - 8 * 20, -20)
    job = (5_000_001, list(gains), cost, list(worth), [0] * 8, [3] * 8, 0, 7)
    choice = np.zeros(8, np.int64)
    zeros, threes = np.zeros(8, np.int64), np.full(8, 3)
    found, at = cover_by_labels(
        gains, 5_000_001, cost.ravel(), worth, zeros, threes, 0, 7, 0, choice
    )
    assert found == enumerated(job, 0) > 0 and at >= 0
