"""The restricted master: the best schedule of the columns that it is given, and no other."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from hadaropt.instance import PARALLELISM
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Relaxation
from hadaropt.offline.colgen.master import Master
from hadaropt.offline.colgen.plan import column_value, place, to_schedule
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.heuristics.restricted_master import restricted_integer
from hadaropt.schedule import check_schedule
from tests.offline.support import duel, tight


def converged(parallelism: str, seed: int = 0) -> Relaxation:
    found = Relaxation(Space.of(tight(parallelism, seed)))
    found.converge(found.pricing.no_limits())
    return found


def best_of(master: Master, keep: list[int]) -> Fraction:
    """The best value of columns that fit together, at most one of each job: all are tried."""
    by_job: dict[int, list[int | None]] = {}
    for p in keep:
        by_job.setdefault(master.columns[p].job, [None]).append(p)
    best = Fraction(0)
    for choice in itertools.product(*by_job.values()):
        chosen = [master.columns[p] for p in choice if p is not None]
        value = sum((column_value(master.space, column) for column in chosen), Fraction(0))
        if value > best and place(master.space, chosen) is not None:
            best = value
    return best


@pytest.mark.parametrize("parallelism", PARALLELISM)
@pytest.mark.parametrize("seed", [0, 1])
def test_it_finds_the_best_of_its_columns(parallelism: str, seed: int) -> None:
    master = converged(parallelism, seed).master
    rng = np.random.default_rng(seed)
    keep = sorted(rng.choice(len(master.columns), min(12, len(master.columns)), False).tolist())
    plan = restricted_integer(master, keep, None, clock=Clock())
    if plan is None:  # a class of the relaxation may not be placed as it is counted
        assert parallelism == "forked"
        return
    assert plan.value == best_of(master, keep)
    assert set(plan.columns.values()) <= {master.columns[p] for p in keep}
    schedule = to_schedule(master.space, plan)
    assert check_schedule(master.space.instance, schedule).value >= plan.value


def duel_master() -> Master:
    found = Relaxation(Space.of(duel()))
    found.converge(found.pricing.no_limits())
    return found.master


def test_a_start_is_kept_where_the_search_ends_at_once() -> None:
    master = duel_master()
    every = list(range(len(master.columns)))
    best = restricted_integer(master, every, None, clock=Clock())
    assert best is not None and best.value == 7
    own = [master.place_of(column) for column in best.columns.values()]
    again = restricted_integer(master, own, best, clock=Clock(), node_limit=0)
    assert again is not None and again.value == 7


def test_a_start_whose_columns_are_not_kept_is_not_offered() -> None:
    master = duel_master()
    every = list(range(len(master.columns)))
    best = restricted_integer(master, every, None, clock=Clock())
    assert best is not None
    left = [p for p in every if master.columns[p].job == 0]
    found = restricted_integer(master, left, best, clock=Clock())
    assert found is not None and set(found.columns) == {0} and found.value == 4


def test_without_time_and_start_there_is_no_answer_and_no_harm() -> None:
    master = duel_master()
    columns = list(master.columns)
    found = restricted_integer(master, [0], None, clock=Clock(0))
    assert found is None or found.value <= 7
    assert master.columns == columns
    none = restricted_integer(master, [], None, clock=Clock())
    assert none is None or none.value == 0
