"""The compiled pass decides exactly what the job-by-job algorithm decides."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import testing
from hadaropt.generate import generate
from hadaropt.io import instance_from_document
from hadaropt.modes import is_pooled
from hadaropt.online.foreknowledge import compute_foreknowledge
from hadaropt.online.prices.registry import PRICES
from hadaropt.online.prices.rounding import round_tables
from hadaropt.online.primal_dual import commit_at_arrival, commit_one_by_one
from tests.instances_strategy import contended_instances

LINEAR = [name for name in PRICES if name not in ("last_unit", "telescoped")]


def equal(instance, price):
    known = compute_foreknowledge(instance, "type")
    tables = None
    if price is not None:
        tables = round_tables(price, known, PRICES[price].tables(known))
    fast = commit_at_arrival(instance, tables, "type", known.scale)
    slow = commit_one_by_one(instance, tables, "type", known.scale)
    assert (fast.prices.units == slow.prices.units).all()
    assert fast.schedule == slow.schedule
    assert (fast.completion, fast.payoffs, fast.slack) == (
        slow.completion,
        slow.payoffs,
        slow.slack,
    )


@given(
    contended_instances(parallelism="mixed", spreads=(1,), max_scale=1000),
    st.sampled_from([None, *LINEAR]),
)
@settings(deadline=None, max_examples=100)
def test_equal_on_contended_instances(document, price):
    instance = instance_from_document(document)
    assert is_pooled(instance)
    equal(instance, price)


@given(testing.instances(max_jobs=6, max_rounds=8, max_nodes=1), st.sampled_from([None, *LINEAR]))
@settings(deadline=None, max_examples=100)
def test_equal_on_one_node(instance, price):
    if is_pooled(instance):
        equal(instance, price)


@pytest.mark.parametrize("load", ["0.7", "1.3"])
@pytest.mark.parametrize("family", ["six_class", "measured_rates", "gavel_like", "philly_like"])
def test_equal_on_families(family, load):
    # Many types, needs of hundreds of units, sigmoids; without prices all charges tie.
    for seed, price in enumerate([None, *LINEAR]):
        instance = generate(family, seed=seed, num_jobs=30, num_rounds=30, load=load)
        assert is_pooled(instance)
        equal(instance, price)
