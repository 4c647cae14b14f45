import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.rounds.dual import round_prices
from hadaropt.simulate.schedulers import exact_round as core
from hadaropt.simulate.schedulers.exact_round import best_round
from hadaropt.simulate.schedulers.hall_round import solve_hall_round
from tests.simulate.schedulers.drawn_rounds import by_dynamic_program, rounds, value_of


@settings(deadline=None, max_examples=80)
@given(rounds(), st.booleans())
def test_the_core_holds_an_optimum(problem, mixing):
    taken = best_round(*problem, mixing)
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
