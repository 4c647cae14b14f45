"""Random checks of T2, T4', T4'', T5, T7, T8, T9, T9' and the linear price, all in rationals.

Each bound is checked in the strong form of its proof: the certified D at the final dual prices is
between the optimum and the bound. Geometric tables use a rational root q with L q^N >= U, so that
the table is exact and U only larger (which keeps every theorem).
"""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.abstract import (
    Abstract,
    Offer,
    certificate,
    geometric_theta,
    linear,
    optimum,
    root_up,
    run,
)

exact = settings(deadline=None, max_examples=150)


@st.composite
def instances(draw, most_units=3):
    """Up to 3 resources of up to 6 units; every schedule fits the empty cluster."""
    caps = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=3)))

    def offer():
        use = [draw(st.integers(0, min(c, most_units))) for c in caps]
        if not any(use):
            use[0] = 1
        spread = draw(st.sampled_from((1, 1, 3, 20)))
        return Offer(Fraction(draw(st.integers(1, 30)) * spread, 3) * sum(use), tuple(use))

    jobs = draw(st.integers(1, 6))
    return Abstract(
        caps, tuple(tuple(offer() for _ in range(draw(st.integers(1, 3)))) for _ in range(jobs))
    )


@st.composite
def unit_instances(draw):
    """One resource, every schedule holds one unit."""
    values = draw(st.lists(st.integers(1, 60), min_size=1, max_size=14))
    return Abstract((draw(st.integers(1, 6)),), tuple((Offer(Fraction(v), (1,)),) for v in values))


def resources(instance):
    return range(len(instance.caps))


def final(instance, table, outcome):
    return certificate(instance, [table(r, outcome.loads[r]) for r in resources(instance)])


@exact
@given(instances(), st.data())
def test_t2_any_prices_bound_the_optimum(instance, data):
    prices = [Fraction(data.draw(st.integers(0, 40)), 3) for _ in instance.caps]
    assert certificate(instance, prices) >= optimum(instance)


def exponential(instance, room):
    """T5: the table, theta and sum c L for L = min(U, u_first/(2 R c))."""
    first = max(s.value for s in instance.jobs[0])
    L, q, N = [], [], []
    theta = Fraction(1)
    for r, c in enumerate(instance.caps):
        U, m = instance.value_per_unit(r), instance.bundle(r)
        N.append(room[r] - m + 1)
        L.append(min(U, first / (2 * len(instance.caps) * c)))
        q.append(root_up(U / L[r], N[r]))
        theta = max(theta, geometric_theta(c, q[r], min(m, N[r])))
    start = sum((c * k for c, k in zip(instance.caps, L, strict=True)), Fraction(0))
    return (lambda r, g: L[r] * q[r] ** min(g, N[r])), theta, start


@exact
@given(instances())
def test_t6_published_table_with_small_demands(instance):
    """U per unit of one resource and the table over 0..c: OPT <= lambda (theta P + sum c L)."""
    L = instance.least_density()
    roots = [root_up(instance.value_per_unit(r) / L, c, 4096) for r, c in enumerate(instance.caps)]
    outcome = run(instance, linear(lambda r, g: L * roots[r] ** g))
    theta, lam = Fraction(1), Fraction(1)
    for r, c in enumerate(instance.caps):
        m = instance.bundle(r)
        theta = max(theta, geometric_theta(c, roots[r], m))
        lam = max(lam, roots[r] ** (m - 1))
    bound = lam * (theta * outcome.value + sum(instance.caps) * L)
    certified = final(instance, lambda r, g: lam * L * roots[r] ** g, outcome)
    assert optimum(instance) <= certified <= bound


@exact
@given(instances())
def test_t5_repaired_exponential(instance):
    table, theta, start = exponential(instance, instance.caps)
    outcome = run(instance, linear(table))
    dual = final(instance, table, outcome)
    assert optimum(instance) <= dual <= theta * outcome.value + start
    assert start <= optimum(instance) / 2
    assert optimum(instance) <= 2 * theta * outcome.value


@exact
@given(instances())
def test_t4_more_room_than_the_optimum(instance):
    """T4'': with c + m - 1 units the table may run over 0 .. c."""
    room = [c + instance.bundle(r) - 1 for r, c in enumerate(instance.caps)]
    table, theta, start = exponential(instance, room)
    outcome = run(instance, linear(table), room=room)
    dual = final(instance, table, outcome)
    assert optimum(instance) <= dual <= theta * outcome.value + start
    for r, c in enumerate(instance.caps):
        assert table(r, c) == table(r, c + 1) >= instance.value_per_unit(r)


def zero_start(instance, delta):
    """T7: the table and theta."""
    L = instance.least_density()
    q, N = [], []
    theta = Fraction(1)
    for r, c in enumerate(instance.caps):
        m = instance.bundle(r)
        N.append(c - m + 1)
        q.append(root_up(1 + instance.value_per_unit(r) / (delta * L), N[r]))
        theta = max(theta, geometric_theta(c, q[r], min(m, N[r])))
    return (lambda r, g: delta * L * (q[r] ** min(g, N[r]) - 1)), theta


deltas = st.sampled_from((Fraction(1, 20), Fraction(1, 3), Fraction(1), Fraction(4)))


@exact
@given(instances(), deltas)
def test_t7_zero_start(instance, delta):
    table, theta = zero_start(instance, delta)
    outcome = run(instance, linear(table))
    dual = final(instance, table, outcome)
    assert optimum(instance) <= dual <= (1 + delta) * theta * outcome.value


