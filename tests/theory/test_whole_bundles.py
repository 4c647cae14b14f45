"""T14 against the fractional optimum for every m, and T15 against the integer one."""

from fractions import Fraction
from itertools import pairwise, product
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.online.prices.mixed_threshold import optimal_rho
from tests.theory.test_lower_bounds import RULES, grid, least_ratio


def least_paid(c, m, rho):
    """h(N) of T14 with L = 1."""
    N = c - m + 1
    s = Fraction(N % m)
    for _ in range(N // m):
        s += m * max(Fraction(1), rho * s / c)
    return s


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("c", "m"), [(3, 2), (4, 3), (5, 2), (8, 3), (8, 5)])
def test_t14_no_rule_has_less_against_the_fractional_optimum(rule, c, m):
    """A rule of ratio rho on a grid of step 1 + eta has c U <= rho (1 + eta)^q h(N), for any m."""
    top, levels = 30, grid(30, 60)
    accept, s = RULES[rule](c, top), (c - m + 1) % m
    load, total = s, Fraction(s)
    if s and not accept(0, Fraction(0), Fraction(1)):
        return  # it refuses the only bundle
    ratios = []
    for v in levels:
        for _ in range(-(-c // m)):
            if load + m <= c and accept(load, total, v):
                load, total = load + m, total + m * v
        ratios.append(c * v / total if total else None)  # c/m of the bundles at v fit
    if None not in ratios:
        rho = max(ratios)
        step = max(b / a for a, b in pairwise(levels))
        assert c * top <= rho * step ** ((c - m + 1) // m) * least_paid(c, m, rho)


def best_whole(c, offers):
    """The integer optimum."""
    best = [Fraction(0)] * (c + 1)
    for w, u in offers:
        for g in range(c, w - 1, -1):
            best[g] = max(best[g], best[g - w] + u)
    return best[c]


def spare(c, U, offers, p=None):
    """What the rule of T15 collects, L = 1: all that fits, but at load 1 a unit only from p on."""
    rho = Fraction(c - 1) * U / 2
    p = rho / (rho - 1) if p is None else p
    load, total = 0, Fraction(0)
    for w, u in offers:
        if load + w <= c and not (load == w == 1 and u < p):
            load, total = load + w, total + u
    return total


@st.composite
def bundles(draw):
    c = draw(st.integers(3, 6))
    U = draw(st.integers(-(-2 * (c + 1) // (c - 1)), 40))
    density = st.one_of(
        st.sampled_from((Fraction(1), Fraction(U), Fraction(11, 10))),
        st.fractions(1, U, max_denominator=20),
    )
    sizes = st.integers(1, c - 1)
    offers = draw(st.lists(st.tuples(sizes, density), max_size=7))
    return c, U, [(w, w * v) for w, v in offers]


@settings(deadline=None, max_examples=80)
@given(bundles())
def test_t15_bounds_the_integer_optimum(drawn):
    c, U, offers = drawn
    assert best_whole(c, offers) <= Fraction(c - 1) * U / 2 * spare(c, U, offers)


@pytest.mark.parametrize("c", [3, 4])
def test_t15_over_all_short_sequences(c):
    """Three or four bundles, densities around the price of the spare unit: the worst is rho."""
    U, rho = 10, Fraction(c - 1) * 10 / 2
    p = rho / (rho - 1)
    kinds = [(w, w * v) for w in range(1, c) for v in (Fraction(1), p * 99 / 100, p, Fraction(U))]
    worst = max(
        best_whole(c, some) / spare(c, U, some)
        for some in product(kinds, repeat=3 if c == 4 else 4)
    )
    assert worst == rho


def test_t15_needs_the_price_of_the_spare_unit():
    """Two units at L, then c - 1 units at U beside one of them."""
    offers = [(1, Fraction(1)), (1, Fraction(1)), (2, Fraction(20))]
    assert best_whole(3, offers) == 21 > 10 * spare(3, 10, offers, p=Fraction(1))
    assert best_whole(3, offers) <= 10 * spare(3, 10, offers)


def blocked(c, m, U):
    """max n v U/w over bundles w that leave no room for v: no rule has less against the optimum."""
    sizes = range(1, m + 1)
    return max(Fraction(c // v * v * U, w) for w, v in product(sizes, sizes) if w + v > c)


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 9), st.data())
def test_t15_a_bundle_that_blocks_those_to_come(c, data):
    m = data.draw(st.integers(c // 2 + 1, c))
    U = data.draw(st.integers(1, 50))
    w, v = data.draw(
        st.sampled_from([(w, v) for w in range(1, m + 1) for v in range(1, m + 1) if w + v > c])
    )
    offers = [(w, Fraction(w))] + [(v, Fraction(v * U))] * (c // v)
    for takes in (True, False):  # all that a rule can do, if what it refuses first is all there is
        shown = offers if takes else offers[:1]
        got = Fraction(w) if takes else Fraction(0)
        assert best_whole(c, shown) > 0
        assert best_whole(c, shown) >= Fraction(c // v * v * U, w) * got
    assert blocked(c, m, U) >= Fraction(m * U, c - m + 1)  # never less than T10big


def most_blocked(c, m, g):
    """b(g): the most units, c at most, in bundles of up to m that do not fit beside g sold ones."""
    reached = {0}
    for total in range(1, c + 1):
        if any(total - v in reached for v in range(c - g + 1, m + 1)):
            reached.add(total)
    return max(reached)


def first_fit(c, m, U):
    """The constant of taking whatever fits."""
    return 1 + max(Fraction(most_blocked(c, m, g) * U, g) for g in range(1, c + 1))


@settings(deadline=None, max_examples=80)
@given(st.integers(1, 8), st.data())
def test_t15_taking_whatever_fits(c, data):
    m, U = data.draw(st.integers(1, c)), data.draw(st.integers(1, 30))
    bundle = st.tuples(st.integers(1, m), st.sampled_from((1, U)) | st.integers(1, U))
    offers = [(w, Fraction(w * v)) for w, v in data.draw(st.lists(bundle, max_size=8))]
    load, total = 0, Fraction(0)
    for w, u in offers:
        if load + w <= c:
            load, total = load + w, total + u
    assert best_whole(c, offers) <= first_fit(c, m, U) * total


@pytest.mark.parametrize(
    ("c", "m", "lower"),
    [
        (6, 4, Fraction(3, 2)),
        (7, 5, Fraction(5, 3)),
        (8, 5, Fraction(8, 5)),
        (8, 6, 2),
        (8, 7, 3.5),
    ],
)
def test_t15_first_fit_is_within_one_of_every_rule(c, m, lower):
    """So within 1 % at U/L = 100 and 1000 where the bundle that blocks most comes alone."""
    for U in (10, 100, 1000):
        assert blocked(c, m, U) == lower * U
        assert first_fit(c, m, U) == lower * U + 1


@pytest.mark.parametrize("spread", [10, 100, 1000])
@pytest.mark.parametrize("c", [1, 2, 3, 4])
def test_the_best_ratio_is_known_up_to_four_units(c, spread):
    """Lower bound (T12) and upper bound (T14, T15) meet: the table of the README of proofs."""
    for m in range(1, c + 1):
        lower = least_ratio(c, m, spread)
        if m == c - 1 and c >= 3:
            rho = Fraction(c - 1) * spread / 2
            assert rho >= c + 1
        else:
            rho = Fraction(optimal_rho(c, m, log(spread)))
        assert abs(lower - rho) <= Fraction(1, 32)
