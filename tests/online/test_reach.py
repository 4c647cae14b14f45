"""Online cost does not grow with GPUs that jobs can never hold, and nothing else changes."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings

from hadaropt import Cluster, Instance, Job, run_online, testing
from hadaropt.modes import is_pooled
from hadaropt.online.foreknowledge import compute_foreknowledge
from hadaropt.online.hypotheses import check_hypotheses
from hadaropt.online.prices.lazy import LazyTable
from hadaropt.online.prices.registry import PRICES
from hadaropt.online.prices.rounding import round_tables
from hadaropt.online.prices.tables import PriceTables
from hadaropt.online.quotation import quote
from hadaropt.online.run import run_quoted
from hadaropt.policies import PrimalDual
from hadaropt.utility import Linear


def spacious(gpus: int) -> Instance:
    """Return few jobs on that many GPUs of each of two types."""
    jobs = [
        Job(f"j{i}", i // 3, 1 + i % 4, 500 + 300 * i, {"V": 2, "P": 1}, Linear(40 + i, 3))
        for i in range(9)
    ]
    return Instance(Cluster.of({"n": {"V": gpus, "P": gpus}}), jobs, 8, round_seconds=200)


@pytest.mark.parametrize("price", PRICES)
def test_prices_within_reach_are_those_of_the_whole_tables(price):
    instance = spacious(40)
    known = compute_foreknowledge(instance, "type")
    whole = replace(known, reach={})
    some = round_tables(price, known, PRICES[price].tables(known))
    every = round_tables(price, whole, PRICES[price].tables(whole))
    for place, table in some.tables.items():
        assert len(table) == known.highest(place) + 1 < len(every.tables[place])
        assert table == every.tables[place][: len(table)]
        if some.marginals is not None and every.marginals is not None:
            rows = some.marginals[place]
            assert rows == every.marginals[place][: len(rows)]
    fewer, all_of_them = check_hypotheses(known, some), check_hypotheses(whole, every)
    assert fewer.failure in ("", all_of_them.failure)
    if not all_of_them.failure:
        assert fewer.constant <= all_of_them.constant
        assert fewer.additive == all_of_them.additive


@given(testing.instances(max_jobs=5, max_rounds=6))
@settings(deadline=None, max_examples=60)
def test_runs_are_those_of_the_whole_tables(instance):
    policy = PrimalDual()
    quoted = quote(instance, policy)
    whole = replace(quoted.told, reach={})
    tables = round_tables("zero_start", whole, quoted.price.tables(whole))
    short = run_quoted(instance, policy, quoted)
    long = run_quoted(instance, policy, replace(quoted, truth=whole, told=whole, tables=tables))
    assert (short.schedule, short.payoffs, short.bound) == (long.schedule, long.payoffs, long.bound)
    assert (short.prices.units == long.prices.units).all()


@pytest.mark.parametrize("price", PRICES)
def test_clusters_of_billions_of_gpus_are_answered(price):
    instance = spacious(2**31 - 1)
    assert is_pooled(instance)
    run = run_online(instance, PrimalDual(price=price))
    assert run.bound >= run.value > 0


def test_values_of_thirty_digits_are_answered():
    huge = {
        "format": "hadaropt-instance/1",
        "num_rounds": 3,
        "round_seconds": 1,
        "accelerators": ["V"],
        "nodes": [{"name": "n", "gpus": {"V": 2}}],
        "jobs": [
            {
                "name": "a",
                "release": 0,
                "gang_size": 1,
                "iterations": 1,
                "throughput": {"V": 1},
                "utility": {"kind": "completion", "weight": 1, "horizon": "1e30"},
            }
        ],
    }
    from hadaropt.io import instance_from_document

    assert run_online(instance_from_document(huge), PrimalDual()).value == 10**30 - 1


def test_only_prices_that_are_looked_at_are_computed():
    seen = []
    table = LazyTable(2**31, lambda g, before: seen.append(g) or Fraction(g))
    instance = spacious(2**31 - 1)
    known = compute_foreknowledge(instance, "type")
    rounded = round_tables("mine", known, PriceTables(dict.fromkeys(known.capacity, table)))
    most = sum(job.gang_size for job in instance.jobs)
    assert seen == list(range(most + 1)) == list(range(len(rounded.tables[0, 0])))
    assert len(table) == 2**31 and table[2:5] == [2, 3, 4]
    with pytest.raises(IndexError):
        table[2**31]
