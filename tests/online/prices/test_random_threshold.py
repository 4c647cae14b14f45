from fractions import Fraction
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hadaropt
from hadaropt.errors import InstanceError
from hadaropt.online.prices.random_threshold import RandomThreshold, expected_run, random_price
from hadaropt.policies import PrimalDual
from hadaropt.testing import assert_price_conforms
from hadaropt.utility import Table


def one_round(c, *jobs, rounds=1):
    """One node of c GPUs; each job is (gang, value)."""
    cluster = hadaropt.Cluster.of({"n": {"A": c}})
    own = [
        hadaropt.Job(f"j{i}", 0, gang, gang, {"A": gang}, Table((value,) * rounds))
        for i, (gang, value) in enumerate(jobs)
    ]
    return hadaropt.Instance(cluster, own, rounds, 1)


@pytest.mark.parametrize("n", [1, 2, 64, 256])
@pytest.mark.parametrize("spread", [1, Fraction(3, 2), 100, 10**6])
def test_the_prices_cover_all_values_at_the_cost_of_alpha(spread, n):
    found = random_price(Fraction(2), 2 * Fraction(spread), n)
    assert sum(found.probabilities) == 1
    for v in (2, 2 * Fraction(spread), *found.prices[1:5]):
        if v <= 2 * spread:
            below = zip(found.prices, found.probabilities, strict=True)
            covered = sum(q * max(p, 2) for p, q in below if p < v)
            assert covered * found.alpha >= v
    assert found.alpha >= 1 + log(spread) - 1e-6
    if n == 256:
        assert found.alpha <= 1 + log(spread) * (1 + log(spread) / n) + 1e-2


@pytest.mark.parametrize(("low", "high"), [(0, 1), (2, 1), (-1, 1)])
def test_values_must_be_a_range(low, high):
    with pytest.raises(InstanceError, match="low"):
        random_price(Fraction(low), Fraction(high))


def test_it_keeps_half_a_chance_for_what_no_deterministic_rule_can_have():
    """A gang of 1 worth 1, then one of 4 worth 400, on four GPUs: who takes the first loses."""
    instance = one_round(4, (1, 1), (4, 400))
    found = expected_run(instance)
    assert hadaropt.run_online(instance, PrimalDual()).value == 1
    assert found.value > 300
    assert found.constant * found.value >= 400
    assert 4 * (1 + log(100)) * 0.95 < found.constant < 4 * (1 + log(100)) * 1.05


offers = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 60)), min_size=1, max_size=6)


@given(offers, st.integers(4, 6), st.sampled_from([1, 3, 16]))
@settings(deadline=None, max_examples=15)
def test_t13_bounds_the_optimum(drawn, c, levels):
    instance = one_round(c, *drawn)
    found = expected_run(instance, levels)
    best = [Fraction(0)] * (c + 1)
    for gang, value in drawn:
        for room in range(c, gang - 1, -1):
            best[room] = max(best[room], best[room - gang] + value)
    assert found.constant is not None
    assert best[c] <= found.constant * found.value


def test_no_constant_with_several_resources_or_nothing_to_gain():
    found = expected_run(one_round(2, (1, 5), rounds=2))
    assert found.constant is None and "2 resources" in found.absent
    assert expected_run(one_round(2, (1, 0))).constant == 1


def test_it_is_a_price_function_and_a_run_of_it_has_no_theorem():
    instance = one_round(4, (1, 1), (4, 400))
    assert_price_conforms(RandomThreshold(3), instance)
    values = {s: hadaropt.run_online(instance, PrimalDual(RandomThreshold(s))) for s in range(12)}
    assert {run.value for run in values.values()} == {1, 400}
    assert all("(F) fails" in run.theorem_absent for run in values.values() if run.theorem is None)
    assert hadaropt.run_online(instance, PrimalDual(RandomThreshold(3))).value == values[3].value
    with pytest.raises(InstanceError, match="seed"):
        RandomThreshold(-1)


@pytest.mark.parametrize(("c", "n"), [(1, 8), (3, 6)])
def test_t13_a_staircase_drives_single_units_to_the_constant(c, n):
    """c units just above each price: each price sells all at its own level, the optimum at U."""
    prices = random_price(Fraction(1), Fraction(100), n).prices
    above = [p * Fraction(1001, 1000) for p in prices[1:]]
    values = [Fraction(1), *above, Fraction(100)]
    found = expected_run(one_round(c, *((1, v) for v in values for _ in range(c))), n)
    ratio = c * 100 / found.value
    assert found.constant * Fraction(99, 100) <= ratio <= found.constant
