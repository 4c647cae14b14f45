"""The constants of chapter 5: discrete increment (L3), small bundles (T6), the best delta (T7)."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.abstract import geometric_theta
from tests.theory.test_bounds import level

exact = settings(deadline=None, max_examples=150)
roots = st.integers(1, 40).map(lambda k: 1 + Fraction(k, 16))


@exact
@given(st.integers(1, 12), roots)
def test_l3_increment_constant_grows_with_the_bundle(c, q):
    """(c/w)(q^w - 1) is non-decreasing in w and above its limit c ln q, strictly for q > 1."""
    values = [geometric_theta(c, q, w) for w in range(1, c + 1)]
    assert values == sorted(values)
    assert float(values[0]) > c * math.log(q)


@exact
@given(st.integers(1, 12), roots, st.data())
def test_l3_increment_of_a_saturating_table(c, q, data):
    m = data.draw(st.integers(1, c))
    N = c - m + 1
    theta = geometric_theta(c, q, min(m, N))
    for g in range(c + 1):
        for w in range(min(m, c - g) + 1):
            rise = q ** min(g + w, N) - q ** min(g, N)
            assert c * rise <= w * theta * q ** min(g, N)


@exact
@given(st.integers(2, 4000), st.integers(1, 20), st.floats(1.01, 1e4))
def test_t6_small_bundles(c, m, spread):
    beta = math.log(spread)
    eps = m / c
    if m > c or (1 + beta) * eps >= 0.99:
        return
    N = c - m + 1
    w = min(m, N)
    theta = c / w * math.expm1(beta * w / N)
    assert theta <= beta / (1 - (1 + beta) * eps) * (1 + 1e-9)


def constant(spread, delta):
    """(1 + delta) ln(1 + U/(delta L)), the constant of T7 for small bundles."""
    return (1 + delta) * math.log1p(spread / delta)


@pytest.mark.parametrize("beta", [6, 7, 10, 20, 50])
def test_t7_best_delta(beta):
    spread = math.exp(beta)
    least = beta + math.log(beta) + 1
    for i in range(-200, 201):
        delta = 2 ** (i / 8)
        assert constant(spread, delta) >= least
    assert constant(spread, 1 / beta) <= least + (math.log(beta) + 1) / beta


@exact
@given(st.integers(1, 30), st.floats(1.5, 1e5), st.floats(0.01, 50), st.data())
def test_t7_constant_is_never_below_small_bundles(c, spread, delta, data):
    m = data.draw(st.integers(1, c))
    N = c - m + 1
    w = min(m, N)
    theta = c / w * math.expm1(math.log1p(spread / delta) * w / N)
    assert (1 + delta) * theta >= constant(spread, delta) * (1 - 1e-9)


@exact
@given(st.integers(1, 8), st.integers(2, 60), st.data())
def test_t11_never_worse_than_t7(c, spread, data):
    """With the same a = theta the step price reaches U with at most the same delta."""
    m = data.draw(st.integers(1, c))
    q = 1 + Fraction(data.draw(st.integers(1, 64)), 16)
    N = c - m + 1
    a = geometric_theta(c, q, min(m, N))
    assert level(c, m, a, N) >= q**N
