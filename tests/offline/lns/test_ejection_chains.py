"""Ejection chains: the best schedule is kept, whatever the search does."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt.errors import ScheduleError
from hadaropt.generate import generate
from hadaropt.instance import PARALLELISM, Cluster, Instance, Job
from hadaropt.offline.clock import Clock
from hadaropt.offline.lagrangian.bound import Lagrangian
from hadaropt.offline.lns.ejection_chains import EjectionSearch
from hadaropt.schedule import Allocation, Schedule, check_schedule
from hadaropt.utility import Linear
from tests.offline.lns.test_batch_insertion import setting
from tests.offline.support import duel


def test_building_keeps_the_best() -> None:
    _, relaxation, _ = setting("six_class")
    search = EjectionSearch(relaxation.instance, relaxation)
    assert search.export_seconds() == 0 and not search.many
    search.greedy()
    assert search.export_seconds() > 0
    greedy = search.value
    search.build(0.0)  # one insertion of all, in another order
    assert search.value >= greedy
    search.build(1e9)
    assert search.value > greedy
    assert search.state.value == search.value


def small(parallelism: str = "mixed", **options: object) -> Instance:
    return generate(
        "overloaded_tight", seed=2, num_jobs=14, num_rounds=10, parallelism=parallelism, **options
    )  # type: ignore[arg-type]


def search_of(instance: Instance, seed: int = 0) -> EjectionSearch:
    relaxation = Lagrangian(instance, clock=Clock(work_limit=10**6))
    relaxation.run(settle=False)
    search = EjectionSearch(instance, relaxation, seed)
    search.take_prices(relaxation)
    return search


@pytest.mark.parametrize("parallelism", PARALLELISM)
def test_chains_improve_and_say_exactly_what_their_schedule_is_worth(parallelism: str) -> None:
    instance = small(parallelism)
    search = search_of(instance)
    search.greedy()
    greedy = search.exact_value()
    search.run(seconds=1e9, iterations=600)
    assert search.iterations == 600
    value = search.exact_value()
    # The table's worths are rounded up, each by less than one unit.
    assert 0 <= Fraction(search.value, search.state.table.scale) - value < Fraction(1, 10**6)
    schedule = search.schedule()
    assert check_schedule(instance, schedule).value >= value >= greedy > 0
    bound = search._relaxation.bound
    assert bound is not None and value <= bound


def test_equal_seeds_find_equal_schedules() -> None:
    found = []
    for seed in (1, 1):
        search = search_of(small(), seed)
        search.greedy()
        search.run(seconds=1e9, iterations=200)
        found.append(search.schedule())
    assert found[0] == found[1]


def test_a_better_schedule_is_taken_up_and_a_worse_one_is_not() -> None:
    instance = duel()
    search = search_of(instance)
    first, second = (Allocation(0, ((0, 0, 1),)),), (Allocation(1, ((0, 0, 1),)),)
    search.load(Schedule((first, ())))
    assert search.exact_value() == 4
    search.load(Schedule((first, second)))
    assert search.exact_value() == 7
    search.load(Schedule(((), second)))
    assert search.exact_value() == 7 and search.schedule() == Schedule((first, second))
    with pytest.raises(ScheduleError):
        search.load(Schedule((first, first)))
    assert search.exact_value() == 7


def test_it_stops_when_it_is_told_to() -> None:
    search = search_of(small())
    search.greedy()
    before = search.exact_value()
    search.run(seconds=1e9, iterations=10**9, stop=lambda: True)
    assert search.iterations == 0 and search.exact_value() == before
    asked = iter([False, False, True])
    search.run(seconds=1e9, iterations=10**9, stop=lambda: next(asked))
    assert 0 < search.iterations < 10**6
    search.run(seconds=0, iterations=10)
    assert search.exact_value() >= before


def test_where_nothing_is_worth_anything_there_is_nothing_to_improve() -> None:
    job = Job("a", 0, 1, 100, {"V100": 1}, Linear(3, 1))
    search = search_of(Instance(Cluster.of({"n0": {"V100": 1}}), (job,), 4, 1))
    search.greedy()
    search.run(seconds=1e9, iterations=100)
    assert search.value == 0 and search.iterations == 0 and search.exact_value() == 0
