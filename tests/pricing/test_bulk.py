"""All jobs at one vector of prices equal each job priced alone."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.instance import Cluster, Instance, Job
from hadaropt.pricing import BulkPricer, best_schedules, bulk, price_job
from hadaropt.utility import Completion, EffectiveThroughput, Linear, Sigmoid, Step
from tests.instances_strategy import prices as price_strategy
from tests.instances_strategy import tiny_instances
from tests.pricing.cases import SCALE, load, price_array


@st.composite
def cases(draw):
    document = draw(tiny_instances(max_jobs=5))
    per_node = draw(st.booleans())
    return document, draw(price_strategy(document, per_node)), per_node


@given(cases())
@settings(deadline=None, max_examples=200)
def test_all_jobs_equal_each_job_alone(case):
    document, drawn, per_node = case
    instance, prices = load(document), price_array(document, drawn, per_node)
    alone = [price_job(instance, j, prices, scale=SCALE) for j in range(len(instance.jobs))]
    assert best_schedules(instance, prices, SCALE) == alone


CLUSTER = Cluster.of({"n0": {"A": 4, "B": 2}, "n1": {"A": 4, "B": 6, "C": 0}})


@st.composite
def twins(draw):
    """Jobs of two classes, with needs, gangs and utilities of their own."""
    speeds = ({"A": 6, "B": 2, "C": 9}, {"A": 5, "B": 7})
    kinds = (
        Linear(90, 4),
        Step(70, "5/2"),
        Sigmoid(peak=99, steepness="0.7", deadline=4),
        EffectiveThroughput("17/3"),
        Completion("10/7", 9),
    )
    jobs = [
        Job(
            f"j{i}",
            draw(st.integers(0, 2)),
            draw(st.integers(1, 9)),
            draw(st.integers(1, 40)),
            draw(st.sampled_from(speeds)),
            draw(st.sampled_from(kinds)),
        )
        for i in range(draw(st.integers(1, 8)))
    ]
    prices = draw(st.lists(st.integers(0, 30), min_size=24, max_size=24))
    return Instance(CLUSTER, jobs, 8, Fraction(1)), np.array(prices, np.int64).reshape(8, 3)


@given(twins(), st.sampled_from([1, 7, Fraction(5, 3)]))
@settings(deadline=None, max_examples=200)
def test_classes_share_their_table(case, scale):
    instance, prices = case
    pricer = BulkPricer(instance, scale)
    for vector in (prices, prices // 3):
        found = pricer.price(vector)
        total = np.zeros_like(prices)
        for j in range(len(instance.jobs)):
            alone = price_job(instance, j, vector, scale=scale)
            assert found.schedule(j) == alone
            assert found.completion[j] == (-1 if alone.completion is None else alone.completion)
            assert Fraction(int(found.charge[j])) / scale == alone.cost
            for choice in alone.rounds:
                total[choice.round] += choice.use
        assert np.array_equal(found.usage(), total)


def test_the_twins_do_share(monkeypatch):
    calls = []
    dense = bulk.cover.dense
    monkeypatch.setattr(
        bulk.cover, "dense", lambda *args: calls.append(args[3]) or dense(*args), raising=True
    )
    jobs = [Job(f"j{i}", 0, 1 + i, 10 * i + 1, {"A": 6, "B": 2}, Linear(90, 4)) for i in range(4)]
    best_schedules(Instance(CLUSTER, jobs, 8, Fraction(1)), np.ones((8, 3), np.int64), 1)
    assert calls == [16]  # the largest need, 31 iterations in units of 2
