"""What certificates prove: exact sums, safe relaxations, prices of any size, true files."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import Cluster, Instance, Job, Schedule, certify, solve, testing, verify
from hadaropt.certificates import (
    Verification,
    check,
    covering,
    options,
    read_certificate,
    write_certificate,
)
from hadaropt.certificates.covering import least_costs
from hadaropt.certificates.format import certificate_from_document, certificate_to_document
from hadaropt.certificates.options import ExactPrices, Options, OptionTable, fill_cost
from hadaropt.certificates.payoffs import Payoffs, max_payoffs
from hadaropt.errors import CertificateError, InvariantError
from hadaropt.io import instance_from_document
from hadaropt.utility import Linear, Table
from tests import oracle
from tests.certificates.samples import (
    NODE_PRICES,
    TYPE_PRICES,
    branched,
    crowd,
    one_by_one,
    pair,
    pair_schedule,
    true_documents,
    with_tree,
)
from tests.certificates.test_payoffs import indexed, payoffs, priced


@given(priced())
@settings(max_examples=80, deadline=None)
def test_certify_claims_exactly_what_the_oracle_says(case: Any) -> None:
    document, by_name, _ = case
    instance = instance_from_document(document)
    prices = indexed(instance, by_name)
    certificate = certify(instance, prices)
    truths = [oracle.max_payoff(document, j, by_name) for j in range(len(instance.jobs))]
    named = {job.name: m for job, m in zip(instance.jobs, truths, strict=True) if m}
    rent = sum(
        price
        * (
            instance.cluster.capacity[place[1]][place[2]]
            if len(place) == 3
            else instance.cluster.pooled_capacity[place[1]]
        )
        for place, price in prices.items()
    )
    assert certificate.upper_payoffs == named
    assert certificate.bound == sum(truths) + rent
    found = verify(instance, certificate)
    assert (found.bound, found.slack, found.level, found.value) == (certificate.bound, 0, "L1", 0)
    unit = instance.value_unit
    assert found.best_bound is not None and found.best_bound <= certificate.bound
    assert found.best_bound == unit * math.floor(certificate.bound / unit)


CROSSED = {(0, 1, 0): Fraction(1), (5, 0, 1): Fraction(1, 3)}
"""Prices on GPUs that the nodes do not have, to tell nodes from types."""


@pytest.mark.parametrize("prices", [TYPE_PRICES, NODE_PRICES, CROSSED, {}, {(0, 0): Fraction(0)}])
def test_files_round_trip(prices: Any, tmp_path: Any) -> None:
    instance, path = pair(), tmp_path / "c.json"
    certificate = certify(instance, prices, schedule=pair_schedule())
    write_certificate(certificate, path, instance)
    found = read_certificate(path, instance)
    assert replace(found, schedule=certificate.schedule) == certificate
    assert verify(instance, read_certificate(path, instance)) == verify(instance, certificate)
    document = certificate_to_document(instance, certificate)
    places = [(e["round"], e.get("node"), e["type"]) for e in document["prices"]]  # type: ignore[attr-defined]
    assert places == sorted(places, key=lambda place: place[0])
    assert ("node" in str(document["prices"])) == (prices in (NODE_PRICES, CROSSED))


def test_trees_round_trip(tmp_path: Any) -> None:
    instance, path = crowd(3, 2), tmp_path / "c.json"
    certificate = with_tree(instance, branched(), Fraction(14), one_by_one(0, 1, None))
    write_certificate(certificate, path, instance)
    found = read_certificate(path, instance)
    assert found.tree is not None and certificate.tree is not None
    assert verify(instance, found) == verify(instance, certificate)
    flat = certificate_to_document(instance, certify(instance, None))
    assert "tree" not in flat


def test_what_is_missing_in_a_file_has_its_meaning() -> None:
    instance = pair()
    from hadaropt.certificates.format import certificate_from_document

    full = certificate_to_document(instance, certify(instance, None, schedule=pair_schedule()))
    for name in ("pool", "prices", "upper_payoffs", "slack", "bound", "theorem"):
        del full[name]
    found = certificate_from_document(full, instance)
    assert (found.pool, found.prices, found.upper_payoffs) == ("type", {}, {})
    assert (found.slack, found.bound, found.theorem, found.tree) == (0, None, None, None)
    assert verify(instance, found) == Verification("L0", Fraction(253, 2), None, None)


def test_a_verification_says_what_is_proved() -> None:
    one = Fraction(1)
    assert Verification("L1", one, one, one).proved
    assert Verification("L1", one, Fraction(3, 2), one).proved
    assert not Verification("L1", one, 2 * one, 2 * one).proved
    assert not Verification("L0", one, None, None).proved
    assert Verification("L1", one, 2 * one, 2 * one).ratio == 2
    assert Verification("L0", one, None, None).ratio == math.inf
    assert Verification("L1", 0 * one, 0 * one, 0 * one).ratio == 1
    assert Verification("L1", 0 * one, one, one).slack is None


def test_a_bound_below_the_value_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = certify(pair(), TYPE_PRICES, schedule=pair_schedule())
    monkeypatch.setattr(check, "_check_bound", lambda *_: Payoffs((), (), Fraction(0)))
    monkeypatch.setattr(check, "_check_slack", lambda *_: Fraction(0))
    with pytest.raises(InvariantError, match="below the feasible value 253/2"):
        verify(pair(), replace(certificate, bound=Fraction(126)))
    equal = replace(certificate, bound=Fraction(253, 2))
    assert verify(pair(), equal).bound == Fraction(253, 2)
    with pytest.raises(CertificateError, match="bound, is missing"):
        verify(pair(), replace(certificate, bound=None))


def test_a_bound_that_is_missing_is_called_null() -> None:
    certificate = certify(pair(), TYPE_PRICES, schedule=pair_schedule())
    with pytest.raises(CertificateError, match="bound = null, must be 787/6"):
        verify(pair(), replace(certificate, bound=None))


def test_negative_prices_are_refused_even_without_a_file() -> None:
    certificate = certify(pair(), TYPE_PRICES)
    low = replace(certificate, prices={**certificate.prices, (1, 1): Fraction(-1, 7)})
    with pytest.raises(CertificateError, match=r"prices\[\(1, 1\)\] = -1/7, must be >= 0"):
        verify(pair(), low)


def test_a_price_of_zero_is_a_price() -> None:
    certificate = certify(pair(), TYPE_PRICES)
    zero = replace(certificate, prices={**certificate.prices, (1, 1): Fraction(0)})
    assert verify(pair(), zero) == verify(pair(), certificate)


@pytest.mark.parametrize(
    ("utilities", "unit", "bound", "lowered"),
    [
        ((4, "1/2"), "1/2", "7/2", "7/2"),
        ((4, "1/2"), "1/2", "10/3", "3"),
        ((4, "1/2"), "1/2", "0", "0"),
        ((4, "1/2"), "1/2", "359/100", "7/2"),
        ((9, 6), "3", "11", "9"),
        (("9/2", "6/5"), "3/10", "1", "9/10"),
        ((20, 0), "20", "39", "20"),
        ((0, 0), "1", "3/2", "1"),
    ],
)
def test_bounds_are_lowered_to_values_that_exist(
    utilities: tuple[int | str, ...], unit: str, bound: str, lowered: str
) -> None:
    job = Job("a", 0, 1, 1, {"V100": 1}, Table(utilities))
    instance = Instance(Cluster.of({"n": {"V100": 1}}), (job,), 2, 1)
    assert instance.value_unit == Fraction(unit)
    assert instance.round_down(Fraction(bound)) == Fraction(lowered)


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


@given(priced(), st.sampled_from((10**9, 10**18, 10**30)))
@settings(max_examples=60, deadline=None)
def test_prices_of_any_size_are_exact(case: Any, factor: int) -> None:
    """Values and prices times a factor: payoffs times the factor, in 64 bits or beyond."""
    document, by_name, by_node = case
    plain = payoffs(document, by_name, by_node)
    large = {**document, "jobs": []}
    for job in document["jobs"]:
        utility = {**job["utility"]}
        for field in ("peak", "decay", "scale", "weight"):
            if field in utility:
                utility[field] = str(oracle.number(utility[field]) * factor)
        if "values" in utility:
            utility["values"] = [str(oracle.number(v) * factor) for v in utility["values"]]
        large["jobs"].append({**job, "utility": utility})
    scaled = {place: Fraction(price) * factor for place, price in by_name.items()}
    found = payoffs(large, scaled, by_node)
    if all(job["utility"]["kind"] != "sigmoid" for job in document["jobs"]):
        assert found.upper == tuple(m * factor for m in plain.upper)
        assert found.bound == plain.bound * factor


def test_the_word_is_left_in_time() -> None:
    """64 bits hold sums below half of WORD, whatever the gang, the nodes, the rounds, the tolls."""

    def units(price: int, gang: int = 1, rounds: int = 1, nodes: int = 1, **more: Any) -> Any:
        cluster = Cluster.of({f"n{h}": {"V100": 1} for h in range(nodes)})
        job = Job("a", 0, gang, 1, {"V100": 1}, Linear(1, 1))
        instance = Instance(cluster, (job,), rounds, 1)
        return ExactPrices.of(instance, {(0, 0): Fraction(price)}, by_node=False, **more)

    half = options.WORD // 2
    assert units(half - 1).units.dtype == np.int64
    for large in (
        units(half),
        units(half // 3 + 1, gang=3),
        units(half // 3 + 1, rounds=3),
        units(half // 3 + 1, nodes=3),
        units(half - 1, tolls=[Fraction(1)]),
    ):
        assert large.units.dtype == object
        assert large.unavailable > 2 * half
    third = Fraction(half, 3)
    cluster = Cluster.of({"n": {"V100": 3}})
    wide = tuple(Job(f"j{g}", 0, g, 1, {"V100": 1}, Linear(1, 1)) for g in (1, 3))
    for price, jobs, tolls in (
        (third, wide[:1], ()),
        (Fraction(half // 3 + 1), wide, ()),
        (Fraction(1), wide, [third]),
    ):
        instance = Instance(cluster, jobs, 1, 1)
        made = ExactPrices.of(instance, {(0, 0): price}, by_node=False, tolls=tolls)
        assert made.units.dtype == object
    small = units(3, tolls=[Fraction(1, 7)])
    assert (small.scale, small.units[0, 0], small.unavailable) == (7, 21, options.WORD)


def brute_costs(
    progress: list[int], cost: np.ndarray, need: int, forced: set[int]
) -> list[int | None]:
    """Least cost of ``need`` by each round, by trying everything."""
    found: list[int | None] = []
    for last in range(len(cost)):
        best = None
        for choice in product(range(-1, len(progress)), repeat=last + 1):
            idle_where_forced = any(k < 0 and t in forced for t, k in enumerate(choice))
            made = sum(progress[k] for k in choice if k >= 0)
            if made >= need and not idle_where_forced:
                paid = sum(int(cost[t, k]) for t, k in enumerate(choice) if k >= 0)
                best = paid if best is None else min(best, paid)
        found.append(best)
    return found


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_least_costs_by_table_labels_and_relaxation(data: st.DataObject) -> None:
    rounds = data.draw(st.integers(1, 4))
    values = data.draw(st.sets(st.integers(1, 12), min_size=1, max_size=3))
    progress = tuple(sorted(values, reverse=True))
    never = 10**6
    entry = st.one_of(st.integers(0, 9), st.just(never))
    row = st.lists(entry, min_size=len(progress), max_size=len(progress))
    dtype = data.draw(st.sampled_from((np.int64, object)))
    cost = np.array(data.draw(st.lists(row, min_size=rounds, max_size=rounds)), dtype)
    needs = sorted(data.draw(st.sets(st.integers(1, 30), min_size=1, max_size=3)))
    forced = frozenset(data.draw(st.sets(st.integers(0, rounds - 1), max_size=2)))
    made = Options(progress, cost, never)
    truth = [
        [
            never if c is None or c >= never else c
            for c in brute_costs(list(progress), cost, need, set(forced))
        ]
        for need in needs
    ]

    def costs(table: int, labels: int, **more: Any) -> covering.Costs:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(covering, "MAX_TABLE_UNITS", table)
            patch.setattr(covering, "MAX_LABELS", labels)
            patch.setattr(covering, "RELAXED_UNITS", 4)
            return least_costs(made, 0, rounds - 1, needs, worth=None, forced=forced, **more)

    for table, labels in ((2000, 4000), (0, 4000)):
        found = costs(table, labels)
        assert found.exact
        assert np.minimum(found.cost.T, never).tolist() == truth
    assert not costs(0, 4000, exact=False).exact
    for found in (costs(0, 0), costs(0, 4000, exact=False)):
        for i in range(len(needs)):
            for below, true, above in zip(
                found.cost[:, i], truth[i], found.above[:, i], strict=True
            ):
                assert below <= true <= above


def test_least_costs_of_part_of_the_rounds_and_of_no_requirement() -> None:
    made = Options((2, 1), np.array([[1, 0], [5, 3], [9, 4], [1, 1]]), 10**6)
    found = least_costs(made, 1, 2, [1, 2, 3], worth=None)
    assert found.cost.tolist() == [[3, 5, 10**6], [3, 5, 9]]
    assert least_costs(made, 1, 2, [], worth=None).cost.shape == (2, 0)
    nothing = Options((), np.zeros((4, 0), np.int64), 10**6)
    assert least_costs(nothing, 1, 2, [1], worth=None).cost.tolist() == [[10**6], [10**6]]


def test_labels_that_others_dominate_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(covering, "MAX_TABLE_UNITS", 0)
    made = Options((4, 1), np.array([[10, 1], [2, 1], [2, 2]]), 10**6)
    found = least_costs(made, 0, 2, [1, 4, 5, 8, 9], worth=None)
    assert found.exact
    assert found.cost.tolist() == [
        [1, 10, 10**6, 10**6, 10**6],
        [1, 2, 3, 12, 10**6],
        [1, 2, 3, 4, 5],
    ]


@pytest.mark.parametrize("units", [0, 2000])
def test_nothing_is_reached_past_a_forced_round_that_is_closed(
    units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(covering, "MAX_TABLE_UNITS", units)
    never = 10**6
    made = Options((1,), np.array([[1], [never], [1]]), never)
    found = least_costs(made, 0, 2, [1, 2], worth=None, forced=frozenset({1}))
    assert np.minimum(found.cost, never).tolist() == [[1, never], [never, never], [never, never]]


def test_the_relaxation_is_as_fine_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(covering, "MAX_TABLE_UNITS", 0)
    monkeypatch.setattr(covering, "RELAXED_UNITS", 4)
    never = 10**6
    made = Options((3,), np.full((4, 1), 1), never)
    found = least_costs(made, 0, 3, [2, 8], worth=None, exact=False)
    # Units of 2: a round makes 2 of them at most and 1 at least; 1 and 4 are needed.
    assert found.cost.tolist() == [[1, never], [1, 2], [1, 2], [1, 2]]
    assert found.above.tolist() == [[1, never], [1, never], [1, never], [1, 4]]


def test_the_relaxation_loses_nothing_at_full_speed() -> None:
    never, speed = 10**6, 1_000_003
    made = Options((speed, 1), np.array([[10, 1]] * 4), never)
    needs = [speed, speed + 1, 3 * speed, 3 * speed + 1]
    found = least_costs(made, 0, 3, needs, worth=None, exact=False)
    assert not found.exact
    assert found.cost[3].tolist() == [10, 11, 30, 31]
    assert found.above[3].tolist() == [10, 20, 30, 40]


def test_costs_at_or_above_the_worth_may_be_left_out() -> None:
    made = Options((2, 1), np.array([[5, 1], [5, 1], [5, 1]]), 10**6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covering, "MAX_TABLE_UNITS", 0)
        found = least_costs(made, 0, 2, [1, 2, 3], worth=3)
    assert found.cost.tolist() == [[1, 10**6, 10**6], [1, 2, 10**6], [1, 2, 10**6]]


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


@given(testing.instances(), st.data(), st.integers(0, 12))
@settings(max_examples=60, deadline=None)
def test_lower_payoffs_are_those_of_schedules(
    instance: Instance, data: st.DataObject, states: int
) -> None:
    """Whatever is relaxed, the lower bounds never exceed the maxima."""
    instance = instance.with_parallelism("forked")
    prices = data.draw(testing.price_tables(instance, "type"))
    exact_prices = ExactPrices.of(
        instance,
        {tuple(int(i) for i in place): prices.price(*place) for place in np.argwhere(prices.units)},
        by_node=False,
    )
    exact = max_payoffs(instance, exact_prices)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(options, "MAX_COPY_STATES", states)
        relaxed = max_payoffs(instance, exact_prices)
    for low, true, high in zip(relaxed.lower, exact.upper, relaxed.upper, strict=True):
        assert low <= true <= high


@pytest.mark.parametrize("level", ["L0", "L2"])
def test_only_price_certificates_claim_a_slack(level: str) -> None:
    instance, document = true_documents()[level]
    good = certificate_from_document(document, instance)
    assert verify(instance, good).slack is None
    with pytest.raises(CertificateError, match=f"slack = 3, must be 0 at level {level}"):
        verify(instance, replace(good, slack=Fraction(3)))


@pytest.mark.parametrize("level", ["L0", "L1", "L2"])
def test_a_theorem_is_named_as_a_claim_and_never_verified(level: str) -> None:
    instance, document = true_documents()[level]
    good = certificate_from_document(document, instance)
    assert verify(instance, good).claimed_theorem is None
    forged = replace(good, theorem={"id": "T7", "constant": "1"})
    assert verify(instance, forged).claimed_theorem == "T7"


@pytest.mark.parametrize(
    ("theorem", "path"),
    [
        ({}, "theorem.id"),
        ({"id": "T7, verified\n"}, "theorem.id"),
        ({"id": 7}, "theorem.id"),
        ({"id": "T7", "constant": "many"}, "theorem.constant"),
        ({"id": "T7", "foreknowledge": "U"}, "theorem.foreknowledge"),
        ({"id": "T7", "foreknowledge": ["U", "oracle"]}, "theorem.foreknowledge[1]"),
        ({"id": "T7", "foreknowledge": ["U", 1]}, "theorem.foreknowledge[1]"),
        ({"id": "T7", "verified": "yes"}, "theorem.verified"),
    ],
)
def test_malformed_theorems_are_refused(theorem: Any, path: str) -> None:
    instance, document = true_documents()["L1"]
    good = certificate_from_document(document, instance)
    with pytest.raises(CertificateError) as refused:
        verify(instance, replace(good, theorem=theorem))
    assert refused.value.path == path


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


def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat every instance as large, and its tables as too large."""
    monkeypatch.setattr(check, "RELAX_FIRST", 8)
    monkeypatch.setattr(covering, "MAX_TABLE_UNITS", 0)
    monkeypatch.setattr(covering, "RELAXED_UNITS", 2)


