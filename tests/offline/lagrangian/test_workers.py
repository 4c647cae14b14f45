"""Whoever prices the jobs of the dual, the answer is the same."""

from __future__ import annotations

import numpy as np
import pytest

from hadaropt import solve
from hadaropt.generate import generate
from hadaropt.offline.lagrangian.bound import Oracle, lagrangian_bound
from hadaropt.offline.lagrangian.job_table import job_table
from hadaropt.offline.lagrangian.pricing_workers import pricing_workers
from hadaropt.offline.lagrangian.shard import Shard
from hadaropt.offline.lagrangian.workers import OneThread, Threads
from hadaropt.results import Result
from tests.offline.lagrangian.large import large


def facts(result: Result):
    assert result.prices is not None
    return result.bound, result.prices.units.tolist(), result.prices.scale, result.raw_status


@pytest.mark.parametrize("threads", [2, 3, 7])
@pytest.mark.parametrize("family", ["six_class", "measured_rates"])
def test_value_and_subgradient_do_not_depend_on_threads(family, threads):
    instance = large(family)
    table = job_table(instance)
    shape = instance.num_rounds, len(instance.cluster.accelerators)
    random = np.random.default_rng(1)
    alone = Oracle(instance, table)
    with pricing_workers(threads, None) as workers:
        shared = Oracle(instance, table, 1, workers)
        assert shared._pricing != shared._shard.price  # so large that it is shared
        for _ in range(4):
            units = random.integers(0, table.scale // 10, shape)
            one, many = alone(units), shared(units)
            assert one.bound == many.bound
            assert (one.excess == many.excess).all()
            assert (alone.payoff == shared.payoff).all()
            assert (alone.finish == shared.finish).all()


def test_with_a_limit_of_work_the_bound_does_not_depend_on_threads():
    instance = large()
    one, two = (lagrangian_bound(instance, work_limit=300, threads=n) for n in (1, 2))
    assert facts(one) == facts(two)


def test_with_a_limit_of_work_the_solve_does_not_depend_on_threads():
    instance = generate("six_class", seed=1, num_jobs=600, num_rounds=30, load="1.3")
    one, two = (solve(instance, work_limit=300, threads=n) for n in (1, 2))
    assert facts(one) == facts(two)
    assert one.schedule == two.schedule and one.value == two.value


def test_little_work_is_not_shared():
    instance = generate("six_class", seed=3, num_jobs=5, num_rounds=4)
    shard = Shard(job_table(instance), 4, len(instance.cluster.accelerators))
    with pricing_workers(2, None) as workers:
        assert isinstance(workers, Threads)
        assert workers.share(shard) == shard.price
    with pricing_workers(None, None) as workers:
        assert isinstance(workers, OneThread)
