"""T10, T12, the optimality of T9: adversaries against deterministic rules, tables of ratios."""

from fractions import Fraction
from itertools import pairwise
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hadaropt
from hadaropt.policies import PrimalDual
from hadaropt.utility import Table
from tests.theory.abstract import Abstract, Offer, optimum, run
from tests.theory.test_bounds import level


def staircase(accept, c, levels):
    """c offers of one unit at each level, ascending; (ratio at the end of each level, P, taken).

    ``accept(n, total, v)`` decides from units sold, value collected and the offer.
    """
    n, total, ratios, taken = 0, Fraction(0), [], []
    for v in levels:
        before = n
        for _ in range(c):
            if n < c and accept(n, total, v):
                n, total = n + 1, total + v
        ratios.append(c * v / total if total else None)
        taken.append(n - before)
    return ratios, taken


def grid(top, steps):
    """L = 1 up to ``top`` in equal ratios, rounded to sixty-fourths, strictly ascending."""
    levels = [Fraction(round(64 * top ** (i / steps)), 64) for i in range(steps + 1)]
    return sorted({Fraction(1), *levels, Fraction(top)})


RULES = {
    "everything": lambda c, top: lambda n, total, v: True,
    "only the best": lambda c, top: lambda n, total, v: v == top,
    "half early": lambda c, top: lambda n, total, v: 2 * n < c or v == top,
    "posted root": lambda c, top: lambda n, total, v: float(v) >= top ** (n / c),
    "a third of the best so far": lambda c, top: lambda n, total, v: 3 * total < c * v,
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("c", [1, 2, 4, 8])
@pytest.mark.parametrize("top", [5, 100])
def test_t10_no_rule_beats_the_harmonic_bound(rule, c, top):
    """The worst ratio over the levels is at least 1 + sum (1 - v_t/v_(t+1)), exactly."""
    levels = grid(top, 40)
    ratios, taken = staircase(RULES[rule](c, top), c, levels)
    assert sum(taken) <= c
    bound = 1 + sum(1 - a / b for a, b in pairwise(levels))
    if None not in ratios:
        assert max(ratios) >= bound
    assert float(bound) > 0.9 * (1 + log(top))


@settings(deadline=None, max_examples=150)
@given(st.integers(1, 6), st.lists(st.integers(0, 12), min_size=1, max_size=12), st.data())
def test_t10_fractional_acceptances_too(c, raw, data):
    """Any amounts a_t (expectations of a randomised rule) that sum to at most c."""
    levels = [Fraction(1)]
    for _ in raw[1:]:
        levels.append(levels[-1] * Fraction(data.draw(st.integers(10, 30)), 10))
    total = sum(raw)
    amounts = [Fraction(c * a, total) if total else Fraction(0) for a in raw]
    collected, worst = Fraction(0), Fraction(0)
    for a, v in zip(amounts, levels, strict=True):
        collected += a * v
        if not collected:
            return  # nothing taken at the first level: the ratio is unbounded
        worst = max(worst, c * v / collected)
    assert worst >= 1 + sum(1 - a / b for a, b in pairwise(levels))


@settings(deadline=None, max_examples=100)
@given(
    st.sampled_from((1, 2, 4)),
    st.sampled_from((5, 100)),
    st.lists(st.tuples(st.sampled_from(sorted(RULES)), st.integers(1, 5)), min_size=1, max_size=5),
)
def test_t10_randomised_rules_do_not_beat_the_harmonic_bound(c, top, drawn):
    """The adversary knows the probabilities of the deterministic rules, not the draw."""
    levels = grid(top, 40)
    weight = sum(w for _, w in drawn)
    amounts = [Fraction(0)] * len(levels)
    for name, w in drawn:
        for t, taken in enumerate(staircase(RULES[name](c, top), c, levels)[1]):
            amounts[t] += Fraction(w * taken, weight)
    collected, worst = Fraction(0), Fraction(0)
    for a, v in zip(amounts, levels, strict=True):
        collected += a * v
        if not collected:
            return
        worst = max(worst, c * v / collected)
    assert worst >= 1 + sum(1 - a / b for a, b in pairwise(levels))


def sold_value(c, rho):
    """s_c(rho) with L = 1."""
    s = Fraction(0)
    for _ in range(c):
        s += max(Fraction(1), rho / c * s)
    return s


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("c", [1, 2, 4])
def test_t9_is_optimal(rule, c):
    """A rule of ratio rho on a grid of step 1 + eta has c U <= rho (1 + eta)^c s_c(rho)."""
    top, levels = 30, grid(30, 60)
    step = max(b / a for a, b in pairwise(levels))
    ratios, _ = staircase(RULES[rule](c, top), c, levels)
    if None not in ratios:
        rho = max(ratios)
        assert c * top <= rho * step**c * sold_value(c, rho)


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 9), st.data())
def test_t10_big_bundles(c, data):
    """m > c/2: a job of c-m+1 units at density L, then one of m units at density U."""
    m = data.draw(st.integers(c // 2 + 1, c))
    L, U = Fraction(1), Fraction(data.draw(st.integers(1, 50)))
    w = c - m + 1
    small, large = Offer(w * L, (w,)), Offer(m * U, (m,))
    for first in (True, False):
        for second in (True, False):
            if w * first + m * second > c:
                continue  # no rule may decide so
            shown = (small, large) if first else (small,)
            collected = first * small.value + (first and second) * large.value
            best = optimum(Abstract((c,), tuple((offer,) for offer in shown)))
            assert best >= m * U / (w * L) * collected
            assert best > 0


def held(c, m, rho):
    """T12 with L = 1: what a rule of ratio rho holds when N = c - m + 1 units are gone."""
    k, N = c // m, c - m + 1
    s = Fraction(N % m)
    for _ in range(N // m):
        s += m * max(Fraction(1), rho * s / (k * m))
    return s


def least_ratio(c, m, spread):
    """The least multiple of 1/64 with k m U <= rho held(rho): no rule does better by 1/64."""
    low, high = 63, 64 * c * spread
    while high - low > 1:
        middle = (low + high) // 2
        rho = Fraction(middle, 64)
        low, high = (
            (low, middle) if rho * held(c, m, rho) >= c // m * m * spread else (middle, high)
        )
    return Fraction(high, 64)


@pytest.mark.parametrize("spread", [1, 2, 10, 100, 1000, 10**6])
@pytest.mark.parametrize(("c", "m"), [(c, m) for c in (4, 8) for m in (1, 2, 4, 8) if m <= c])
def test_t12_lower_and_upper_bound_within_two(c, m, spread):
    """Gangs 1, 2, 4, 8 on capacities 4 and 8, mixed sizes up to m: the table of the README."""
    rho = least_ratio(c, m, spread)
    delta = spread / (level(c, m, rho, c - m + 1) - 1)
    assert rho * (1 + delta) <= 2 * rho
    best = min(
        a * (1 + spread / (level(c, m, a, c - m + 1) - 1))
        for a in {max(Fraction(1), rho * i / 32) for i in range(1, 33)}
    )
    below = rho - Fraction(1, 64)
    if below >= 1:  # no rule has this ratio, so no table may prove it
        assert best > below


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 9), st.data())
def test_t12_any_bundle(c, data):
    """If m does not divide c, the factor is 2 c/(k m)."""
    m = data.draw(st.integers(1, c))
    spread = data.draw(st.integers(1, 500))
    gap = Fraction(c, c // m * m)
    rho = least_ratio(c, m, spread)
    a = rho * gap
    delta = spread / (level(c, m, a, c - m + 1) - 1)
    assert a * (1 + delta) <= 2 * gap * rho


@pytest.mark.parametrize(("c", "m"), [(4, 2), (8, 2), (8, 4), (7, 3)])
def test_t12_adversary_against_the_step_price(c, m):
    """The adversary of T12 forces the ratio out of the price that the upper bound is proved for."""
    spread, steps = 100, 48
    rho = least_ratio(c, m, spread)
    gap = Fraction(c, c // m * m)
    a = rho * gap
    delta = spread / (level(c, m, a, c - m + 1) - 1)
    levels = grid(spread, steps)
    s = (c - m + 1) % m
    offers = [Offer(Fraction(s), (s,))] if s else []
    offers += [Offer(m * v, (m,)) for v in levels for _ in range(c // m)]
    outcome = run(
        Abstract((c,), tuple((o,) for o in offers)),
        lambda r, g, w: w * delta * (level(c, m, a, g) - 1),
    )
    collected, worst = Fraction(0), Fraction(0)
    for i, taken in enumerate(outcome.taken):
        collected += taken.value if taken else 0
        last = i - len(offers) + len(levels) * (c // m)
        if last >= 0 and last % (c // m) == c // m - 1:
            worst = max(worst, c // m * offers[i].value / collected)
    assert worst <= 2 * gap * rho
    step = max(b / a for a, b in pairwise(levels))
    assert worst * step ** (c // m) >= rho * Fraction(9, 10)


def one_round(c, gang, values):
    """One node of c GPUs, one round; jobs arrive in the order given."""
    cluster = hadaropt.Cluster.of({"n": {"V100": c}})
    jobs = [
        hadaropt.Job(f"j{i}", 0, gang, 1, {"V100": 1}, Table((v,))) for i, v in enumerate(values)
    ]
    return hadaropt.Instance(cluster, jobs, 1, 1)


LEVELS = [20, 25, 31, 39, 49, 61, 76, 95, 119, 149, 186, 233, 291, 364, 455, 569, 711, 889, 1000]
PRICES = ("threshold", "zero_start", "exponential", "last_unit", "telescoped", "linear")


@pytest.mark.parametrize("c", [1, 2, 4, 8])
@pytest.mark.parametrize("price", PRICES)
def test_adversary_table(price, c):
    """Policy x price x capacity: lower bound <= measured worst ratio <= proved constant.

    One run on the whole staircase gives every prefix: the decisions are online, and the
    foreknowledge (U, L, m) is that of the range of values.
    """
    values = [v for v in LEVELS for _ in range(c)]
    run = hadaropt.run_online(one_round(c, 1, values), PrimalDual(price))
    assert run.theorem is not None
    collected, worst = Fraction(0), Fraction(0)
    for t, v in enumerate(LEVELS):
        block = range(t * c, (t + 1) * c)
        collected += sum(v for j in block if run.completion[j] is not None)
        if collected:
            assert c * v <= run.theorem.constant * collected + run.theorem.additive
            worst = max(worst, Fraction(c * v) / collected)
        else:
            assert c * v <= run.theorem.additive
    assert worst >= 1 + sum(1 - Fraction(a, b) for a, b in pairwise(LEVELS))
    step = max(Fraction(b, a) for a, b in pairwise(LEVELS))
    assert c * LEVELS[-1] <= worst * step**c * sold_value(c, worst) * LEVELS[0]
    if price == "threshold":
        assert worst <= run.theorem.constant


@pytest.mark.parametrize("c", [4, 8])
def test_gangs_as_large_as_the_node(c):
    """m = c: lower bound c U/L, linear price 1 + c U/L; the measured ratio lies between."""
    low, high = 20, 1000
    cluster = hadaropt.Cluster.of({"n": {"V100": c}})
    jobs = [
        hadaropt.Job("small", 0, 1, 1, {"V100": 1}, Table((low,))),
        hadaropt.Job("large", 0, c, 1, {"V100": 1}, Table((c * high,))),
    ]
    run = hadaropt.run_online(hadaropt.Instance(cluster, jobs, 1, 1), PrimalDual("linear"))
    assert run.theorem is not None
    spread = Fraction(c * high, low)
    assert run.theorem.constant <= 1 + c * Fraction(c * high) / low
    assert Fraction(c * high) <= run.theorem.constant * run.value + run.theorem.additive
    assert Fraction(c * high) / run.value >= spread
