"""Schedules found by prices of progress: none is said to earn more than the best one does."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from hadaropt.kernels.pricing.reached import most_promising, payoff_in, reached
from tests.kernels import plain
from tests.kernels.pricing.test_cover import TIE, ragged
from tests.kernels.pricing.test_potential import priced


@given(priced())
@settings(deadline=None, max_examples=150)
def test_what_is_reached_and_bounded(case):
    rounds, need, factor, worth = case
    most = (int(worth[0]) + 1) * TIE
    rounds = [[(p, (c - 1) * factor + 1) for p, c in options] for options in rounds]
    rounds = [[option for option in options if option[1] < most] for options in rounds]
    args = (*ragged(rounds), need, worth, TIE)
    found = reached(*args)
    keys = plain.least_costs(rounds, need)
    payoffs = [int(u) - key // TIE for u, key in zip(worth, keys, strict=True)]
    assert 0 <= found.least <= max(0, *payoffs)
    assert all(payoff <= found.least for payoff in payoffs[found.stop :])
    if found.finish < 0:
        return
    for last in range(len(rounds)):
        earned, finish, price, bits = payoff_in(
            last, found.price, found.bits, found.options, args[0], args[2], *args[3:], found.shift
        )
        assert finish <= last and price >= 0 and 0 <= bits <= found.bits
        assert 0 <= earned <= max(0, *payoffs[: last + 1])
        most_promising(price, bits, found.options, *args[3:], found.shift, len(rounds), found.limit)
    for payoff, limit in zip(payoffs, found.limit, strict=True):
        assert payoff * TIE >> found.shift <= limit or payoff < -most // TIE


def test_a_job_that_cannot_complete_reaches_nothing():
    found = reached(*ragged([[(2, TIE)], []]), 3, np.array([9, 9], np.int64), TIE)
    assert (found.least, found.finish) == (0, -1) and (found.limit < 0).all()
