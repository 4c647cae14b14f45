"""Ruin and recreate: feasible, repeatable, and never worse than where it began."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.instance import PARALLELISM, Cluster, Instance, Job
from hadaropt.offline.colgen.plan import to_plan, to_schedule
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.colgen.pricing_problem import Pricing
from hadaropt.offline.heuristics import ruin_and_recreate as module
from hadaropt.offline.heuristics.ruin_and_recreate import LocalSearch
from hadaropt.schedule import Allocation, Schedule, check_schedule
from hadaropt.utility import Linear
from tests.instances_strategy import tiny_instances
from tests.offline.support import duel, instance_of, tight
from tests.oracle import Json, optimum


def search_of(instance: Instance) -> tuple[LocalSearch, np.ndarray]:
    space = Space.of(instance)
    free = np.zeros((instance.num_rounds, len(space.capacity)), np.int64)
    return LocalSearch(Pricing(space, 1 << 20)), free


@pytest.mark.parametrize("parallelism", PARALLELISM)
@settings(max_examples=40, deadline=None)
@given(document=tiny_instances(), data=st.data())
def test_what_it_finds_is_feasible_and_no_better_than_optimal(
    parallelism: str, document: Json, data: Any
) -> None:
    document = document | {"parallelism": parallelism}
    instance = instance_of(document)
    search, free = search_of(instance)
    prices = free + data.draw(st.integers(0, 2**20))
    plan = search.improve(None, prices, seed=data.draw(st.integers(0, 99)), iterations=30)
    if plan is None:
        return
    value = check_schedule(instance, to_schedule(search.space, plan)).value
    assert plan.value <= value <= optimum(document)[0]


@pytest.mark.parametrize("parallelism", PARALLELISM)
def test_more_iterations_are_not_worse_and_runs_are_repeatable(parallelism: str) -> None:
    search, free = search_of(tight(parallelism))
    few = search.improve(None, free, seed=3, iterations=10)
    many = search.improve(few, free, seed=4, iterations=2000)
    again = search.improve(few, free, seed=4, iterations=2000)
    assert few is not None and many is not None and again is not None
    assert 0 < few.value <= many.value
    assert many == again


def test_two_jobs_and_one_gpu_are_solved_from_either_side() -> None:
    search, free = search_of(duel())
    plan = search.improve(None, free, seed=0, iterations=50)
    assert plan is not None and plan.value == 7
    alone = Schedule(((), (Allocation(1, ((0, 0, 1),)),)))
    start = to_plan(search.space, alone)
    assert start is not None and start.value == 3
    better = search.improve(start, free, seed=0, iterations=50)
    assert better is not None and better.value == 7
    kept = search.improve(plan, free, seed=0, iterations=0)
    assert kept is not None and kept.value == 7


def test_ways_of_copies_are_all_sets_of_nodes_while_they_are_few(monkeypatch) -> None:
    cluster = Cluster.of({f"n{h}": {"V100": 1} for h in range(3)})
    job = Job("a", 0, 1, 20, {"V100": 4}, Linear(9, 1))
    search, _ = search_of(Instance(cluster, (job,), 6, 1, "forked"))
    (ways,) = search.ways
    sets = [s for n in (2, 3) for s in itertools.combinations(range(3), n)]
    assert len(ways) == len(search.space.jobs[0].ways) + len(sets)
    copies = [way for way in ways if not way.types]
    assert sorted(len(way.classes) for way in copies) == [2, 2, 2, 3]
    for way in copies:
        assert search.space.jobs[0].progress[way.option - 1] == min(20, 4 * len(way.classes))
    monkeypatch.setattr(module, "MOST_BUNDLES", 3)
    search, _ = search_of(Instance(cluster, (job,), 6, 1, "forked"))
    assert all(way.types for way in search.ways[0])


def test_where_capacity_takes_too_many_sets_nothing_is_tried(monkeypatch) -> None:
    monkeypatch.setattr(module, "MOST_SETS", 0)
    search, free = search_of(tight("mixed"))
    assert search.sets == () and search.improve(None, free, seed=0, iterations=9) is None


def test_without_jobs_nothing_is_tried() -> None:
    search, free = search_of(Instance(duel().cluster, (), 2, 1))
    assert search.improve(None, free, seed=0, iterations=9) is None
