"""Prices of progress: what they prove is never exceeded, and the schedule behind them is real."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.pricing.potential import potential
from tests.kernels import plain
from tests.kernels.pricing.test_cover import TIE, cases, ragged


@st.composite
def priced(draw):
    """Pareto options of a few rounds, a need, and worths of completing that may be huge."""
    rounds, need = draw(cases(most_rounds=6, biggest=20))
    factor = draw(st.sampled_from([1, 50, 2**20, 2**45]))
    drawn = draw(st.lists(st.integers(0, 60), min_size=len(rounds), max_size=len(rounds)))
    return rounds, need, factor, np.array(sorted(drawn, reverse=True), np.int64) * factor


@given(priced())
@settings(deadline=None, max_examples=300)
def test_no_schedule_gains_more_than_its_bound(case):
    rounds, need, factor, worth = case
    most = (int(worth[0]) + 1) * TIE
    rounds = [[(p, (c - 1) * factor + 1) for p, c in options] for options in rounds]
    rounds = [[option for option in options if option[1] < most] for options in rounds]
    best, stop, price, bits, shift, ahead = potential(*ragged(rounds), need, worth, TIE)
    payoffs = [
        int(u) - key // TIE for u, key in zip(worth, plain.least_costs(rounds, need), strict=True)
    ]
    assert 0 <= best <= max(0, *payoffs)
    assert all(payoff < best for payoff in payoffs[stop:])
    for n in range(stop):
        for p in range(need):
            paid = plain.least_costs(rounds[:n], p)[-1] if p and n else 0
            if (p and not n) or paid >= plain.INF:
                continue
            later = plain.least_costs(rounds[n:], need - p)
            reached = [
                int(u) - (paid + key) // TIE for u, key in zip(worth[n:], later, strict=True)
            ]
            if max(reached) >= best:
                rest = price * (need - p) >> bits
                assert int(ahead[n]) - rest - (paid >> shift) >= best * TIE >> shift


@given(priced())
@settings(deadline=None, max_examples=60)
def test_compiled_and_plain_agree(case):
    rounds, need, _, worth = case
    args = (*ragged(rounds), need, worth, TIE)
    fast, slow = potential(*args), potential.py_func(*args)
    stop = fast[1]
    assert fast[:5] == slow[:5] and np.array_equal(fast[5][: stop + 1], slow[5][: stop + 1])


def test_a_schedule_within_one_round_of_the_bound_is_found():
    # Eight rounds at 1, 2, .., 8 a unit, three units a round: twelve units cost 3 (1 + 2 + 3 + 4).
    rounds = [[(3, 3 * price * TIE + 1)] for price in (5, 1, 7, 3, 8, 2, 6, 4)]
    best, stop, *_ = potential(*ragged(rounds), 12, np.full(8, 100, np.int64), TIE)
    assert (best, stop) == (70, 8)
    # Worth falls to 75 before the last round: 100 - 3 (5 + 1 + 3 + 2) after six rounds is best.
    worth = np.array([100] * 6 + [75, 75], np.int64)
    best, stop, *_ = potential(*ragged(rounds), 12, worth, TIE)
    assert (best, stop) == (67, 8 if best <= 75 - 30 else 6)
