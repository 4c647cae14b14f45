"""What certificates prove: exact sums, safe relaxations, prices of any size, true files."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
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
)
from hadaropt.certificates.format import certificate_from_document
from hadaropt.certificates.options import ExactPrices, OptionTable
from hadaropt.certificates.payoffs import Payoffs, max_payoffs
from hadaropt.errors import CertificateError, InvariantError
from hadaropt.io import instance_from_document
from hadaropt.utility import Linear, Table
from tests import oracle
from tests.certificates.samples import (
    TYPE_PRICES,
    pair,
    pair_schedule,
    true_documents,
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


@pytest.mark.parametrize("level", ["L0", "L1", "L2"])
def test_a_theorem_is_named_as_a_claim_and_never_verified(level: str) -> None:
    instance, document = true_documents()[level]
    good = certificate_from_document(document, instance)
    assert verify(instance, good).claimed_theorem is None
    forged = replace(good, theorem={"id": "T7", "constant": "1"})
    assert verify(instance, forged).claimed_theorem == "T7"


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