def test_large_instances_are_relaxed_first_and_judged_exactly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = Cluster.of({"n": {"V100": 1, "P100": 1}})
    jobs = tuple(Job(name, 0, 1, 7, {"V100": 5, "P100": 3}, Linear(20, 3)) for name in ("a", "b"))
    instance = Instance(cluster, jobs, 4, 1)
    prices = {(0, 0): Fraction(2), (1, 0): Fraction(2), (1, 1): Fraction(3)}
    exact = certify(instance, prices)
    large(monkeypatch)
    relaxed = max_payoffs(
        instance, ExactPrices.of(instance, prices, by_node=False), relaxed=frozenset({0, 1})
    )
    assert relaxed.upper[0] > exact.upper_payoffs["a"] >= relaxed.lower[0]
    # The exact claims are below the relaxed payoffs; the verifier looks closer and accepts them.
    assert verify(instance, exact).slack == 0
    low = replace(exact, upper_payoffs={"a": exact.upper_payoffs["a"]})
    with pytest.raises(CertificateError, match=r"upper_payoffs\.b"):
        verify(instance, low)
    # Claims at the relaxed payoffs are believed at once; the slack is what they may exceed.
    upper = dict(zip(("a", "b"), relaxed.upper, strict=True))
    slack = sum(relaxed.upper, Fraction(0)) - sum(relaxed.lower, Fraction(0))
    loose = replace(exact, upper_payoffs=upper, bound=relaxed.bound, slack=slack)
    assert verify(instance, loose).slack == slack
    with pytest.raises(CertificateError, match="slack"):
        verify(instance, replace(loose, slack=slack - 1))
    # Where labels are too many as well, nothing below the relaxed payoffs is believed.
    with monkeypatch.context() as patch:
        patch.setattr(covering, "MAX_LABELS", 0)
        with pytest.raises(CertificateError, match=r"upper_payoffs\.a"):
            verify(instance, exact)
    # Smaller instances are judged exactly at once.
    with monkeypatch.context() as patch:
        patch.setattr(check, "RELAX_FIRST", 9)
        excess = sum(relaxed.upper, Fraction(0)) - sum(exact.upper_payoffs.values())
        assert verify(instance, loose).slack == excess < slack
    # Only the doubtful claims are looked at closely.
    half = replace(
        exact,
        upper_payoffs={"a": exact.upper_payoffs["a"], "b": relaxed.upper[1]},
        bound=exact.bound + relaxed.upper[1] - exact.upper_payoffs["b"],
        slack=relaxed.upper[1] - relaxed.lower[1],
    )
    assert half.slack > 0 and verify(instance, half).slack == half.slack
    # certify takes the relaxation too where exact payoffs would be dear.
    made = certify(instance, prices)
    assert made.slack >= 0 and verify(instance, made).bound == made.bound


