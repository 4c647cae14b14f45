"""Pricing of one job against the enumerating oracle, in all three parallelism models."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hadaropt.instance import Instance, Job
from hadaropt.modes import is_pooled
from hadaropt.pricing import Pricer, least_costs, price_job
from hadaropt.utility import Linear, Step, Table
from tests import oracle
from tests.pricing.cases import (
    CLUSTER,
    SCALE,
    SETTINGS,
    instance_of,
    load,
    price_array,
    priced,
    verify,
)


@given(priced())
@SETTINGS
def test_payoff_is_the_maximum_over_all_schedules(case):
    document, drawn, per_node = case
    instance, prices = load(document), price_array(document, drawn, per_node)
    found = price_job(instance, 0, prices, scale=SCALE)
    assert found.exact and found.slack == 0
    assert found.payoff == oracle.max_payoff(document, 0, drawn)
    verify(instance, prices, found)
    if found.completion is not None:  # ties: no earlier completion has the same payoff
        for f, cost in enumerate(oracle.least_costs(document, 0, drawn)[: found.completion]):
            assert cost is None or instance.value(0, f) - cost < found.payoff


@given(priced(), st.data())
@SETTINGS
def test_remaining_capacity(case, data):
    document, drawn, per_node = case
    instance, prices = load(document), price_array(document, drawn, per_node)
    shape = (instance.num_rounds, len(instance.cluster.nodes), len(instance.cluster.accelerators))
    size = int(np.prod(shape))
    left = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    free = np.minimum(np.array(left, np.int64).reshape(shape), instance.cluster.capacity)
    names = {
        (t, node, r): int(free[t, h, k])
        for t in range(shape[0])
        for h, node in enumerate(instance.cluster.nodes)
        for k, r in enumerate(instance.cluster.accelerators)
    }
    found = price_job(instance, 0, prices, scale=SCALE, free=free)
    assert found.payoff == oracle.max_payoff(document, 0, drawn, names)
    verify(instance, prices, found)
    for choice in found.rounds:
        limit = free[choice.round]
        use = np.array(choice.use)
        assert (use <= (limit if use.ndim == 2 else limit.sum(axis=0))).all()


def test_ties_take_the_earliest_completion_then_the_fewest_gpu_rounds():
    job = Job("a", 0, 1, 4, {"A": 4, "B": 2}, Step(9, 4))
    prices = np.array([[4, 2], [4, 2], [4, 2], [4, 2]], np.int64)
    # One round of A (4) ties with two rounds of B (4) at round 1, but completes in round 0.
    found = price_job(instance_of(job), 0, prices, scale=1)
    assert (found.payoff, found.completion) == (5, 0)
    prices[0, 0] = 5
    found = price_job(instance_of(job), 0, prices, scale=1)
    assert (found.payoff, found.completion) == (5, 1)
    assert [(c.round, c.use) for c in found.rounds] == [(1, (1, 0))]
    # Rounds 2 and 3 of B cost 3.
    prices[:2], prices[3, 1] = 9, 1
    found = price_job(instance_of(job), 0, prices, scale=1)
    assert [(c.round, c.use) for c in found.rounds] == [(2, (0, 1)), (3, (0, 1))]


def test_fractions_of_a_price_unit_decide_exactly():
    # floor(U * scale) - cost is 2 in both rounds; 7/3 - 0 < 10/3 - 1 + 1/1000.
    utility = Table((Fraction(10, 3) + Fraction(1, 1000), Fraction(7, 3)))
    job = Job("a", 0, 1, 1, {"A": 1}, utility)
    prices = np.array([[1, 1], [0, 0]], np.int64)
    found = price_job(instance_of(job, 2), 0, prices, scale=1)
    assert (found.completion, found.payoff) == (0, Fraction(7, 3) + Fraction(1, 1000))
    tiny = Job("a", 0, 1, 1, {"A": 1}, Table((Fraction(1, 7),)))
    free_of_charge = np.zeros((1, 2), np.int64)
    assert price_job(instance_of(tiny, 1), 0, free_of_charge, scale=1).payoff == Fraction(1, 7)


def test_copies_lose_the_consolidation_time_and_floor_each():
    job = Job("a", 0, 2, 12, {"A": Fraction(13, 2), "B": 1}, Linear(10, 1), max_copies=2)
    instance = instance_of(job, parallelism="forked", consolidation_seconds=Fraction(1, 13))
    found = price_job(instance, 0, np.zeros((4, 2), np.int64), scale=1)
    assert found.completion == 0 and found.rounds[0].copies
    assert found.rounds[0].progress == 12  # two copies of floor(6.5 * 12 / 13)
    assert found.rounds[0].use == ((2, 0), (2, 0))


def test_thousands_of_iterations_per_round_stay_exact():
    job = Job("a", 0, 1, 100_003, {"A": Fraction(20011), "B": Fraction(7919)}, Linear(1000, 1))
    prices = np.arange(60, dtype=np.int64).reshape(30, 2) % 7
    instance = instance_of(job, 30)
    found = price_job(instance, 0, prices, scale=1)
    assert found.exact and sum(c.progress for c in found.rounds) >= 100_003
    fast, slow = Pricer(instance, 1), Pricer(instance, 1)
    assert slow.model(0).divisor == 1
    assert fast.least_costs(0, prices)[found.completion] == found.cost


def test_progress_is_divided_by_its_common_divisor():
    job = Job("a", 0, 1, 10_001, {"A": 6000, "B": 4500}, Linear(10, 1))
    model = Pricer(instance_of(job), 1).model(0)
    units = model.units(model.divisor, "exact")
    assert (model.divisor, units.need, list(units.gang)) == (1500, 7, [3, 4])
    # A type that completes the job in one round does not spoil the divisor.
    job = Job("a", 0, 1, 10_001, {"A": 6000, "B": 10_007}, Linear(10, 1))
    model = Pricer(instance_of(job), 1).model(0)
    units = model.units(model.divisor, "exact")
    assert (model.divisor, units.need, list(units.gang)) == (6000, 2, [1, 2])
    # Two such types stay in order, so that the faster one wins at equal cost.
    job = Job("a", 0, 1, 10_001, {"A": 20_000, "B": 10_007}, Linear(10, 1))
    model = Pricer(instance_of(job), 1).model(0)
    assert list(model.units(model.divisor, "exact").gang) == [1, 2]
    found = price_job(instance_of(job), 0, np.zeros((4, 2), np.int64), scale=1)
    assert found.rounds[0].use == (1, 0)


def test_what_would_overflow_is_refused():
    job = Job("a", 0, 1, 2, {"A": 1}, Step(10**12, 4))
    prices = np.zeros((4, 2), np.int64)
    assert price_job(instance_of(job), 0, prices, scale=1).payoff == 10**12
    with pytest.raises(
        OverflowError, match=r"jobs\[0\].*is too large for prices in units of 1/1000000000"
    ):
        price_job(instance_of(job), 0, prices, scale=10**9)
    prices[:] = 2**62
    assert price_job(instance_of(job), 0, prices, scale=1).payoff == 0
    with pytest.raises(OverflowError, match="prices up to 4611686018427387904"):
        least_costs(instance_of(job), 0, prices, scale=1)


def test_bad_arrays_are_refused():
    job = Job("a", 0, 1, 2, {"A": 1}, Step(1, 4))
    instance = instance_of(job)
    with pytest.raises(ValueError, match="prices has float64"):
        price_job(instance, 0, np.zeros((4, 2)), scale=1)
    with pytest.raises(ValueError, match=r"prices has -1, must be >= 0"):
        price_job(instance, 0, np.full((4, 2), -1), scale=1)
    with pytest.raises(ValueError, match="scale = 0"):
        price_job(instance, 0, np.zeros((4, 2), np.int64), scale=0)
    slowed = Job("a", 0, 2, 2, {"A": 1}, Step(1, 4), spread_factor=Fraction(1, 2))
    free = np.ones((4, 2), np.int64)
    with pytest.raises(ValueError, match=r"jobs\[0\] is not pooled"):
        price_job(instance_of(slowed), 0, free, scale=1, free=free)


def test_is_pooled():
    plain = Job("a", 0, 2, 2, {"A": 1}, Step(1, 4))
    slowed = Job("b", 0, 2, 2, {"A": 1}, Step(1, 4), spread_factor=Fraction(1, 2))
    alone = Job("c", 0, 1, 2, {"A": 1}, Step(1, 4), spread_factor=Fraction(1, 2))
    assert is_pooled(Instance(CLUSTER, (plain, alone), 4))
    assert not is_pooled(Instance(CLUSTER, (plain, slowed), 4))
    forked = Instance(CLUSTER, (plain,), 4, parallelism="forked")
    assert not is_pooled(forked)
    once = Job("a", 0, 2, 2, {"A": 1}, Step(1, 4), max_copies=1)
    assert is_pooled(Instance(CLUSTER, (once,), 4, parallelism="forked"))
