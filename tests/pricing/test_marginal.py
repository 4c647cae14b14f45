"""Prices of each further unit: against linear prices, and against enumeration."""

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.io import instance_from_document
from hadaropt.pricing import Pricer
from tests import oracle
from tests.instances_strategy import tiny_instances


@st.composite
def marginal_cases(draw):
    document = draw(tiny_instances(max_jobs=1, min_jobs=1))
    instance = instance_from_document(document)
    cluster = instance.cluster
    shape = (instance.num_rounds, len(cluster.nodes), len(cluster.accelerators), 4)
    steps = draw(st.lists(st.integers(0, 3), min_size=12, max_size=12))
    marginals = np.cumsum(np.resize(steps, shape), axis=-1, dtype=np.int64)
    return document, instance, marginals


def enumerate_best(document, instance, marginals):
    """max U - charge over all schedules of the only job, each round's charge by its units."""
    cluster = instance.cluster
    nodes = {name: h for h, name in enumerate(cluster.nodes)}
    types = {name: r for r, name in enumerate(cluster.accelerators)}
    best = Fraction(0)
    for schedule in oracle.job_schedules(document, 0):
        charge = 0
        for t, option in schedule.rounds:
            for (node, kind), count in option.use:
                charge += int(marginals[t, nodes[node], types[kind], :count].sum())
        best = max(best, schedule.value - charge)
    return best


@given(marginal_cases())
@settings(deadline=None, max_examples=150)
def test_marginal_prices_equal_enumeration(case):
    document, instance, marginals = case
    free = np.repeat(np.array(instance.cluster.capacity)[None], instance.num_rounds, axis=0)
    found = Pricer(instance, 1).price_marginal(0, marginals, free=free)
    assert found.payoff == enumerate_best(document, instance, marginals)


@given(marginal_cases())
@settings(deadline=None, max_examples=60)
def test_constant_marginals_are_linear_prices(case):
    _, instance, marginals = case
    linear = np.ascontiguousarray(marginals[..., 0])
    constant = np.repeat(linear[..., None], 4, axis=-1)
    free = np.repeat(np.array(instance.cluster.capacity)[None], instance.num_rounds, axis=0)
    pricer = Pricer(instance, 1)
    by_unit, by_price = pricer.price_marginal(0, constant, free=free), pricer.price(0, linear)
    assert (by_unit.payoff, by_unit.completion) == (by_price.payoff, by_price.completion)


def test_enumeration_sees_every_split():
    """The oracle's options hold all splits of a gang over two types, not only the cheap ones."""
    document = {
        "format": "hadaropt-instance/1",
        "round_seconds": 1,
        "num_rounds": 1,
        "accelerators": ["A", "B"],
        "nodes": [{"name": "n", "gpus": {"A": 2, "B": 2}}],
        "jobs": [
            {
                "name": "j",
                "release": 0,
                "gang_size": 2,
                "iterations": 1,
                "throughput": {"A": 1, "B": 1},
                "utility": {"kind": "table", "values": [9]},
            }
        ],
    }
    instance = instance_from_document(document)
    free = np.array([[2, 2]])
    for a, b in product(range(3), repeat=2):
        marginals = np.array([[[a, a + 3], [b, b + 1]]])
        found = Pricer(instance, 1).price_marginal(0, marginals, free=free)
        assert found.payoff == 9 - min(2 * a + 3, 2 * b + 1, a + b)