@exact
@given(instances(), deltas, st.sampled_from((Fraction(1), Fraction(3, 2), Fraction(8))), st.data())
def test_t4_inexact_maximiser(instance, delta, slack, data):
    """T4': slack up to theta is free, errors add up; the choice is the worst admissible one."""
    table, theta = zero_start(instance, delta)
    theta = max(theta, slack)
    errors = [
        data.draw(st.sampled_from((Fraction(0), Fraction(0), max(s.value for s in job) / 3)))
        for job in instance.jobs
    ]
    outcome = run(instance, linear(table), slack=slack, errors=errors)
    dual = final(instance, table, outcome)
    assert optimum(instance) <= dual <= (1 + delta) * theta * outcome.value + sum(errors)


@exact
@given(instances(), st.sampled_from(("last", "telescoped")))
def test_t8_bundle_prices(instance, kind):
    first = max(s.value for s in instance.jobs[0])
    L, q, m = [], [], []
    theta = Fraction(1)
    for r, c in enumerate(instance.caps):
        U = instance.value_per_unit(r)
        m.append(instance.bundle(r))
        L.append(min(U, first / (2 * len(instance.caps) * c)))
        q.append(root_up(U / L[r], c))
        theta = max(theta, c * (q[r] - 1) * q[r] ** (m[r] - 1))

    def k(r, g):
        return L[r] * q[r] ** g

    def charge(r, g, w):
        return w * k(r, g + w - 1) if kind == "last" else sum(k(r, g + i) for i in range(w))

    def dual_price(r, g):
        return k(r, g + m[r] - 1)

    outcome = run(instance, charge)
    start = sum(c * dual_price(r, 0) for r, c in enumerate(instance.caps))
    assert (
        optimum(instance) <= final(instance, dual_price, outcome) <= theta * outcome.value + start
    )


@exact
@given(instances(most_units=6))
def test_t4_linear_price(instance):
    L = instance.least_density()
    N = [c - instance.bundle(r) + 1 for r, c in enumerate(instance.caps)]
    U = [instance.value_per_unit(r) for r in resources(instance)]
    t2 = max(c * U[r] / (N[r] * L) for r, c in enumerate(instance.caps))

    def table(r, g):
        return U[r] * Fraction(min(g, N[r]), N[r])

    outcome = run(instance, linear(table))
    dual = final(instance, table, outcome)
    assert optimum(instance) <= dual <= (1 + t2) * outcome.value


def level(c, m, a, g):
    """e^(a g/c) at the multiples of m, in steps of factor 1 + m a/c, straight in between (T11)."""
    return (1 + a * (g % m) / c) * (1 + a * m / c) ** (g // m)


@exact
@given(instances(), st.sampled_from((Fraction(1), Fraction(3, 2), Fraction(4), Fraction(10))))
def test_t11_step_price(instance, a):
    L = instance.least_density()
    delta = max(
        instance.value_per_unit(r) / (L * (level(c, m, a, c - m + 1) - 1))
        for r, c in enumerate(instance.caps)
        for m in [instance.bundle(r)]
    )

    def table(r, g):
        return delta * L * (level(instance.caps[r], instance.bundle(r), a, g) - 1)

    outcome = run(instance, linear(table))
    dual = final(instance, table, outcome)
    assert optimum(instance) <= dual <= a * (1 + delta) * outcome.value


@pytest.mark.parametrize(("c", "m"), [(4, 1), (4, 2), (4, 3), (8, 3), (8, 4), (8, 8), (7, 2)])
def test_t11_no_zero_start_table_grows_faster(c, m):
    """(I) bounds k(g + w) by k(g) for w = 1 .. m; the step table is the largest solution."""
    a, b = Fraction(3), Fraction(2)  # t1 and t2 L
    largest = [Fraction(0)]
    for g in range(1, c + 1):
        largest.append(
            min(largest[g - w] * (1 + w * a / c) + w * b / c for w in range(1, min(m, g) + 1))
        )
    assert largest == [b / a * (level(c, m, a, g) - 1) for g in range(c + 1)]


def thresholds(c, alpha, L):
    """The table of T9 and its tau."""
    tau = max(1, -(-c * alpha.denominator // alpha.numerator))
    z = 1 + alpha / c
    return [L if g < tau else alpha / c * tau * L * z ** (g - tau) for g in range(c + 1)], tau


def least_alpha(c, L, U):
    """A multiple of 1/64 for which the table of T9 reaches U."""
    alpha = Fraction(1)
    while thresholds(c, alpha, L)[0][c] < U:
        alpha += Fraction(1, 64)
    return alpha


@exact
@given(unit_instances())
def test_t9_thresholds(instance):
    (c,) = instance.caps
    L = min(s.value for s in instance.offers) - Fraction(1, 4)
    alpha = least_alpha(c, L, instance.value_per_unit(0))
    table, tau = thresholds(c, alpha, L)
    outcome = run(instance, linear(lambda r, g: table[g]))
    (n,) = outcome.loads
    dual = certificate(instance, [table[n] if n >= tau else Fraction(0)])
    assert optimum(instance) <= dual <= alpha * outcome.value


@exact
@given(unit_instances(), st.integers(1, 6))
def test_t9_fallback(instance, least):
    """T9': unsold units are worth L to both sides."""
    (c,) = instance.caps
    L = Fraction(least)
    U = instance.value_per_unit(0)
    rho = Fraction(1)

    def table(g):
        return L * (1 + (rho - 1) * (1 + rho / c) ** g)

    while table(c) < U:
        rho += Fraction(1, 64)
    outcome = run(instance, linear(lambda r, g: table(g)))
    (n,) = outcome.loads
    best = sorted((s.value for s in instance.offers), reverse=True)[:c]
    with_fallback = sum(max(v, L) for v in best) + L * (c - len(best))
    assert with_fallback <= rho * (outcome.value + L * (c - n))
