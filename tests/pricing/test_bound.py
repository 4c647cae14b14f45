"""D(k), the bound that any prices prove, against the oracle."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.pricing import dual_bound
from hadaropt.results import Prices
from tests import oracle
from tests.instances_strategy import prices as price_strategy
from tests.instances_strategy import tiny_instances
from tests.pricing.cases import SCALE, load, price_array


@st.composite
def priced_instances(draw, **knobs):
    document = draw(tiny_instances(**knobs))
    per_node = draw(st.booleans())
    return document, draw(price_strategy(document, per_node)), per_node


@settings(deadline=None, max_examples=60)
@given(priced_instances(max_jobs=3))
def test_the_bound_is_payoffs_and_capacity_as_the_oracle_has_them(case):
    """T2: weak duality at any prices, pooled or of nodes."""
    document, drawn, per_node = case
    pool = "node" if per_node else "type"
    prices = Prices(price_array(document, drawn, per_node), Fraction(SCALE), pool)
    found = dual_bound(load(document), prices)
    payoffs = tuple(oracle.max_payoff(document, j, drawn) for j in range(len(document["jobs"])))
    cost = sum(
        (
            count * sum((drawn[t, h, r] if per_node else drawn[t, r]) for t in rounds(document))
            for (h, r), count in oracle.capacity(document).items()
        ),
        Fraction(0),
    )
    assert found.exact
    assert (found.payoffs, found.capacity_cost) == (payoffs, cost)
    assert found.value == sum(payoffs, cost)


def rounds(document):
    return range(oracle.num_rounds(document))


@settings(deadline=None, max_examples=30)
@given(priced_instances(max_jobs=2))
def test_no_schedule_is_worth_more(case):
    document, drawn, per_node = case
    pool = "node" if per_node else "type"
    prices = Prices(price_array(document, drawn, per_node), Fraction(SCALE), pool)
    optimum, _ = oracle.optimum(document)
    assert optimum <= dual_bound(load(document), prices).value


@settings(deadline=None, max_examples=20)
@given(priced_instances(max_jobs=2))
def test_the_unit_of_prices_does_not_matter(case):
    document, drawn, per_node = case
    pool, units = ("node" if per_node else "type"), price_array(document, drawn, per_node)
    instance = load(document)
    fine = Prices(7 * units, Fraction(7 * SCALE), pool)
    assert dual_bound(instance, fine) == dual_bound(instance, Prices(units, Fraction(SCALE), pool))


def test_prices_are_not_changed_and_may_be_read_only(monkeypatch):
    document = {
        **{"format": "hadaropt-instance/1", "num_rounds": 2, "round_seconds": 1},
        "accelerators": ["A"],
        "nodes": [{"name": "n", "gpus": {"A": 3}}],
        "jobs": [],
    }
    units = np.full((2, 1), 5, np.int64)
    units.flags.writeable = False
    found = dual_bound(load(document), Prices(units, Fraction(2)))
    assert (found.value, found.capacity_cost, found.payoffs) == (15, 15, ())


@pytest.mark.parametrize("shape", [(3, 2), (4, 3), (4, 2, 1)])
def test_prices_of_another_shape_are_refused(shape):
    from hadaropt import Job
    from hadaropt.utility import Linear
    from tests.pricing.cases import instance_of

    instance = instance_of(Job("a", 0, 1, 4, {"A": 4}, Linear(9, 1)))
    with pytest.raises((ValueError, IndexError)):
        dual_bound(instance, Prices(np.zeros(shape, np.int64), Fraction(1)))
