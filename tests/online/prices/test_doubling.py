"""Prices that do not know U (theorem T16), and what that costs."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hadaropt
from hadaropt.errors import InstanceError
from hadaropt.online.prices.doubling import Doubling
from hadaropt.online.prices.threshold import optimal_alpha
from hadaropt.online.quotation import quote
from hadaropt.policies import PrimalDual
from tests.online.prices.test_random_threshold import one_round
from tests.theory.test_whole_bundles import best_whole

few = settings(deadline=None, max_examples=40)


def harmonic(n):
    return sum(Fraction(1, i) for i in range(1, n + 1))


def run(instance, doublings=10):
    return hadaropt.run_online(instance, PrimalDual(Doubling(doublings)))


def test_the_table_is_the_same_whatever_U_is():
    for U in (2, 9, 15):  # to the grid of prices, which depends on the values
        tables = quote(one_round(12, *[(1, 1)] * 12, (1, U)), PrimalDual(Doubling(4))).tables
        found = [float(k / tables.scale) for k in next(iter(tables.tables.values()))]
        assert found == pytest.approx([1] * 6 + [2] * 3 + [4] * 2 + [8, 16])
    prices = Doubling(2)
    levels = [prices._level(12, g) for g in range(13)]
    assert levels == [0] * 8 + [1] * 4 + [2]


@few
@given(
    st.integers(1, 12),
    st.lists(st.integers(1, 63), min_size=1, max_size=30),
    st.integers(6, 10),
)
def test_t16_bounds_the_optimum_of_single_units(c, values, doublings):
    found = run(one_round(c, *((1, v) for v in (1, *values))), doublings)
    assert found.theorem is not None and found.theorem.id == "T16"
    assert found.theorem.foreknowledge == ("L", "m")
    assert sum(sorted((1, *values))[-c:]) <= found.theorem.constant * found.value


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(1, 2), st.integers(1, 32)), min_size=1, max_size=8))
def test_t16_bounds_the_optimum_of_bundles(drawn):
    instance = one_round(5, (2, 2), *((w, w * v) for w, v in drawn))
    found = run(instance, 6)
    assert found.theorem is not None and found.theorem.id == "T16"
    best = best_whole(5, [(2, Fraction(2)), *((w, Fraction(w * v)) for w, v in drawn)])
    assert best <= found.theorem.constant * found.value


@pytest.mark.parametrize("n", [1, 3, 6, 10])
def test_the_constant_grows_with_the_values_that_come(n):
    """2 n H_M where shares are whole numbers of GPUs; told U, thresholds have alpha."""
    M, c = 10, 504
    found = run(one_round(c, (1, 1), (1, 2**n)), M)
    assert found.theorem is None or found.theorem.id == "T16"
    exact = _constant(c, M, 2**n)
    H = harmonic(M)
    assert n * H * Fraction(3, 4) <= exact <= 2 * n * H * Fraction(101, 100)
    assert exact >= Fraction(optimal_alpha(c, n * math.log(2))) * Fraction(99, 100)


def test_no_table_could_grow_slower_for_all_values_at_once():
    """T16, the other way: the inverse constants for U = 1, 2, 4, ... add up to at most 2."""
    for c, M in ((12, 4), (504, 10)):
        inverse = sum(1 / _constant(c, M, 2**s) for s in range(M + 1))
        assert 1 < inverse <= 2


def _constant(c, M, U):
    """max c min(k(g), U)/S(g) over all loads, L = 1."""
    prices, paid, worst = Doubling(M), Fraction(0), Fraction(1)
    for g in range(c):
        price = min(Fraction(2) ** prices._level(c, g), Fraction(U))
        if price > 1:
            worst = max(worst, c * price / paid)
        paid += price
    return max(worst, Fraction(c * U) / paid)


def test_a_run_that_may_reach_all_levels_has_the_constant_of_its_values():
    values = [1] * 12 + [8] * 12
    found = run(one_round(12, *((1, v) for v in values)), 6)
    assert found.theorem.constant == pytest.approx(float(_constant(12, 6, 8)), rel=1e-3)


def test_there_is_no_theorem_beyond_the_last_level():
    found = run(one_round(2, *[(1, 1)] * 4, *[(1, 100)] * 4), 3)
    assert found.theorem is None and "(F) fails" in found.theorem_absent


def test_doublings_are_a_number():
    with pytest.raises(InstanceError, match="doublings"):
        Doubling(0)
