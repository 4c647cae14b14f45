"""Covering over rounds against dictionaries and full enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.pricing import cover, pareto
from tests.kernels import plain

SETTINGS = settings(deadline=None, max_examples=200)
TIE = 100
NONE = np.empty(0, np.int64)


def ragged(rounds):
    """Arrays start, progress, cost of lists of (progress, key)."""
    start = np.cumsum([0, *(len(options) for options in rounds)])
    flat = [option for options in rounds for option in options]
    progress = np.array([p for p, _ in flat], np.int64)
    return start, progress, np.array([c for _, c in flat], np.int64)


@st.composite
def cases(draw, most_rounds=5, biggest=6):
    """Pareto options of a few rounds and a need."""
    option = st.tuples(st.integers(1, biggest), st.integers(0, 6))
    rounds = [
        plain.undominated([(p, c * TIE + 1) for p, c in draw(st.lists(option, max_size=3))])
        for _ in range(draw(st.integers(1, most_rounds)))
    ]
    return rounds, draw(st.integers(1, 3 * biggest))


def both(rounds, need, worth=NONE):
    """Least costs by the table and by labels, with the trace of each."""
    start, progress, cost = ragged(rounds)
    least, table, top = cover.dense(start, progress, cost, need, worth, TIE)
    other, first, at, paid, complete = pareto.labels(start, progress, cost, need, worth, TIE, 10**5)
    pad = table.shape[1] - 1 - need
    assert complete

    def traces(last):
        choice = np.empty(last + 1, np.int64)
        cover.trace_dense(start, progress, cost, need, last, pad, table, top, choice)
        second = np.empty(last + 1, np.int64)
        pareto.trace_labels(start, progress, cost, need, last, other, first, at, paid, second)
        assert np.array_equal(choice, second)
        return [int(i - start[n]) if i >= 0 else -1 for n, i in enumerate(choice)]

    return least, other, traces


@given(cases())
@SETTINGS
def test_least_cost_of_every_round_and_first_schedule(case):
    rounds, need = case
    least, other, traces = both(rounds, need)
    assert list(least) == list(other) == plain.least_costs(rounds, need)
    for last, key in enumerate(least):
        if key < cover.INF:
            assert traces(last) == plain.first_schedule(rounds, need, last)


@given(cases(most_rounds=7), st.data())
@SETTINGS
def test_worth_only_cuts_what_cannot_be_best(case, data):
    rounds, need = case
    size = len(rounds)
    drawn = data.draw(st.lists(st.integers(0, 20), min_size=size, max_size=size))
    worth = np.array(sorted(drawn, reverse=True), np.int64)
    truth = plain.least_costs(rounds, need)
    payoffs = [int(w) - key // TIE for w, key in zip(worth, truth, strict=True)]
    best = max(payoffs)
    least, other, traces = both(rounds, need, worth)
    for n in range(size):
        assert least[n] == truth[n] or (least[n] > truth[n] and payoffs[n] < max(best, 0))
        first = payoffs[n] >= 0 and n == payoffs.index(best)
        assert other[n] == truth[n] or (other[n] > truth[n] and not first)
    if best >= 0:
        last = payoffs.index(best)
        assert least[last] == other[last] == truth[last]
        assert traces(last) == plain.first_schedule(rounds, need, last)


@given(cases(most_rounds=4), st.data())
@settings(deadline=None, max_examples=60)
def test_python_and_compiled_agree(case, data):
    rounds, need = case
    start, progress, cost = ragged(rounds)
    drawn = data.draw(st.lists(st.integers(0, 20), min_size=len(rounds), max_size=len(rounds)))
    worth = data.draw(st.sampled_from([NONE, np.array(sorted(drawn, reverse=True), np.int64)]))
    args = (start, progress, cost, need, worth, TIE)
    (least, table, top), slow = cover.dense(*args), cover.dense.py_func(*args)
    assert np.array_equal(least, slow[0]) and np.array_equal(top, slow[2])
    pad = table.shape[1] - need - 1
    for n, key in enumerate(least):
        assert key == cover.INF or table[n + 1, pad + need] == slow[1][n + 1, pad + need] == key
    fast = pareto.labels(*args, 10**6)
    slow = pareto.labels.py_func(*args, 10**6)
    end = fast[1][-1]
    assert np.array_equal(fast[0], slow[0]) and np.array_equal(fast[1], slow[1])
    assert np.array_equal(fast[2][:end], slow[2][:end]) and fast[4] == slow[4]
    assert np.array_equal(fast[3][:end], slow[3][:end])


@given(cases(most_rounds=7), st.sampled_from([1, 2, 7]), st.data())
@settings(deadline=None, max_examples=60)
def test_labels_are_the_same_whatever_room_there_is_at_first(case, room, data):
    rounds, need = case
    start, progress, cost = ragged(rounds)
    drawn = data.draw(st.lists(st.integers(0, 20), min_size=len(rounds), max_size=len(rounds)))
    worth = np.array(sorted(drawn, reverse=True), np.int64)
    found = pareto.reached(start, progress, cost, need, worth, TIE)
    guide = pareto.potential(start, progress, cost, need, worth, TIE, found)
    wanted = pareto.guided_labels(need, worth, TIE, 10**6, guide)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pareto, "ROOM", room)
        got = pareto.guided_labels.py_func(need, worth, TIE, 10**6, guide)
    end = wanted[1][-1]
    assert np.array_equal(got[0], wanted[0]) and np.array_equal(got[1], wanted[1])
    assert all(np.array_equal(got[k][:end], wanted[k][:end]) for k in (2, 3)) and got[4]


def test_ties_take_fewest_gangs_then_late_rest_then_the_cheap_option():
    # One round of two gangs and two rounds of one gang cost the same: fewer gangs win.
    rounds = [[(1, 2 * TIE + 1)], [(1, 2 * TIE + 1)], [(2, 4 * TIE + 1)]]
    least, other, traces = both(rounds, 2)
    assert least[2] == other[2] == 4 * TIE + 1
    assert traces(2) == [-1, -1, 0]
    # Equal keys in two rounds: the earlier one runs.
    assert both([[(3, 7)], [(3, 7)]], 3)[2](1) == [0, -1]


@given(st.integers(1, 10**6), st.data())
@SETTINGS
def test_labels_are_exact_on_thousands_of_iterations_a_round(factor, data):
    rounds, need = data.draw(cases(biggest=9))
    rates = {p: p * factor + data.draw(st.integers(0, factor)) for p in range(1, 10)}
    scaled = [plain.undominated([(rates[p], c) for p, c in options]) for options in rounds]
    start, progress, cost = ragged(scaled)
    target = need * factor + 1
    least, *_, complete = pareto.labels(start, progress, cost, target, NONE, TIE, 10**7)
    assert complete and list(least) == plain.least_costs(scaled, target)


def test_labels_say_when_there_are_too_many():
    rounds = [[(2**n, 2**n)] for n in range(6)]
    start, progress, cost = ragged(rounds)
    *_, complete = pareto.labels(start, progress, cost, 40, NONE, TIE, 20)
    assert not complete
