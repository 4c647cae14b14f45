"""Insertion: what is held is feasible and worth what it says; it can be saved and loaded."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hadaropt.errors import ScheduleError
from hadaropt.generate import generate
from hadaropt.instance import PARALLELISM
from hadaropt.offline.lns.insertion import Insertion
from hadaropt.offline.lns.params import ChainParams
from hadaropt.schedule import Allocation, Schedule, check_schedule
from tests.offline.support import duel


@pytest.mark.parametrize("parallelism", PARALLELISM)
def test_inserted_jobs_make_a_feasible_schedule_that_can_be_saved(parallelism: str) -> None:
    instance = generate("small_uniform", seed=3, num_jobs=10, num_rounds=8, parallelism=parallelism)  # type: ignore[arg-type]
    prices = np.zeros((8, len(instance.cluster.accelerators)), np.int64)
    state = Insertion(instance, prices, ChainParams(ejected=4, also_ejected=2))
    state.insert(np.arange(len(state.table)), prices)
    saved, value = state.save(), state.value
    assert value > 0
    schedule = state.schedule(saved)
    # Values are rounded up in the table, by much less than this.
    exact = check_schedule(instance, schedule).value * state.table.scale
    assert exact >= value * Fraction(999_999, 10**6)
    state.improve(1, 50, 1.0, 4)
    state.restore(saved)
    assert state.value == value and state.schedule(state.save()) == schedule
    state.clear()
    assert state.value == 0 and state.schedule(state.save()) == Schedule.empty(instance)


def test_a_schedule_is_loaded_as_it_is() -> None:
    instance = duel()
    state = Insertion(instance, np.zeros((2, 1), np.int64))
    best = Schedule(((Allocation(0, ((0, 0, 1),)),), (Allocation(1, ((0, 0, 1),)),)))
    state.load(best)
    assert state.value == 7 * state.table.scale
    assert state.schedule(state.save()) == best


def test_an_infeasible_schedule_is_not_loaded() -> None:
    state = Insertion(duel(), np.zeros((2, 1), np.int64))
    both = (Allocation(0, ((0, 0, 1),)),)
    with pytest.raises(ScheduleError):
        state.load(Schedule((both, both)))
