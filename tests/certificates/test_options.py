"""What a job can do in a round, as the verifier sees it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import Cluster, Instance, Job, certify, testing, verify
from hadaropt.certificates import (
    options,
)
from hadaropt.certificates.options import ExactPrices, OptionTable, fill_cost
from hadaropt.certificates.payoffs import max_payoffs
from hadaropt.errors import CertificateError
from hadaropt.utility import Linear, Table


@st.composite
def fills(draw: st.DrawFn) -> tuple[list[list[int]], list[int], int]:
    places = draw(st.integers(1, 4))
    row = st.lists(st.integers(0, 9), min_size=places, max_size=places)
    return draw(st.lists(row, min_size=1, max_size=3)), draw(row), draw(st.integers(1, 12))


@given(fills())
@settings(max_examples=200, deadline=None)
def test_filling_takes_the_cheapest_gpus(case: tuple[list[list[int]], list[int], int]) -> None:
    prices, capacity, gang = case
    found = fill_cost(np.array(prices), capacity, gang)
    if sum(capacity) < gang:
        assert found is None
        return
    assert found is not None
    for row, cost in zip(prices, found.tolist(), strict=True):
        units = sorted(k for k, c in zip(row, capacity, strict=True) for _ in range(c))
        assert cost == sum(units[:gang])


@given(testing.instances(), st.data())
@settings(max_examples=60, deadline=None)
def test_the_relaxation_of_copies_is_never_too_dear(
    instance: Instance, data: st.DataObject
) -> None:
    instance = instance.with_parallelism("forked")
    by_node = data.draw(st.booleans())
    prices = data.draw(testing.price_tables(instance, "node" if by_node else "type"))
    exact_prices = ExactPrices.of(
        instance,
        {tuple(int(i) for i in place): prices.price(*place) for place in np.argwhere(prices.units)},
        by_node=by_node,
    )
    exact = max_payoffs(instance, exact_prices)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(options, "MAX_COPY_STATES", 0)
        relaxed = max_payoffs(instance, exact_prices)
    for safe, true in zip(relaxed.upper, exact.upper, strict=True):
        assert safe >= true


def options_of(instance: Instance, prices: Any, by_node: bool = False) -> dict[int, list[int]]:
    made = OptionTable(instance, ExactPrices.of(instance, prices, by_node=by_node)).options(0)
    columns = {p: made.cost[:, k].tolist() for k, p in enumerate(made.progress)}
    assert list(columns) == sorted(columns, reverse=True)
    return columns


def copying(most: int | None, **changes: Any) -> Instance:
    """One V100 and two P100, each on a node of its own; three times as fast on the V100."""
    cluster = Cluster.of({"n0": {"V100": 1}, "n1": {"P100": 1}, "n2": {"P100": 1}})
    job = Job("a", 0, 1, 9, {"V100": 3, "P100": 1}, Linear(20, 1), 1, most)
    return Instance(cluster, (job,), 2, 1, "forked", **changes)


COPY_PRICES = {(0, 0): Fraction(5), (0, 1): Fraction(2), (1, 0): Fraction(1)}
COPY_NODE_PRICES = {(0, 0, 0): Fraction(5), (0, 1, 1): Fraction(2), (0, 2, 1): Fraction(4)}


@pytest.mark.parametrize(
    ("most", "exact", "relaxed"),
    [
        (1, {3: [5, 1], 1: [2, 0]}, {3: [5, 1], 1: [2, 0]}),
        (2, {4: [7, 1], 3: [5, 1], 2: [4, 0], 1: [2, 0]}, {6: [4, 0], 3: [5, 1], 1: [2, 0]}),
        (
            None,
            {5: [9, 1], 4: [7, 1], 3: [5, 1], 2: [4, 0], 1: [2, 0]},
            {9: [6, 0], 6: [4, 0], 3: [5, 1], 1: [2, 0]},
        ),
    ],
)
def test_options_of_copies(
    most: int | None,
    exact: dict[int, list[int]],
    relaxed: dict[int, list[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Three copies at the lowest level make 3 as well, for 9 or 1: never cheaper than one V100.
    assert options_of(copying(most), COPY_PRICES) == exact
    monkeypatch.setattr(options, "MAX_COPY_STATES", 0)
    assert options_of(copying(most), COPY_PRICES) == relaxed


def test_options_of_copies_at_prices_of_nodes() -> None:
    found = options_of(copying(2), COPY_NODE_PRICES, by_node=True)
    assert found == {4: [7, 0], 3: [5, 0], 2: [6, 0], 1: [2, 0]}


def test_copies_lose_their_consolidation() -> None:
    found = options_of(copying(2, consolidation_seconds=Fraction(1, 2)), COPY_PRICES)
    assert found == {3: [5, 1], 1: [2, 0]}  # a copy makes 3/2 or 1/2 iterations: 1 or none
    slower = options_of(copying(2, consolidation_seconds=Fraction(1, 3)), COPY_PRICES)
    assert slower == {3: [5, 1], 1: [2, 0]}


def test_the_most_states_of_copies_are_still_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    found = options_of(copying(2), COPY_PRICES)
    for limit in range(12):
        monkeypatch.setattr(options, "MAX_COPY_STATES", limit)
        if options_of(copying(2), COPY_PRICES) == found:
            break
    # Of none, one (3, 1) and two copies (4, 2): the V100 is there once.
    assert limit == 5, "the states of two copies on three nodes at two levels are counted"


def many_types() -> Instance:
    """Eighteen nodes of five speeds: copies on all of them make 54 iterations, not 90."""
    types = ["A", "B", "C", "D", "E"]
    nodes = {f"n{h}": {types[h % 5]: 1} for h in range(18)}
    job = Job("a", 0, 1, 90, dict(zip(types, (1, 2, 3, 4, 5), strict=True)), Table((100,)))
    return Instance(Cluster.of(nodes, types), (job,), 1, 1, "forked")


def test_copies_at_many_levels_are_counted_exactly() -> None:
    instance = many_types()
    prices = {(0, r): Fraction(1) for r in range(5)}
    made = certify(instance, prices)
    assert (made.upper_payoffs, made.slack) == ({}, 0)
    assert verify(instance, made).bound == 18


@pytest.mark.parametrize("by_node", [False, True])
def test_a_slack_of_relaxed_copies_is_true(by_node: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where copies may use a node twice the payoff is no maximum, and no slack of 0 is accepted."""
    instance = many_types()
    prices = {
        (0, h, r) if by_node else (0, r): Fraction(1) for h in range(18 if by_node else 1)
        for r in range(5)
    }  # fmt: skip
    monkeypatch.setattr(options, "MAX_COPY_STATES", 50)
    made = certify(instance, prices)
    assert (made.upper_payoffs, made.slack) == ({"a": 82}, 82)
    assert verify(instance, made).slack == 82
    with pytest.raises(CertificateError, match="slack = 0, must be at least 82"):
        verify(instance, replace(made, slack=Fraction(0)))


