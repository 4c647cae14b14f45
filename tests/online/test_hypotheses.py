"""The hypotheses checker: the smallest constant, and each hypothesis seen to fail."""

from fractions import Fraction
from itertools import accumulate, combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import Cluster, Instance, Job, run_online
from hadaropt.generate import generate
from hadaropt.online import hypotheses
from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.hypotheses import (
    check_hypotheses,
    in_words,
    increments,
    linear_increments,
    smallest_constant,
)
from hadaropt.online.prices.rounding import RoundedTables
from hadaropt.utility import Linear

lines = st.sets(
    st.tuples(st.fractions(0, 20, max_denominator=4), st.fractions(0, 40, max_denominator=4)),
    max_size=6,
)


def by_vertices(lines, L):
    """Minimise t1 + t2 over all vertices of t1 >= 1, t2 >= 0, k t1 + L t2 >= b."""
    rows = [(Fraction(1), Fraction(0), Fraction(1)), (Fraction(0), Fraction(1), Fraction(0))]
    rows += [(k, L, b) for k, b in lines]
    best = None
    for (a, b, e), (c, d, f) in combinations(rows, 2):
        if (determinant := a * d - b * c) == 0:
            continue
        t1, t2 = (e * d - b * f) / determinant, (a * f - e * c) / determinant
        if all(x * t1 + y * t2 >= z for x, y, z in rows):
            best = t1 + t2 if best is None else min(best, t1 + t2)
    return best


@given(lines, st.fractions("1/4", 10, max_denominator=4))
@settings(deadline=None, max_examples=300)
def test_smallest_constant_is_the_optimum_of_its_linear_program(lines, L):
    assert smallest_constant(lines, L) == by_vertices(lines, L)


def check(table, *, c=3, m=2, U=4, L=1):
    place = (0, 0)
    known = Foreknowledge(
        "type",
        {place: c},
        {place: Fraction(U)},
        {place: m},
        Fraction(L),
        Fraction(1),
        Fraction(1),
        2,
        Fraction(1),
    )
    return check_hypotheses(known, RoundedTables({place: table}, Fraction(1), 1.0, {}))


def test_all_hypotheses_hold():
    checked = check((0, 2, 4, 4))
    assert checked.failure == ""
    assert checked.additive == 0
    # g = 0, w = 1: 3 * 2 <= t2; g = 0, w = 2: 3 * 4 / 2 <= t2; g = 1: 3 * 2 <= 2 t1 + t2.
    assert checked.constant == 7


def test_m_fails_on_a_falling_table():
    assert check((0, 5, 4, 4)).failure.startswith("(M)")


def test_f_fails_where_a_bundle_may_not_fit_below_u():
    assert check((0, 2, 3, 4)).failure.startswith("(F)")


def test_a_violation_says_where_and_by_which_values():
    failed = check((0, 2, 3, 4)).violation
    assert (failed.hypothesis, failed.resource, failed.sold, failed.units) == ("F", (0, 0), 2, 2)
    assert (failed.found, failed.bound) == (3, 4)
    failed = check((0, 5, 4, 4)).violation
    assert (failed.hypothesis, failed.sold, failed.found, failed.bound) == ("M", 2, 4, 5)
    assert check((0, 2, 4, 4)).violation is None
    assert in_words((3, 1, 0)) == "round 3, node 1, type 0"


def test_additive_is_capacity_times_the_price_at_zero():
    assert check((1, 2, 4, 4)).additive == 3


@st.composite
def tables(draw):
    """Non-decreasing tables: of any shape, convex but for rounding, and in blocks."""
    size = draw(st.integers(1, 25))
    most = draw(st.sampled_from([3, 1000, 2**50, 2**70]))
    steps = draw(st.lists(st.integers(0, most), min_size=size, max_size=size))
    shape = draw(st.sampled_from(["any", "convex", "blocks"]))
    if shape == "convex":
        steps = [x + draw(st.integers(0, 1)) for x in sorted(steps)]
    if shape == "blocks":
        steps = [x if i % 4 == 0 else 0 for i, x in enumerate(steps)]
    return tuple(accumulate(steps, initial=draw(st.integers(0, most))))


@given(tables(), st.integers(1, 9), st.integers(0, 5), st.sampled_from([Fraction(1, 3), 1, 2**40]))
@settings(deadline=None, max_examples=300)
def test_the_constant_over_classes_of_bundles_is_that_over_all_bundles(table, m, spare, L):
    """Under linear charges; `increments` looks at every g and w."""
    c, scale = len(table) - 1 + spare, Fraction(1, 8)
    every = increments(table, lambda g, w: w * table[g], scale, c, m)
    few = linear_increments(table, scale, c, m)
    assert few <= every | {(base, Fraction(0)) for base, _ in few}
    assert smallest_constant(few, Fraction(L)) == smallest_constant(every, Fraction(L))


def test_too_many_pairs_of_prices_and_bundles_are_said(monkeypatch):
    """No theorem is named whose hypotheses were not looked at; the run and its bound stand."""
    monkeypatch.setattr(hypotheses, "MOST_PAIRS", 3)
    monkeypatch.setattr(hypotheses, "MOST_CHARGES", 3)
    instance = generate("small_uniform", seed=1, num_jobs=4, num_rounds=4)
    for price in ("zero_start", "last_unit"):
        run = run_online(instance, f"primal_dual:{price}")
        assert run.theorem is None
        assert "were not checked" in run.theorem_absent
        assert run.bound >= run.value


def test_prices_fit_gangs_of_many_thousands_of_gpus():
    cluster = Cluster.of({"n": {"V100": 10**5}})
    jobs = [Job(name, 0, 40_000, 3, {"V100": 1}, Linear(900, 1)) for name in "abc"]
    run = run_online(Instance(cluster, jobs, 4, 1), "primal_dual:zero_start")
    assert run.value > 0
