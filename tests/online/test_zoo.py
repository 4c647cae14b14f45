"""Each price function: its theorem is reached, and its bound holds."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hadaropt
from hadaropt.errors import InstanceError
from hadaropt.generate import generate
from hadaropt.online.prices.threshold import optimal_alpha
from hadaropt.policies import PRICE_NAMES, PrimalDual
from hadaropt.utility import Table

IDS = {
    "zero_start": "T7",
    "exponential": "T5",
    "exponential_paper": "T5",
    "last_unit": "T8",
    "telescoped": "T8",
    "threshold": "T9",
    "linear": "T4",
    "step": "T11",
    "mixed_threshold": "T14",
}


def one_resource(gpus, values, gang=1):
    """One round, one type: every schedule holds ``gang`` units of one resource."""
    cluster = hadaropt.Cluster.of({"n": {"V100": gpus}})
    jobs = [
        hadaropt.Job(f"j{i}", 0, gang, 1, {"V100": 1}, Table((value,)))
        for i, value in enumerate(values)
    ]
    return hadaropt.Instance(cluster, jobs, 1, 1)


@pytest.mark.parametrize("price", PRICE_NAMES)
@given(st.integers(1, 4), st.lists(st.integers(1, 60), min_size=1, max_size=9))
@settings(deadline=None, max_examples=60)
def test_with_unit_demand_on_one_resource_every_price_has_its_theorem(price, gpus, values):
    run = hadaropt.run_online(one_resource(gpus, values), PrimalDual(price))
    optimum = sum(sorted(values)[-gpus:])
    assert run.theorem is not None, run.theorem_absent
    assert run.theorem.id == IDS[price]
    assert optimum <= run.theorem.constant * run.value + run.theorem.additive
    assert run.value <= optimum <= run.bound


@pytest.mark.parametrize("price", [p for p in PRICE_NAMES if p not in ("threshold",)])
@given(st.integers(2, 6), st.integers(2, 3), st.lists(st.integers(1, 60), min_size=1, max_size=8))
@settings(deadline=None, max_examples=40)
def test_with_bundles_the_repaired_prices_keep_their_theorem(price, gpus, gang, values):
    gang = min(gang, gpus)
    run = hadaropt.run_online(one_resource(gpus, values, gang), PrimalDual(price))
    optimum = sum(sorted(values)[-(gpus // gang) :])
    assert run.value <= optimum <= run.bound
    if price == "exponential_paper":
        return
    assert run.theorem is not None, run.theorem_absent
    assert optimum <= run.theorem.constant * run.value + run.theorem.additive


def test_threshold_is_optimal_for_the_known_closed_forms():
    """alpha*_1 = U/L; alpha*_2(x) = sqrt(1 + 4 x) - 1 for x >= 2 (theorem T9)."""
    import math

    assert optimal_alpha(1, math.log(7)) == pytest.approx(7)
    assert optimal_alpha(2, math.log(9)) == pytest.approx(math.sqrt(37) - 1)


def test_threshold_has_no_theorem_on_two_resources():
    cluster = hadaropt.Cluster.of({"n": {"V100": 1, "P100": 1}})
    job = hadaropt.Job("a", 0, 1, 1, {"V100": 1, "P100": 1}, Table((5,)))
    run = hadaropt.run_online(hadaropt.Instance(cluster, [job], 1, 1), PrimalDual("threshold"))
    assert run.theorem is None
    assert "one resource" in run.theorem_absent


def test_closed_form_and_constant_agree_where_the_table_is_fine():
    run = hadaropt.run_online(one_resource(4, [1, 5, 20, 100]), PrimalDual("zero_start"))
    assert run.theorem is not None
    assert float(run.theorem.constant) == pytest.approx(run.theorem.closed_form, rel=1e-6)


@given(st.integers(1, 8), st.integers(1, 4), st.lists(st.integers(1, 200), min_size=1, max_size=6))
@settings(deadline=None, max_examples=60)
def test_the_step_price_promises_no_more_than_zero_start(gpus, gang, values):
    """T11: no table from 0 allowed by (I) grows faster, so its constant is never larger."""
    instance = one_resource(gpus, values, min(gang, gpus))
    step, zero = (hadaropt.run_online(instance, PrimalDual(p)) for p in ("step", "zero_start"))
    assert step.theorem is not None
    assert zero.theorem is not None
    assert step.theorem.closed_form <= zero.theorem.closed_form * 1.01
    assert float(step.theorem.constant) <= step.theorem.closed_form * (1 + 1e-6)


def test_bundle_charges_refuse_pooled_prices_where_nodes_matter():
    cluster = hadaropt.Cluster.of({"a": {"V100": 1}, "b": {"V100": 1}})
    job = hadaropt.Job("a", 0, 2, 1, {"V100": 2}, Table((5,)), spread_factor=Fraction(1, 2))
    instance = hadaropt.Instance(cluster, [job], 1, 1)
    with pytest.raises(InstanceError, match=r'pool = "type", must be node'):
        hadaropt.run_online(instance, PrimalDual("last_unit", pool="type"))
    assert hadaropt.run_online(instance, PrimalDual("last_unit")).value == 5


def test_an_unknown_price_names_the_nearest():
    with pytest.raises(InstanceError, match=r'did you mean "zero_start"\?'):
        PrimalDual("zerostart")


@pytest.mark.parametrize("price", PRICE_NAMES)
@pytest.mark.parametrize("wrong", [{"m": "1/2"}, {"m": 10}, {"U": "1/2"}, {"L": 10}])
def test_wrong_foreknowledge_changes_prices_and_never_what_fits(price, wrong):
    """A gang larger than the bundle that was told is still charged and placed whole."""
    instance = one_resource(8, [3, 40, 40, 90], gang=4)
    run = hadaropt.run_online(instance, PrimalDual(price, **wrong))
    assert run.value <= 130 <= run.bound
    if run.theorem is not None:
        assert run.theorem.constant * run.value + run.theorem.additive >= 130


@pytest.mark.parametrize("price", ["last_unit", "telescoped"])
def test_charges_beyond_the_largest_bundle_fit_64_bits(price):
    """Copies make bundles of 4 possible on one node; on the others k(g + 3) is astronomical."""
    drawn = generate("small_uniform", seed=5, num_jobs=12, num_rounds=12)
    run = hadaropt.run_online(drawn.with_parallelism("forked"), PrimalDual(price))
    assert run.theorem is not None
    assert 0 < run.value <= run.bound