def spreading(parallelism: str, spread: str = "1/2") -> Instance:
    """Gangs of two on nodes of one V100 and one P100, or of two P100."""
    cluster = Cluster.of({"n0": {"V100": 1, "P100": 1}, "n1": {"V100": 1}, "n2": {"P100": 2}})
    job = Job("a", 0, 2, 9, {"V100": 8, "P100": 4}, Linear(20, 1), spread)
    return Instance(cluster, (job,), 1, 1, parallelism)


@pytest.mark.parametrize(
    ("parallelism", "spread", "found"),
    [
        # V100: only spread. P100: spread or on n2.
        ("single_type", "1/2", {4: [4], 2: [4]}),
        ("single_type", "1", {8: [10], 4: [4]}),
        # Mixed on n0 costs 7; spread over the cheapest costs 4 at the lowest level.
        ("mixed", "1/2", {4: [4], 2: [4]}),
        ("mixed", "1", {8: [10], 4: [4]}),
    ],
)
def test_options_of_gangs_in_and_over_nodes(
    parallelism: str, spread: str, found: dict[int, list[int]]
) -> None:
    prices = {(0, 0): Fraction(5), (0, 1): Fraction(2)}
    assert options_of(spreading(parallelism, spread), prices) == found
    dear = {(0, 0, 0): Fraction(5), (0, 0, 1): Fraction(1), (0, 2, 1): Fraction(9)}
    by_node = options_of(spreading(parallelism, spread), dear, by_node=True)
    expected = {
        ("single_type", "1/2"): {4: [5], 2: [10]},
        ("single_type", "1"): {8: [5], 4: [10]},
        # Mixed: n1's free V100 and n0's cheap P100; inside a node n0 for 6.
        ("mixed", "1/2"): {4: [5], 2: [1]},
        ("mixed", "1"): {8: [5], 4: [1]},
    }[parallelism, spread]
    assert by_node == expected


