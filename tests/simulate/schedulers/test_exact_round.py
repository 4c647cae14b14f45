import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.rounds.dual import round_prices
from hadaropt.kernels.rounds.knapsack import exact_round
from hadaropt.simulate.schedulers import exact_round as core
from hadaropt.simulate.schedulers.exact_round import best_round, gang_options
from hadaropt.simulate.schedulers.hall_round import solve_hall_round


@st.composite
def rounds(draw):
    """Capacity, gangs and worth of up to 12 jobs on up to 3 types, many of them alike."""
    types = draw(st.integers(1, 3))
    capacity = np.array(draw(st.lists(st.integers(0, 5), min_size=types, max_size=types)))
    jobs = draw(st.integers(0, 12))
    gang = np.array([draw(st.sampled_from([1, 1, 2, 3, 4])) for _ in range(jobs)], np.int64)
    entry = st.sampled_from([0, 0, 5, 6, 7, 90, 100, 1000])
    rows = [draw(st.lists(entry, min_size=types, max_size=types)) for _ in range(jobs)]
    return capacity, gang, np.array(rows, np.int64).reshape(jobs, types)


def by_dynamic_program(capacity, gang, worth, mixing):
    parts = [gang_options(int(g), len(capacity), mixing) for g in gang]
    last = np.cumsum([len(part) for part in parts], dtype=np.int64)
    first = last - np.array([len(part) for part in parts], np.int64)
    option = np.concatenate([*parts, np.zeros((0, len(capacity)), np.int64)])
    return exact_round(capacity, worth, option, first, last)[1]


def value_of(capacity, gang, worth, mixing, taken):
    """Check a choice against the rules and return its worth."""
    assert (taken.sum(axis=0) <= capacity).all()
    total = 0
    for j, counts in enumerate(taken):
        if counts.any():
            assert counts.sum() == gang[j] and counts.min() >= 0
            assert mixing or (counts > 0).sum() == 1
            assert worth[j][counts > 0].min() > 0
            total += worth[j][counts > 0].min()
    return total


@settings(deadline=None, max_examples=80)
@given(rounds(), st.booleans())
def test_the_core_holds_an_optimum(problem, mixing):
    taken = best_round(*problem, mixing)
    assert value_of(*problem, mixing, taken) == by_dynamic_program(*problem, mixing)


@settings(deadline=None, max_examples=30)
@given(rounds(), st.booleans())
def test_the_program_in_hall_form_holds_an_optimum(problem, mixing):
    taken = np.zeros_like(problem[2])
    for j, counts in solve_hall_round(*problem, mixing, np.ones(taken.shape, np.bool_)):
        taken[j] = counts
    assert value_of(*problem, mixing, taken) == by_dynamic_program(*problem, mixing)


@pytest.mark.parametrize("limit", ["MOST_CELLS", "MOST_OPTIONS"])
def test_a_core_that_is_too_large_goes_to_the_integer_program(monkeypatch, limit):
    rng = np.random.default_rng(1)
    gang = rng.choice([1, 2, 4], 40)
    worth = np.sort(rng.integers(1, 1000, (40, 2)), axis=1)[:, ::-1] * gang[:, None]
    problem = np.array([9, 8]), gang, np.ascontiguousarray(worth)
    wanted = by_dynamic_program(*problem, True)
    monkeypatch.setattr(core, limit, 0)
    called = []

    def spy(*arguments):
        called.append(arguments)
        return solve_hall_round(*arguments)

    monkeypatch.setattr(core, "solve_hall_round", spy)
    assert value_of(*problem, True, best_round(*problem, True)) == wanted
    assert called


@settings(deadline=None, max_examples=30)
@given(rounds(), st.booleans())
def test_prices_are_not_negative_and_equal_those_of_the_python(problem, mixing):
    found = round_prices(*problem, mixing, 50, 0.9)
    assert found.min(initial=0) >= 0
    assert np.array_equal(found, round_prices.py_func(*problem, mixing, 50, 0.9))


def test_prices_meet_the_bound_of_the_relaxation():
    """Two GPUs, three jobs of one GPU: at the price 5 the bound is 3 + 1 + 2 * 5 = 8 + 6."""
    problem = np.array([2]), np.ones(3, np.int64), np.array([[8], [6], [5]]) * 1000
    (price,) = round_prices(*problem, True, 400, 0.97)
    assert 5000 - 20 <= price <= 6000 + 20


def test_a_large_round_is_solved():
    """2,000 jobs on 300 GPUs of three types: states for all of it would not fit in memory."""
    rng = np.random.default_rng(2)
    gang = rng.choice([1, 1, 2, 4, 8], 2000)
    speed = np.sort(rng.uniform(0.1, 1, (2000, 3)), axis=1)[:, ::-1]
    worth = (rng.lognormal(0, 1, 2000)[:, None] * speed * gang[:, None] * 2**30).astype(np.int64)
    problem = np.array([100, 100, 100]), gang, np.ascontiguousarray(worth)
    taken = best_round(*problem, True)
    value = value_of(*problem, True, taken)
    price = round_prices(*problem, True, 2000, 0.99)
    admitted = worth[:, None, :] >= worth[:, :, None]
    dearest = price.max()
    cheapest = np.where(admitted, price, dearest).min(axis=2)
    payoff = np.maximum((worth - gang[:, None] * cheapest).max(axis=1), 0)
    assert value <= payoff.sum() + price.sum() * 100 <= 1.002 * value
