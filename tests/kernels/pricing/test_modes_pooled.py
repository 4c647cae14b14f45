"""Options of one round against enumeration of every placement."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.pricing import modes_node as node
from hadaropt.kernels.pricing import modes_pooled as choices
from hadaropt.kernels.pricing import pareto
from tests.kernels import plain

SETTINGS = settings(deadline=None, max_examples=150)
TIE = 1000


def of_round(start, progress, cost, t):
    """Options of round t as (progress, key) pairs."""
    return list(zip(progress[start[t] : start[t + 1]], cost[start[t] : start[t + 1]], strict=True))


@st.composite
def candidates(draw, types, most=3):
    """Candidates by non-decreasing progress, with arbitrary admitted sets."""
    size = draw(st.integers(1, most))
    progress = sorted(draw(st.lists(st.integers(1, 6), min_size=size, max_size=size)))
    rows = draw(
        st.lists(
            st.lists(st.booleans(), min_size=types, max_size=types), min_size=size, max_size=size
        )
    )
    return np.array(progress, np.int64), np.array(rows, np.bool_).reshape(size, types)


@st.composite
def pooled_cases(draw):
    rounds, types = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    shape = (rounds, types)
    numbers = st.integers(0, 5)
    flat = st.lists(numbers, min_size=rounds * types, max_size=rounds * types)
    price = np.array(draw(flat), np.int64).reshape(shape)
    free = np.array(draw(flat), np.int64).reshape(shape)
    limit = draw(st.sampled_from([3, 8, 10**6]))
    return price, free, draw(st.integers(1, 4)), *draw(candidates(types)), limit


def before(rows):
    """The rows behind one that is not of the window."""
    return np.concatenate([rows[-1:], rows])


def check_options_at_once(price, free, gang, progress, admitted, limit):
    """Options in one go are those of the two steps, whatever part of the window is written when."""
    rounds = len(price)
    order = before(np.argsort(price, axis=1, kind="stable"))
    wanted = choices.undominated(progress, choices.pooled(price, free, gang, admitted, TIE, limit))
    for write in (choices.pooled_options, choices.pooled_options.py_func):
        start = np.zeros(rounds + 1, np.int64)
        room = [np.empty(rounds * len(progress), np.int64) for _ in range(3)]
        for begin in range(rounds):
            window = begin, begin + 1, 1, order, *map(before, (price, free))
            write(*window, gang, progress, admitted, TIE, limit, start, *room)
        assert np.array_equal(start, wanted[0])
        for got, column in zip(room, wanted[1:], strict=True):
            assert np.array_equal(got[: start[-1]], column)


@given(pooled_cases())
@SETTINGS
def test_pooled_equals_enumeration(case):
    price, free, gang, progress, admitted, limit = case
    args = (price, free, gang, admitted, TIE, limit)
    cost = choices.pooled(*args)
    assert np.array_equal(cost, choices.pooled.py_func(*args))
    start, got_progress, got_cost, candidate = choices.undominated(progress, cost)
    check_options_at_once(price, free, gang, progress, admitted, limit)
    for t in range(len(price)):
        expected = plain.pooled_options(
            lambda r, w, t=t: w * price[t, r], free[t], gang, progress, admitted, TIE, limit
        )
        assert of_round(start, got_progress, got_cost, t) == expected
        for i in range(start[t], start[t + 1]):
            row = admitted[candidate[i]]
            chosen = np.array([t]), candidate[i : i + 1]
            (use,) = choices.pooled_use(price, free, gang, admitted, *chosen)
            assert use.sum() == gang and (use <= free[t]).all() and not use[~row].any()
            assert (use * price[t]).sum() * TIE + 1 == got_cost[i]
            assert progress[candidate[i]] == got_progress[i]
    slow = choices.undominated.py_func(progress, cost)
    assert all(map(np.array_equal, (start, got_progress, got_cost, candidate), slow))


def test_equal_candidates_keep_the_smallest_index_and_equal_prices_the_first_type():
    one = np.ones((1, 2), np.int64)
    same = np.array([4, 4])
    single = np.array([[True, False], [False, True]])
    _, _, _, candidate = choices.undominated(same, choices.pooled(one, one, 1, single, TIE, 9))
    assert list(candidate) == [0]
    both, first = np.array([[True, True]]), np.zeros(1, np.int64)
    assert choices.pooled_use(one, 2 * one, 3, both, first, first).tolist() == [[2, 1]]
    assert choices.pooled_use(one, 2 * one, 5, both, first, first).tolist() == [[0, 0]]


@st.composite
def node_cases(draw):
    rounds, nodes, types = draw(st.integers(1, 2)), draw(st.integers(1, 3)), draw(st.integers(1, 2))
    size = rounds * nodes * types
    shape = (rounds, nodes, types)
    flat = st.lists(st.integers(0, 4), min_size=size, max_size=size)
    price = np.array(draw(flat), np.int64).reshape(shape)
    free = np.array(draw(flat), np.int64).reshape(shape)
    gang = draw(st.integers(1, 3))
    progress, admitted = draw(candidates(types))
    spread = np.array(draw(st.lists(st.booleans(), min_size=len(progress), max_size=len(progress))))
    return price, free, gang, progress, admitted, spread, draw(st.sampled_from([4, 10**6]))


@given(node_cases())
@SETTINGS
def test_node_options_equal_enumeration(case):
    price, free, gang, progress, admitted, spread, limit = case
    args = (price, free, gang, admitted, spread, TIE, limit)
    cost, host = node.gangs(*args)
    assert all(map(np.array_equal, (cost, host), node.gangs.py_func(*args)))
    start, got_progress, got_cost, candidate = choices.undominated(progress, cost)
    for t in range(len(price)):
        expected = plain.node_options(
            price[t], free[t], gang, progress, admitted, spread, TIE, limit
        )
        assert of_round(start, got_progress, got_cost, t) == expected
        for i in range(start[t], start[t + 1]):
            row = admitted[candidate[i]]
            held = node.use(price[t], free[t], gang, row, host[t, candidate[i]])
            assert held.sum() == gang and (held <= free[t]).all() and not held[:, ~row].any()
            assert (held * price[t]).sum() * TIE + 1 == got_cost[i]
            assert spread[candidate[i]] or np.count_nonzero(held.sum(axis=1)) == 1


@st.composite
def forked_cases(draw):
    rounds, nodes, types = 1, draw(st.integers(2, 4)), draw(st.integers(1, 2))
    size = rounds * nodes * types
    flat = st.lists(st.integers(0, 3), min_size=size, max_size=size)
    price = np.array(draw(flat), np.int64).reshape(rounds, nodes, types)
    free = np.array(draw(flat), np.int64).reshape(rounds, nodes, types)
    gang = draw(st.integers(1, 2))
    one = draw(candidates(types))
    copy = draw(candidates(types))
    return price, free, gang, one, copy, draw(st.integers(1, 16)), draw(st.integers(2, 5))


@given(forked_cases(), st.sampled_from([3, 10**6]))
@SETTINGS
def test_forked_options_equal_enumeration(case, limit):
    price, free, gang, (progress, admitted), (copy_progress, copy_admitted), need, most = case
    spread = np.zeros(len(progress), np.bool_)
    cost, _ = node.gangs(price, free, gang, admitted, spread, TIE, limit)
    start, one_progress, one_cost, _ = choices.undominated(progress, cost)
    copy_cost = node.copies(price, free, gang, copy_admitted, TIE, limit)
    assert np.array_equal(
        copy_cost, node.copies.py_func(price, free, gang, copy_admitted, TIE, limit)
    )
    args = (start, one_progress, one_cost, copy_progress, copy_cost, need, most, need + 1)
    got_start, got_progress, got_cost, origin, complete = pareto.forked(*args)
    assert complete
    gangs = of_round(start, one_progress, one_cost, 0)
    expected = plain.forked_options(
        gangs, price[0], free[0], gang, copy_progress, copy_admitted, need, most, TIE, limit
    )
    assert of_round(got_start, got_progress, got_cost, 0) == expected
    for i, source in enumerate(origin):
        if source < 0:
            level = pareto.forked_use(
                copy_progress, copy_cost[0], need, most, need + 1, got_progress[i], got_cost[i]
            )
            used = level >= 0
            assert 2 <= used.sum() <= most
            assert min(need, copy_progress[level[used]].sum()) == got_progress[i]
            assert copy_cost[0, used, level[used]].sum() == got_cost[i]
    for got, slow in zip(pareto.forked(*args), pareto.forked.py_func(*args), strict=True):
        assert np.array_equal(got, slow)


def test_forked_says_when_its_labels_are_too_few():
    start, none = np.zeros(2, np.int64), np.empty(0, np.int64)
    cost = np.array([[[1], [2], [4]]])
    *_, complete = pareto.forked(start, none, none, np.array([3]), cost, 100, 3, 1)
    assert not complete
