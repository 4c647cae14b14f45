"""Insertion with re-solved prices: feasible, far better than at fixed ones, stopped at once."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from hadaropt.generate import generate
from hadaropt.instance import Instance
from hadaropt.offline.lagrangian.bound import Lagrangian, Oracle
from hadaropt.offline.lns.batch_insertion import Resolving, orders
from hadaropt.offline.lns.insertion import Insertion
from hadaropt.offline.lns.params import BatchParams
from hadaropt.schedule import check_schedule


def setting(family: str, **options: object) -> tuple[Instance, Lagrangian, Insertion]:
    instance = generate(family, seed=1, num_jobs=200, num_rounds=24, load="1.3", **options)
    relaxation = Lagrangian(instance)
    relaxation.stages = [replace(relaxation.stages[0], tolerance=1e-4)]  # whatever the time
    relaxation.run(settle=False)
    return instance, relaxation, Insertion(instance, relaxation.units)


@pytest.mark.parametrize("family", ["six_class", "measured_rates"])
@pytest.mark.parametrize("options", [{}, {"parallelism": "forked"}, {"spread_factor": "0.8"}])
def test_better_than_fixed_prices(family: str, options: dict[str, object]) -> None:
    instance, relaxation, state = setting(family, **options)
    fixed, built = [], []
    for order in islice(orders(state, 0), 3):
        state.clear()
        state.insert(order, relaxation.units)
        fixed.append(state.value)
        assert Resolving(state, relaxation).build(order, BatchParams.efforts[2], lambda: False)
        built.append(check_schedule(instance, state.schedule(state.save())).value)
    assert max(fixed) / state.table.scale < max(built)
    assert relaxation.bound is not None
    assert max(built) <= relaxation.bound


def test_stopped_at_once_is_insertion_at_the_first_prices() -> None:
    _, relaxation, state = setting("six_class")
    order = next(orders(state, 0))
    state.insert(order, relaxation.to_units(relaxation.units / relaxation.scale))
    fixed = state.value
    assert fixed > 0
    assert not Resolving(state, relaxation).build(order, BatchParams.efforts[0], lambda: True)
    assert state.value == fixed


def test_orders_are_of_all_jobs_and_differ() -> None:
    _, _, state = setting("six_class")
    found = list(islice(orders(state, 3), 4))
    for order in found:
        assert sorted(order.tolist()) == list(range(len(state.table)))
        assert (np.diff(state.table.gang[order]) <= 0).all()
    assert len({tuple(order.tolist()) for order in found}) == 4
    assert np.array_equal(next(orders(state, 3)), found[0])


def test_dual_of_some_jobs() -> None:
    instance, relaxation, _ = setting("measured_rates")
    table = relaxation.table
    rows = np.arange(0, len(table), 3)
    whole = Oracle(instance, table)
    whole(relaxation.units)
    some = whole.narrowed(rows)
    free = np.full((24, 3), 5, np.int64)
    value, slope = some.within(relaxation.units, free)
    payoffs = int(whole.payoff[rows].sum())
    assert np.array_equal(some.payoff, whole.payoff[rows])
    assert value == pytest.approx(payoffs + 5 * int(relaxation.units.sum()), rel=1e-12)
    full = np.tile(whole.capacity, (24, 1))
    assert np.array_equal(some.within(relaxation.units, full)[1] - slope, full - free)


def test_estimates_on_another_table_are_of_the_same_jobs() -> None:
    """Progress that is too fine for a table is estimated on a coarser one, in another order."""
    _, relaxation, state = setting("measured_rates")
    assert not state.table.exact.all()
    seen: list[list[int]] = []

    class Spy(Resolving):
        def _corrected(self, prices, rest, evaluations):
            narrowed = self._oracle.narrowed(np.sort(self._place[rest]))
            seen.append(sorted(narrowed.table.index.tolist()))
            assert seen[-1] == sorted(state.table.index[rest].tolist())
            return super()._corrected(prices, rest, evaluations)

    assert Spy(state, relaxation).build(
        next(orders(state, 0)), BatchParams.efforts[0], lambda: False
    )
    assert len(seen) > 5
