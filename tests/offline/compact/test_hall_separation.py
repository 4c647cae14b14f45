"""Separation of rows finds the values of all rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import (
    Instance,
    solve_dual,
    solve_ilp,
    solve_lp,
)
from hadaropt.mip.highs import HighsModel
from hadaropt.offline.compact import hall, solve
from hadaropt.offline.compact.formulation import assemble
from hadaropt.offline.compact.hall_separation import Rows
from tests.offline.support import many_types


@pytest.mark.parametrize("seed", range(6))
def test_separation_equals_all_rows(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """R = 6: rows cut when violated give the values of all 2^R - 1 rows."""
    instance = many_types(6, seed)
    separated = solve_ilp(instance), solve_lp(instance), solve_dual(instance)
    few = assemble(instance).linear.shape[0]
    monkeypatch.setattr(hall, "MOST_TYPES_WRITTEN", 6)
    monkeypatch.setattr(hall, "_closure", lambda _: every_set(6))
    written = solve_ilp(instance), solve_lp(instance), solve_dual(instance)
    assert assemble(instance).linear.shape[0] == few - few_rows(few, instance) + 4 * 63
    assert separated[0].value == written[0].value
    for one, other in zip(separated[1:], written[1:], strict=True):
        assert one.relaxation_value == pytest.approx(other.relaxation_value, rel=1e-7)


def every_set(count: int) -> tuple[frozenset[int], ...]:
    return tuple(frozenset(r for r in range(count) if mask >> r & 1) for mask in range(1, 2**count))


def few_rows(rows: int, instance: Instance) -> int:
    model = assemble(instance)
    assert isinstance(model, hall.HallModel)
    return sum(
        len(
            {frozenset(w.admitted) for p in model.plans if p.release <= t <= p.last for w in p.ways}
        )
        for t in range(instance.num_rounds)
    )


def test_separation_finds_rows() -> None:
    """At least one of the instances above needs a row that is not written at first."""
    added = 0
    for seed in range(6):
        instance = many_types(6, seed)
        work = solve._Work(instance, "auto", 1, 0, solve.Clock(None))
        assert work.rows is not None
        before = len(work.rows.rows)
        work.relaxation()
        added += len(work.rows.rows) - before
    assert added > 0


def excesses(model: hall.HallModel, x: np.ndarray, t: int) -> dict[frozenset[int], float]:
    """Of every set of types: GPUs held within it at x in round t, beyond its capacity."""
    found = {}
    for types in every_set(len(model.pooled_capacity)):
        columns, gangs, limit = model.row_of(t, types)
        found[types] = float(gangs @ x[columns]) - limit
    return found


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 5))
def test_the_row_that_is_found_is_the_most_violated_of_all(seed: int, which: int) -> None:
    model = assemble(many_types(5, which))
    assert isinstance(model, hall.HallModel)
    rows = Rows(model)
    known = set(rows.rows)
    rows.rows, rows._known = [], set()  # as if none were written
    x = np.random.default_rng(seed).random(len(model.run_pair)) * 0.8
    found = dict(rows.violated(x))
    for t in range(4):
        most = excesses(model, x, t)
        if t in found:
            assert most[found[t]] == pytest.approx(max(most.values()), abs=1e-4)
            assert most[found[t]] > 0
        else:
            assert max(most.values()) <= 1e-4
    assert set(Rows(model).violated(x)).isdisjoint(known)


def test_rows_are_remembered_and_named() -> None:
    model = assemble(many_types(6, 1))
    assert isinstance(model, hall.HallModel)
    rows = Rows(model)
    points = (np.random.default_rng(seed).random(len(model.run_pair)) for seed in range(50))
    x = next(x for x in points if rows.violated(x))
    found = rows.violated(x)
    assert rows.fresh(found)
    highs = HighsModel(model.linear.relaxed())
    before = highs.run().x
    rows.add(found, highs)
    assert not rows.fresh(found) and rows.violated(x) == []
    t, types = found[0]
    assert rows.names()[-len(found)] == f"capacity_{t}_{'_'.join(map(str, sorted(types)))}"
    after = highs.run().x
    assert before is not None and after is not None
    for t, types in found:
        columns, gangs, limit = model.row_of(t, types)
        assert gangs @ after[columns] <= limit + 1e-6
