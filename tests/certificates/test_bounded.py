"""What a job can do on bounded GPUs, against every allocation of the brute-force oracle."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import Cluster, Instance, Job
from hadaropt.certificates.bounded import bounded_allocations
from hadaropt.certificates.options import ExactPrices, OptionTable
from hadaropt.io import instance_from_document
from hadaropt.utility import Linear
from tests import oracle
from tests.certificates.test_payoffs import indexed
from tests.instances_strategy import prices, tiny_instances

Bounds = dict[tuple[int, ...], tuple[int, int]]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, Any, bool, Bounds]:
    document = draw(tiny_instances(min_jobs=1, max_jobs=1, max_rounds=1))
    by_node = draw(st.booleans())
    r = st.integers(0, len(document["accelerators"]) - 1)
    h = st.integers(0, len(document["nodes"]) - 1)
    pair = st.tuples(st.integers(0, 2), st.integers(0, 3))
    bounds = draw(st.dictionaries(st.tuples(h, r) if by_node else st.tuples(r), pair, max_size=2))
    bounds = {place: (low, low + more) for place, (low, more) in bounds.items()}
    return document, draw(prices(document, by_node)), by_node, bounds


@given(cases())
@settings(max_examples=400, deadline=None)
def test_bounded_allocations_cost_what_the_oracle_says(
    case: tuple[Any, Any, bool, Bounds],
) -> None:
    document, by_name, by_node, bounds = case
    instance, job = instance_from_document(document), document["jobs"][0]
    exact = ExactPrices.of(instance, indexed(instance, by_name), by_node=by_node)
    found = [
        (gain, Fraction(cost, exact.scale))
        for gain, cost, _ in bounded_allocations(OptionTable(instance, exact), 0, 0, bounds)
        if gain > 0
    ]
    types = {name: r for r, name in enumerate(document["accelerators"])}
    nodes = {node["name"]: h for h, node in enumerate(document["nodes"])}

    def obeys(option: oracle.Option) -> bool:
        for place, (low, high) in bounds.items():
            held = sum(
                n
                for (node, kind), n in option.use
                if types[kind] == place[-1] and (not by_node or nodes[node] == place[0])
            )
            if not low <= held <= high:
                return False
        return True

    true = [
        (o.progress, oracle.option_cost(o, 0, by_name))
        for o in oracle.round_options(document, job)
        if o.progress > 0 and obeys(o)
    ]
    for gain, cost in true:  # the very progress is there, no dearer
        assert any(g == gain and c <= cost for g, c in found)
    if by_node or instance.max_copies(0) == 1:
        for gain, cost in found:  # and nothing is cheaper than it can be
            assert any(g >= gain and c <= cost for g, c in true)


def ways(
    bounds: Bounds, *, by_node: bool = True, copies: int = 3, lost: Fraction = Fraction(0)
) -> list[tuple[int, int, tuple[int, ...] | None]]:
    """One V100 on n0, a V100 and a P100 on n1, two P100 on n2; prices 5 and 2, 3 and 1, 7."""
    cluster = Cluster.of(
        {"n0": {"V100": 1}, "n1": {"V100": 1, "P100": 1}, "n2": {"P100": 2}}, ["V100", "P100"]
    )
    job = Job("a", 0, 1, 9, {"V100": 3, "P100": 1}, Linear(20, 1), 1, copies)
    instance = Instance(cluster, (job,), 1, 1, "forked", lost)
    if by_node:
        places = {(0, 0, 0): 5, (0, 1, 0): 3, (0, 1, 1): 1, (0, 2, 1): 7}
    else:
        places = {(0, 0): 5, (0, 1): 2}
    prices = {place: Fraction(k) for place, k in places.items()}
    table = OptionTable(instance, ExactPrices.of(instance, prices, by_node=by_node))
    return sorted(bounded_allocations(table, 0, 0, bounds), key=str)


def best(found: list[tuple[int, int, tuple[int, ...] | None]]) -> dict[int, int]:
    costs: dict[int, int] = {}
    for gain, cost, _ in found:
        costs[gain] = min(cost, costs.get(gain, cost))
    return costs


@pytest.mark.parametrize(
    ("bounds", "copies", "found"),
    [
        ({}, 1, {3: 3, 1: 1}),
        ({}, 2, {6: 8, 4: 6, 3: 3, 2: 8, 1: 1}),
        ({}, 3, {7: 15, 6: 8, 5: 13, 4: 6, 3: 3, 2: 8, 1: 1}),
        ({(2, 1): (1, 9)}, 2, {4: 10, 2: 8, 1: 7}),
        ({(2, 1): (1, 9)}, 1, {1: 7}),
        ({(2, 1): (2, 9)}, 3, {}),
        ({(2, 1): (0, 2)}, 2, {6: 8, 4: 6, 3: 3, 2: 8, 1: 1}),
        ({(1, 0): (0, 0)}, 2, {4: 6, 3: 5, 2: 8, 1: 1}),
        ({(1, 0): (1, 1), (0, 0): (1, 1)}, 2, {6: 8, 4: 8}),
        ({(0, 0): (0, 0), (1, 0): (0, 0), (1, 1): (0, 0)}, 3, {1: 7}),
    ],
)
def test_copies_on_bounded_nodes(bounds: Bounds, copies: int, found: dict[int, int]) -> None:
    assert best(ways(bounds, copies=copies)) == found


def test_all_pairs_of_copies_are_found_whatever_the_order_of_nodes() -> None:
    kinds = ("K80", "K80", "V100", "V100")
    for order in (kinds, kinds[::-1]):
        cluster = Cluster.of({f"n{h}": {r: 1} for h, r in enumerate(order)}, ["V100", "K80"])
        job = Job("a", 0, 1, 9, {"V100": 3, "K80": 1}, Linear(20, 1), 1, 2)
        instance = Instance(cluster, (job,), 1, 1, "forked")
        prices = {(0, 0): Fraction(5), (0, 1): Fraction(2)}
        table = OptionTable(instance, ExactPrices.of(instance, prices, by_node=False))
        found = best(list(bounded_allocations(table, 0, 0, {})))
        assert found == {6: 10, 4: 7, 3: 5, 2: 4, 1: 2}


def test_levels_are_named_and_copies_are_not() -> None:
    assert {level for _, _, level in ways({}, copies=1)} == {(0,), (0, 1)}
    assert {level for gain, _, level in ways({}, copies=3) if gain > 3} == {None}


def test_copies_lose_their_consolidation() -> None:
    # A copy on a V100 makes 2, on a P100 nothing; one gang loses nothing.
    assert best(ways({}, lost=Fraction(1, 3))) == {4: 8, 3: 3, 1: 1}


def test_bounds_on_types_bind_gangs_and_leave_copies_free() -> None:
    found = ways({(0,): (1, 1)}, by_node=False, copies=1)
    assert best(found) == {3: 5, 1: 5}
    free = best(ways({(0,): (1, 1)}, by_node=False, copies=2))
    assert free == {6: 10, 4: 7, 3: 5, 2: 4, 1: 5}


def test_a_gang_pays_what_it_must_hold_before_what_is_cheap() -> None:
    cluster = Cluster.of({"n0": {"V100": 2, "P100": 3}})
    job = Job("a", 0, 3, 9, {"V100": 3, "P100": 1}, Linear(20, 1))
    instance = Instance(cluster, (job,), 1, 1)
    prices = {(0, 0): Fraction(5), (0, 1): Fraction(2)}
    table = OptionTable(instance, ExactPrices.of(instance, prices, by_node=False))
    for bounds, cost in (
        ({}, 6),
        ({(0,): (1, 9)}, 9),
        ({(0,): (2, 2)}, 12),
        ({(1,): (0, 1)}, 12),
        ({(1,): (0, 0)}, None),
        ({(0,): (2, 2), (1,): (2, 9)}, None),
        ({(0,): (3, 9)}, None),
        ({(0,): (0, 0)}, 6),
    ):
        found = best(list(bounded_allocations(table, 0, 0, bounds)))
        assert found.get(1) == cost, bounds
