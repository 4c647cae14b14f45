"""The maximum payoffs of certificates against the brute-force oracle, exactly."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.certificates import covering
from hadaropt.certificates.options import ExactPrices
from hadaropt.certificates.payoffs import max_payoffs
from hadaropt.io import instance_from_document
from tests import oracle
from tests.instances_strategy import prices, tiny_instances


@st.composite
def priced(draw):
    document = draw(tiny_instances())
    by_node = draw(st.booleans())
    return document, draw(prices(document, by_node)), by_node


def indexed(instance, by_name):
    types = {name: r for r, name in enumerate(instance.cluster.accelerators)}
    nodes = {name: h for h, name in enumerate(instance.cluster.nodes)}
    return {
        (place[0], *((nodes[place[1]],) if len(place) == 3 else ()), types[place[-1]]): Fraction(k)
        for place, k in by_name.items()
    }


def payoffs(document, by_name, by_node, **options):
    instance = instance_from_document(document)
    exact = ExactPrices.of(instance, indexed(instance, by_name), by_node=by_node)
    return max_payoffs(instance, exact, **options)


@given(priced())
@settings(deadline=None, max_examples=150)
def test_maximum_payoffs_equal_the_oracle(case):
    document, by_name, by_node = case
    found = payoffs(document, by_name, by_node)
    for j in range(len(document["jobs"])):
        truth = oracle.max_payoff(document, j, by_name)
        assert found.lower[j] <= truth <= found.upper[j]
        assert found.lower[j] == found.upper[j]


@given(priced())
@settings(deadline=None, max_examples=60)
def test_bound_is_above_the_optimum(case):
    document, by_name, by_node = case
    assert payoffs(document, by_name, by_node).bound >= oracle.optimum(document)[0]


@pytest.mark.parametrize("limits", [(0, 4000), (0, 1)])
@given(case=priced())
@settings(deadline=None, max_examples=60)
def test_labels_are_exact_and_the_relaxation_is_never_too_low(limits, case):
    document, by_name, by_node = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covering, "MAX_TABLE_UNITS", limits[0])
        patch.setattr(covering, "MAX_LABELS", limits[1])
        patch.setattr(covering, "RELAXED_UNITS", 3)
        found = payoffs(document, by_name, by_node)
    for j in range(len(document["jobs"])):
        truth = oracle.max_payoff(document, j, by_name)
        assert found.lower[j] <= truth <= found.upper[j]
        if limits[1] > 1:
            assert found.lower[j] == found.upper[j]