def test_equal_nodes_at_different_prices_are_different() -> None:
    cluster = Cluster.of({"dear": {"V100": 2}, "cheap": {"V100": 2}})
    job = Job("a", 0, 2, 9, {"V100": 8}, Linear(20, 1), "1/2")
    instance = Instance(cluster, (job,), 1, 1)
    prices = {(0, 0, 0): Fraction(7), (0, 1, 0): Fraction(3)}
    assert options_of(instance, prices, by_node=True) == {8: [6], 4: [6]}


@pytest.mark.parametrize("parallelism", ["single_type", "mixed", "forked"])
def test_a_level_that_does_not_fit_hides_no_other(parallelism: str) -> None:
    cluster = Cluster.of({"n0": {"V100": 1}, "n1": {"P100": 3}})
    job = Job("a", 0, 2, 9, {"V100": 4, "P100": 2}, Linear(20, 1))
    instance = Instance(cluster, (job,), 1, 1, parallelism)
    prices = {(0, 0): Fraction(1), (0, 1): Fraction(5)}
    assert options_of(instance, prices) == {2: [10 if parallelism == "single_type" else 6]}


def test_all_pairs_of_copies_are_found_whatever_the_order_of_nodes() -> None:
    types = ("K80", "K80", "V100", "V100")
    cluster = Cluster.of({f"n{h}": {r: 1} for h, r in enumerate(types)}, ["V100", "K80"])
    job = Job("a", 0, 1, 9, {"V100": 3, "K80": 1}, Linear(20, 1), 1, 2)
    instance = Instance(cluster, (job,), 1, 1, "forked")
    prices = {(0, 0): Fraction(5), (0, 1): Fraction(2)}
    found = {6: [10], 4: [7], 3: [5], 2: [4], 1: [2]}
    assert options_of(instance, prices) == found
    backwards = Cluster.of({f"n{h}": {r: 1} for h, r in enumerate(types[::-1])}, ["V100", "K80"])
    assert options_of(replace(instance, cluster=backwards), prices) == found


def test_one_copy_is_a_gang_and_loses_nothing() -> None:
    cluster = Cluster.of({"n0": {"V100": 1}, "n1": {"V100": 1}})
    job = Job("a", 0, 1, 9, {"V100": 3}, Linear(20, 1))
    instance = Instance(cluster, (job,), 1, 1, "forked", Fraction(1, 3))
    assert options_of(instance, {(0, 0): Fraction(5)}) == {4: [10], 3: [5]}


def test_copies_where_some_nodes_hold_none() -> None:
    cluster = Cluster.of({"none": {"K80": 1}, "n1": {"V100": 1}, "no": {}, "n2": {"V100": 1}})
    job = Job("a", 0, 1, 9, {"V100": 2}, Linear(20, 1))
    instance = Instance(cluster, (job,), 1, 1, "forked")
    assert options_of(instance, {(0, 1): Fraction(3)}) == {4: [6], 2: [3]}
