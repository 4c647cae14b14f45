"""No schedule is below the bounds: exhaustive on tiny pools, replayed on larger ones."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from hadaropt.auditing.bounds import Pool, Prices, priced_completions
from tests.auditing.brute import least_in_one_piece, least_with_preemption
from tests.auditing.tiny import tiny


@pytest.mark.parametrize("seed", range(30))
def test_any_prices_give_a_bound(seed: int) -> None:
    jobs, gpus = tiny(seed)
    draw = random.Random(seed)
    pool = Pool(jobs, gpus, 1)
    end = int(float(20 * pool.scale))
    edges = np.unique([0, *(draw.randrange(end) for _ in range(6)), end]).astype(np.int64)
    price = np.array([draw.choice([0, 0.3, 1, 5]) * draw.random() for _ in edges[1:]])
    prices = Prices.rounded(edges, price, gpus)
    paused, _ = priced_completions(pool, prices, preemption=True)
    whole, _ = priced_completions(pool, prices, preemption=False)
    assert paused <= least_with_preemption(jobs, gpus)
    assert whole <= least_in_one_piece(jobs, gpus)
    assert paused <= whole + len(jobs) / pool.scale  # each rounded down to a step


def test_prices_alone_are_exact_where_nobody_waits() -> None:
    pool = Pool([(0, 10, 2), (5, 1, 1)], 4, 1)
    free = Prices.rounded(np.array([0, 7], np.int64), np.zeros(1), 2)
    for preemption in (True, False):
        value, _ = priced_completions(pool, free, preemption=preemption)
        assert pool.alone - Fraction(2) / pool.scale <= value <= pool.alone
