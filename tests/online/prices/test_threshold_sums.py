"""Bundles of a size that nobody has told (theorem T19): what it costs, both ways."""

import math
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hadaropt
from hadaropt.online.prices.threshold import optimal_alpha
from hadaropt.online.prices.threshold_sums import ThresholdSums
from hadaropt.policies import PrimalDual
from tests.online.prices.test_random_threshold import one_round
from tests.theory.test_whole_bundles import best_whole

SUMS = PrimalDual(ThresholdSums())


@settings(deadline=None, max_examples=60)
@given(
    st.integers(2, 9),
    st.integers(1, 2),
    st.lists(st.tuples(st.integers(1, 3), st.integers(1, 12)), min_size=1, max_size=9),
)
def test_t19_bounds_the_optimum(c, m, drawn):
    offers = [(min(w, m), min(w, m) * v) for w, v in drawn]
    found = hadaropt.run_online(one_round(c, *offers), SUMS)
    if found.theorem is None:  # the first bundle is larger than what is sold at L
        assert "before any is refused" in found.theorem_absent
    else:
        assert found.theorem.id == "T19" and found.theorem.foreknowledge == ("U", "L")
        best = best_whole(c, [(w, Fraction(u)) for w, u in offers])
        assert best <= found.theorem.constant * found.value


@pytest.mark.parametrize(("c", "m"), [(4, 1), (8, 2), (16, 2), (64, 1), (64, 4)])
def test_the_constant_is_that_of_single_units_times_a_factor_for_each_further_unit(c, m):
    U, alpha = 100, optimal_alpha(c, math.log(100))
    found = hadaropt.run_online(one_round(c, *[(m, m)] * c, (m, m * U)), SUMS)
    assert float(found.theorem.constant) == pytest.approx(alpha * (1 + alpha / c) ** (m - 1))
    told = hadaropt.run_online(one_round(c, (m, m), (m, m * U)), PrimalDual("mixed_threshold"))
    assert m == 1 or told.theorem.constant < found.theorem.constant


def staircase(k, L, U, upto, rise=1.02):
    """Single units at rising values, until a rule with prices k has sold so many; its value."""
    values, held, v = [], Fraction(0), Fraction(L)
    for g in range(upto):
        v = max(v, k[g] * Fraction(rise))
        values.append(min(v, Fraction(U)))
        held += values[-1]
    return values, held


@pytest.mark.parametrize(("c", "m"), [(8, 2), (16, 2)])
def test_t19_the_adversary_forces_the_constant(c, m):
    """Single units until c - m + 1 are sold, then bundles of m, none of which fits."""
    alpha = optimal_alpha(c, math.log(100))
    tau = math.ceil(c / alpha)
    k = [Fraction(max(1.0, alpha / c * tau * (1 + alpha / c) ** (g - tau))) for g in range(c)]
    values, held = staircase(k, 1, 100, c - m + 1)
    offers = [(1, v) for v in values] + [(m, m * Fraction(100))] * (c // m)
    found = hadaropt.run_online(one_round(c, *offers), SUMS)
    assert found.value == held  # all single units, no bundle
    assert Fraction(c * 100) / held >= found.theorem.constant * Fraction(97, 100)


def test_t19_no_thresholds_keep_both_promises():
    """a for single units, f for bundles of 2: f s_a(N) >= c U for any thresholds on four units."""
    c, U, rng = 4, 100.0, Random(0)
    for _ in range(500):
        levels = sorted([1.0, *(math.exp(rng.uniform(0, math.log(U))) for _ in range(3))])
        sums = [sum(levels[: i + 1]) for i in range(c)]
        a = max(1.0, c * U / sums[-1], *(c * levels[i + 1] / sums[i] for i in range(c - 1)))
        least = 0.0
        for _ in range(c - 1):
            least += max(1.0, a / c * least)
        f = c * U / sums[c - 2]  # bundles of 2 at U when three are sold
        assert f * least >= c * U * (1 - 1e-9)
