"""Prices of progress: what they prove is never exceeded, and the schedule behind them is real."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.pricing.potential import potential
from hadaropt.kernels.pricing.reached import reached
from tests.kernels import plain
from tests.kernels.pricing.test_cover import TIE, cases, ragged


@st.composite
def priced(draw):
    """Pareto options of a few rounds, a need, and worths of completing that may be huge."""
    rounds, need = draw(cases(most_rounds=6, biggest=20))
    factor = draw(st.sampled_from([1, 50, 2**20, 2**45]))
    drawn = draw(st.lists(st.integers(0, 60), min_size=len(rounds), max_size=len(rounds)))
    return rounds, need, factor, np.array(sorted(drawn, reverse=True), np.int64) * factor


def guided(rounds, need, worth, kernels=(reached, potential)):
    args = (*ragged(rounds), need, worth, TIE)
    return kernels[1](*args, kernels[0](*args))


@given(priced())
@settings(deadline=None, max_examples=300)
def test_the_first_of_the_best_schedules_passes_every_bound(case):
    rounds, need, factor, worth = case
    most = (int(worth[0]) + 1) * TIE
    rounds = [[(p, (c - 1) * factor + 1) for p, c in options] for options in rounds]
    rounds = [[option for option in options if option[1] < most] for options in rounds]
    guide = guided(rounds, need, worth)
    keys = plain.least_costs(rounds, need)
    payoffs = [int(u) - key // TIE for u, key in zip(worth, keys, strict=True)]
    best = max(payoffs)
    assert 0 <= guide.best <= max(0, best)
    if best <= 0:
        return
    last = payoffs.index(best)
    assert last < guide.stop
    done = paid = 0
    for n, i in enumerate(plain.first_schedule(rounds, need, last)):
        rest = guide.price * (guide.need - done) >> guide.bits
        assert (paid << guide.fine) >> guide.shift <= int(guide.ahead[n]) - rest
        if i >= 0:
            left = range(guide.start[n], guide.start[n + 1])
            assert rounds[n][i] in [(guide.progress[k], guide.cost[k]) for k in left]
            done, paid = done + rounds[n][i][0], paid + rounds[n][i][1]
    assert done >= need


@given(priced())
@settings(deadline=None, max_examples=60)
def test_compiled_and_plain_agree(case):
    rounds, need, _, worth = case
    fast = guided(rounds, need, worth)
    slow = guided(rounds, need, worth, (reached.py_func, potential.py_func))
    assert fast[:7] == slow[:7]
    assert np.array_equal(fast.ahead[: fast.stop + 1], slow.ahead[: slow.stop + 1])
    for left, right in zip(fast[8:], slow[8:], strict=True):
        assert np.array_equal(left, right)


def test_a_schedule_within_one_round_of_the_bound_is_found():
    # Eight rounds at 1, 2, .., 8 a unit, three units a round: twelve units cost 3 (1 + 2 + 3 + 4).
    rounds = [[(3, 3 * price * TIE + 1)] for price in (5, 1, 7, 3, 8, 2, 6, 4)]
    guide = guided(rounds, 12, np.full(8, 100, np.int64))
    assert (guide.best, guide.stop) == (70, 8)
    # Worth falls to 75 before the last round: 100 - 3 (5 + 1 + 3 + 2) after six rounds is best.
    worth = np.array([100] * 6 + [75, 75], np.int64)
    guide = guided(rounds, 12, worth)
    assert (guide.best, guide.stop) == (67, 6)
