"""Charges by the bundle: one by one where they are too many, and the same as all of them."""

from __future__ import annotations

from itertools import accumulate

import pytest

import hadaropt
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.online import hypotheses
from hadaropt.online.foreknowledge import compute_foreknowledge
from hadaropt.online.prices import bundles
from hadaropt.online.prices.registry import make_price
from hadaropt.online.prices.rounding import round_tables
from hadaropt.policies import PrimalDual
from hadaropt.utility import Linear

PRICES = ["last_unit", "telescoped"]


def small() -> Instance:
    cluster = Cluster.of({"n0": {"A": 5}, "n1": {"A": 2, "B": 6}})
    jobs = [
        Job(f"j{i}", i % 3, 1 + i % 4, 5 + 3 * i, {"A": 3, "B": 1 + i % 2}, Linear(20 + 7 * i, 3))
        for i in range(9)
    ]
    return Instance(cluster, jobs, 6, 1)


@pytest.mark.parametrize("name", PRICES)
def test_charges_one_by_one_are_those_of_the_whole_tables(name, monkeypatch):
    known = compute_foreknowledge(small(), "type")
    price = make_price(name)
    whole = round_tables(name, known, price.tables(known))
    monkeypatch.setattr(bundles, "MOST_CHARGES", 0)
    lone = round_tables(name, known, price.tables(known))
    assert whole.posted() is not None and lone.posted() is None
    assert whole.marginals is not None and lone.marginals is not None
    for place, table in whole.tables.items():
        assert list(table) == list(accumulate(lone.tables[place], max))
        assert [tuple(row) for row in lone.marginals[place]] == list(whole.marginals[place])


@pytest.mark.parametrize("name", PRICES)
def test_a_run_with_charges_one_by_one_decides_as_with_all(name, monkeypatch):
    instance = small()
    found = hadaropt.run_online(instance, PrimalDual(name))
    assert found.theorem is not None
    monkeypatch.setattr(bundles, "MOST_CHARGES", 0)
    monkeypatch.setattr(hypotheses, "MOST_CHARGES", 0)
    again = hadaropt.run_online(instance, PrimalDual(name))
    assert again.schedule == found.schedule and again.payoffs == found.payoffs
    assert again.theorem is None and again.posted is None
    assert again.value <= again.bound


def test_gangs_of_thousands_are_charged_by_the_bundle():
    cluster = Cluster.of({"n0": {"A": 20_000}, "n1": {"B": 20_000}})
    gangs = (4000, 1, 2000, 4000, 9, 4000)
    jobs = [
        Job(str(i), i % 2, gang, 3, {"A": 2, "B": 1}, Linear(gang * (30 + i), gang))
        for i, gang in enumerate(gangs)
    ]
    instance = Instance(cluster, jobs, 4, 1)
    run = hadaropt.run_online(instance, PrimalDual("last_unit"))
    assert run.theorem is None and "were not checked" in run.theorem_absent
    assert 0 < run.value <= run.bound
    assert any(f is not None for f, gang in zip(run.completion, gangs, strict=True) if gang == 4000)