def test_the_worth_of_a_group_is_that_of_its_most_valuable_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Jobs of one shape share labels: none that pays for any of them may be dropped."""
    cluster = Cluster.of({"n": {"V100": 2}})
    jobs = tuple(
        Job(name, 0, 1, 4, {"V100": 2}, Linear(peak, 1))
        for name, peak in (("poor", 5), ("rich", 50), ("middling", 20))
    )
    instance = Instance(cluster, jobs, 4, 1)
    prices = {(t, 0): Fraction(8) for t in range(4)}
    exact = max_payoffs(instance, ExactPrices.of(instance, prices, by_node=False))
    assert exact.upper == (0, 33, 3)
    monkeypatch.setattr(covering, "MAX_TABLE_UNITS", 0)
    assert max_payoffs(instance, ExactPrices.of(instance, prices, by_node=False)) == exact


def test_jobs_share_tables_only_where_they_may() -> None:
    """Same options, other releases, needs, utilities, gangs, speeds, spreads or copies."""
    cluster = Cluster.of({"n0": {"V100": 2}, "n1": {"V100": 2, "P100": 1}})
    base = {"gang": 2, "need": 4, "speeds": {"V100": 2, "P100": 1}, "release": 0, "spread": 1}
    variants = [
        {},
        {"release": 1},
        {"need": 2},
        {"gang": 3},
        {"speeds": {"V100": 4, "P100": 1}},
        {"spread": "1/2", "gang": 3},
        {"copies": 1},
        {"release": 9},
    ]
    jobs = []
    for i, change in enumerate(variants):
        f = base | change
        jobs.append(
            Job(f"j{i}", f["release"], f["gang"], f["need"], f["speeds"], Linear(20 + i, 3),
                f["spread"], f.get("copies"))
        )  # fmt: skip
    prices = {(t, r): Fraction(1 + t + 3 * r, 3) for t in range(4) for r in range(2)}
    for parallelism in ("single_type", "mixed", "forked"):
        together = Instance(cluster, tuple(jobs), 4, 1, parallelism)
        exact = ExactPrices.of(together, prices, by_node=False)
        alone = []
        for job in jobs:
            one = Instance(cluster, (job,), 4, 1, parallelism)
            alone += max_payoffs(one, ExactPrices.of(one, prices, by_node=False)).upper
        assert max_payoffs(together, exact).upper == tuple(alone)
        assert OptionTable(together, exact).shape(0) == OptionTable(together, exact).shape(1)
        assert len({OptionTable(together, exact).shape(j) for j in (0, 3, 4, 5)}) == 4
    assert max_payoffs(Instance(cluster, (), 4, 1), ExactPrices.of(
        Instance(cluster, (), 4, 1), {}, by_node=False)) .bound == 0  # fmt: skip


def test_the_empty_schedule_is_the_default() -> None:
    instance = pair()
    for certificate in (certify(instance, None), certify(instance, TYPE_PRICES)):
        assert certificate.value == 0
        assert certificate.schedule["jobs"] == []
        assert verify(instance, certificate).value == 0
    assert certify(instance, None, schedule=Schedule.empty(instance)) == certify(instance, None)


def test_what_is_proved_prints_as_the_command_says_it() -> None:
    instance = Instance(
        Cluster.of({"n": {"V100": 1}}), [Job("a", 0, 1, 1, {"V100": 1}, Linear(4, 1))], 2, 1
    )
    printed = str(verify(instance, certify(instance, solve(instance))))
    assert "value        4\n" in printed and "\noptimal      proved" in printed
