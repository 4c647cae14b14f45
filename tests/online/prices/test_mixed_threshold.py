"""The optimal thresholds for bundles of mixed sizes (theorem T14)."""

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hadaropt
from hadaropt.bench.adversary.bounds import lower_bound
from hadaropt.online.foreknowledge import compute_foreknowledge
from hadaropt.online.prices.mixed_threshold import least_paid, optimal_rho
from hadaropt.online.prices.step import StepPrice
from hadaropt.online.prices.threshold import optimal_alpha
from hadaropt.policies import PrimalDual
from tests.online.prices.test_random_threshold import one_round
from tests.theory.test_whole_bundles import best_whole

SPREADS = (1, 2, 10, 100, 1000)


@pytest.mark.parametrize(("c", "m"), [(4, 2), (6, 3), (8, 2), (8, 4), (12, 4), (5, 5), (4, 1)])
@pytest.mark.parametrize("spread", SPREADS[1:])
def test_it_attains_the_lower_bound_where_m_divides_c(c, m, spread):
    """`lower_bound` (T12) is the largest multiple of 1/1024 below which every rule fails."""
    rho = optimal_rho(c, m, math.log(spread))
    least = float(lower_bound(c, m, spread))
    assert max(1.0, least) - 1e-9 <= rho <= max(1.0, least) + 1 / 512


@pytest.mark.parametrize("c", [1, 2, 5, 16])
@pytest.mark.parametrize("spread", SPREADS)
def test_for_single_units_it_is_the_threshold(c, spread):
    assert optimal_rho(c, 1, math.log(spread)) == pytest.approx(optimal_alpha(c, math.log(spread)))


def test_no_other_order_of_bundles_pays_less():
    """h is the least over all ways to fill g units, by enumeration."""
    for c, m, rho in product((4, 5, 7), (1, 2, 3, 4), (1.0, 1.7, 9.0)):
        paid = [0.0]
        for g in range(1, c + 1):
            prices = [max(1.0, rho / c * h) for h in paid]
            paid.append(min(paid[g - w] + w * prices[g - w] for w in range(1, min(m, g) + 1)))
        assert paid == pytest.approx([least_paid(g, rho, c, m) for g in range(c + 1)])


def test_four_gpus_and_gangs_of_up_to_two():
    """U/L = 100: 27.3, as no rule has less; the step price proves 50.6 there."""
    instance = one_round(4, *[(2, 2)] * 2, (1, 1), *[(2, 200)] * 2)
    run = hadaropt.run_online(instance, PrimalDual("mixed_threshold"))
    assert run.theorem is not None and run.theorem.id == "T14"
    assert float(run.theorem.constant) == pytest.approx(math.sqrt(801) - 1, rel=1e-6)
    step = hadaropt.run_online(instance, PrimalDual("step"))
    assert float(step.theorem.constant) > 1.8 * float(run.theorem.constant)


sizes = st.tuples(st.integers(1, 8), st.integers(1, 8)).map(lambda p: (max(p), min(p)))


@given(sizes, st.lists(st.tuples(st.integers(1, 8), st.integers(1, 300)), min_size=1, max_size=9))
@settings(deadline=None, max_examples=40)
def test_t14_bounds_the_optimum_and_is_never_above_the_step_price(size, drawn):
    c, m = size
    jobs = [(min(gang, m), value) for gang, value in drawn]
    instance = one_round(c, *jobs)
    run = hadaropt.run_online(instance, PrimalDual("mixed_threshold"))
    assert run.theorem is not None, run.theorem_absent
    best = [0] * (c + 1)
    for gang, value in jobs:
        for room in range(c, gang - 1, -1):
            best[room] = max(best[room], best[room - gang] + value)
    assert best[c] <= run.theorem.constant * run.value
    assert run.value <= best[c] <= run.bound
    assert float(run.theorem.constant) <= run.theorem.closed_form * (1 + 1e-5)
    known = compute_foreknowledge(instance, "type")
    assert run.theorem.closed_form <= StepPrice().tables(known).closed_form * 1.001


def test_there_is_no_theorem_on_two_resources():
    run = hadaropt.run_online(one_round(2, (1, 5), rounds=2), PrimalDual("mixed_threshold"))
    assert run.theorem is None and "one resource" in run.theorem_absent


@settings(deadline=None, max_examples=50)
@given(
    st.integers(1, 6),
    st.fractions(Fraction(1, 8), Fraction(7, 8), max_denominator=8),
    st.lists(st.tuples(st.integers(1, 3), st.integers(1, 40)), min_size=1, max_size=8),
)
def test_t20_bounds_the_optimum_where_the_declared_U_is_too_small(c, share, drawn):
    offers = [(min(w, c), min(w, c) * v) for w, v in drawn]
    instance = one_round(c, (1, 1), *offers)
    found = hadaropt.run_online(instance, PrimalDual("mixed_threshold", U=share))
    if found.theorem is None:  # declared below L, or N is never reached
        assert "(F) fails" in found.theorem_absent
    else:
        assert found.theorem.id in {"T14", "T20"}
        best = best_whole(c, [(w, Fraction(u)) for w, u in [(1, 1), *offers]])
        assert best <= found.theorem.constant * found.value


@pytest.mark.parametrize("b", [2, 10])
def test_t20_the_factor_by_which_U_is_too_small_is_lost_by_a_rule_that_is_optimal_without(b):
    """A staircase up to the declared U sells all; what comes at b times that is refused."""
    c, U = 8, 50
    rho = optimal_rho(c, 1, math.log(U))
    k = [max(1.0, rho / c * least_paid(g, rho, c, 1)) for g in range(c)]
    values = [Fraction(price * 1.001) for price in k] + [Fraction(b * U)] * c
    instance = one_round(c, (1, 1), *((1, v) for v in values))
    found = hadaropt.run_online(instance, PrimalDual("mixed_threshold", U=Fraction(1, b)))
    assert found.theorem.id == "T20" and found.theorem.foreknowledge == ("L", "m")
    assert float(found.theorem.constant) == pytest.approx(b * rho, rel=1e-3)
    assert c * b * U / found.value >= float(found.theorem.constant) * 0.97
    # to declare b times as much costs about ln(b) instead
    assert optimal_rho(c, 1, math.log(b * U)) < rho + 2.5 * math.log(b)


def test_a_U_declared_below_every_value_has_no_theorem():
    instance = one_round(4, (2, 2), (1, 90), (2, 200))
    run = hadaropt.run_online(instance, PrimalDual("mixed_threshold", U=Fraction(1, 200)))
    assert run.theorem is None and "(F) fails" in run.theorem_absent


@pytest.mark.parametrize(("c", "m"), [(4, 2), (7, 3), (12, 1), (9, 9), (64, 8)])
@pytest.mark.parametrize("rho", [1.0, 2.5, 27.3, 400.0])
def test_what_has_been_paid_is_that_of_its_recurrence(c, m, rho):
    paid = [float(g) for g in range(m)]
    for g in range(m, c + 1):
        paid.append(paid[g - m] + m * max(1.0, rho / c * paid[g - m]))
    for g, expected in enumerate(paid):
        assert least_paid(g, rho, c, m) == pytest.approx(expected, rel=1e-12)
