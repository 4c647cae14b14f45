import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.rounds.beam import beam_round
from hadaropt.kernels.rounds.knapsack import exact_round
from hadaropt.kernels.rounds.priced import priced_round
from hadaropt.simulate.schedulers.exact_round import gang_options


@st.composite
def rounds(draw):
    """Capacity, gangs, and per job a worth that falls with the speed of the slowest type."""
    types = draw(st.integers(1, 3))
    capacity = np.array(draw(st.lists(st.integers(0, 3), min_size=types, max_size=types)))
    jobs = draw(st.integers(0, 4))
    gang = np.array([draw(st.integers(1, 3)) for _ in range(jobs)], np.int64)
    gain = np.array(
        [draw(st.lists(st.integers(0, 4), min_size=types, max_size=types)) for _ in range(jobs)],
        np.int64,
    ).reshape(jobs, types)
    factor = np.array([draw(st.integers(0, 9)) for _ in range(jobs)], np.int64)
    return capacity, gang, gain, gain * factor[:, None]


def brute_force(capacity, worth, options):
    best = 0
    for chosen in itertools.product(*([None, *own] for own in options)):
        used = sum((o for o in chosen if o is not None), np.zeros_like(capacity))
        pays = [worth[j][o > 0].min() if o is not None else 0 for j, o in enumerate(chosen)]
        if (used <= capacity).all() and all(
            p > 0 or o is None for p, o in zip(pays, chosen, strict=True)
        ):
            best = max(best, sum(pays))
    return best


@settings(deadline=None, max_examples=60)
@given(rounds(), st.booleans())
def test_the_exact_round_is_optimal(problem, mixing):
    capacity, gang, _, worth = problem
    parts = [gang_options(int(g), len(capacity), mixing) for g in gang]
    last = np.cumsum([len(part) for part in parts], dtype=np.int64)
    first = last - np.array([len(part) for part in parts], np.int64)
    option = np.concatenate([*parts, np.zeros((0, len(capacity)), np.int64)])
    arguments = (capacity, worth, option, first, last)
    taken, total = exact_round(*arguments)
    assert total == brute_force(capacity, worth, [list(part) for part in parts])
    chosen = {j: option[k] for j, k in enumerate(taken) if k >= 0}
    assert sum(worth[j][o > 0].min() for j, o in chosen.items()) == total
    assert (sum(chosen.values(), np.zeros_like(capacity)) <= capacity).all()
    slow = exact_round.py_func(*arguments)
    assert np.array_equal(taken, slow[0]) and total == slow[1]


@settings(deadline=None, max_examples=60)
@given(rounds(), st.booleans(), st.integers(1, 6))
def test_the_priced_round_keeps_capacity_and_equals_its_python(problem, mixing, step):
    capacity, gang, gain, worth = problem
    width = int(capacity.max()) + 1
    price = np.ascontiguousarray(np.tile(step * np.arange(width), (len(capacity), 1)))
    arguments = (capacity, gang, worth, gain, price, mixing)
    taken, total = priced_round(*arguments)
    assert (taken.sum(axis=0) <= capacity).all()
    used, payoff = np.zeros_like(capacity), 0
    for j, counts in enumerate(taken):
        if counts.any():
            assert counts.sum() == gang[j]
            assert mixing or (counts > 0).sum() == 1
            cost = sum(n * price[r, used[r]] for r, n in enumerate(counts))
            payoff += worth[j][counts > 0].min() - cost
            used += counts
    # The kernel counts the level that it filled for, which is no faster than the types used.
    assert total <= payoff
    slow = priced_round.py_func(*arguments)
    assert np.array_equal(taken, slow[0]) and total == slow[1]


@settings(deadline=None, max_examples=60)
@given(rounds(), st.booleans(), st.integers(1, 6))
def test_a_beam_that_holds_every_state_equals_the_dynamic_program(problem, mixing, step):
    capacity, gang, gain, worth = problem
    width = int(capacity.max()) + 1
    price = np.ascontiguousarray(np.tile(step * np.arange(width), (len(capacity), 1)))
    arguments = (capacity, gang, worth, gain, price, mixing)
    order = np.arange(len(gang))
    taken, total = beam_round(*arguments, order, 64)
    assert total == priced_round(*arguments)[1]
    assert (taken.sum(axis=0) <= capacity).all()
    narrow = beam_round(*arguments, order, 2)
    slow = beam_round.py_func(*arguments, order, 2)
    assert np.array_equal(narrow[0], slow[0]) and narrow[1] == slow[1]


def test_prices_decide_between_a_dear_and_a_cheap_type():
    """Worth 10 on the first type at price 7, 6 on the second at price 1."""
    one = np.ones(1, np.int64)
    capacity, worth = np.array([1, 1]), np.array([[10, 6]])
    taken, total = priced_round(capacity, one, worth, worth, np.array([[7, 7], [1, 1]]), True)
    assert taken.tolist() == [[0, 1]]
    assert total == 5


def test_skipping_a_job_makes_room_for_a_better_one():
    capacity, gang = np.array([2]), np.array([1, 2])
    worth = np.array([[3], [10]])
    taken, total = priced_round(capacity, gang, worth, worth, np.zeros((1, 3), np.int64), True)
    assert taken.tolist() == [[0], [2]]
    assert total == 10


@pytest.mark.parametrize("mixing", [True, False])
def test_a_mixed_gang_is_as_slow_as_its_slowest_type(mixing):
    capacity, gang = np.array([1, 1]), np.array([2])
    worth = np.array([[10, 6]])
    taken, total = priced_round(capacity, gang, worth, worth, np.zeros((2, 2), np.int64), mixing)
    assert (taken.tolist(), total) == (([[1, 1]], 6) if mixing else ([[0, 0]], 0))
