"""The restricted master: what its rows say of columns, and which ones a branch switches off."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt.offline.colgen.column_generation import Relaxation
from hadaropt.offline.colgen.cut_row import Cut
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.tree.nodes import Decision, restrict
from tests.offline.support import duel


def solved() -> Relaxation:
    relaxation = Relaxation(Space.of(duel()))
    relaxation.converge(relaxation.pricing.no_limits())
    return relaxation


def test_the_point_is_worth_the_optimum_and_runs_each_job_once() -> None:
    master = solved().master
    outcome = master.solve()
    assert outcome.objective == pytest.approx(7)
    weights = master.weights(outcome)
    for job in range(2):
        mine = [w for w, column in zip(weights, master.columns, strict=True) if column.job == job]
        assert sum(mine) <= 1 + 1e-9
    duals = master.duals(outcome)
    assert (duals.cells >= 0).all()
    # Strong duality: payoffs and the price of the one GPU in both rounds.
    assert duals.jobs.sum() + duals.cells.sum() == pytest.approx(7)


def test_a_column_is_added_once() -> None:
    master = solved().master
    columns = list(master.columns)
    assert master.add_columns(columns) == 0
    assert [master.place_of(column) for column in columns] == list(range(len(columns)))


def test_cuts_count_the_columns_that_were_there_and_those_that_follow() -> None:
    relaxation = solved()
    master, (types,) = relaxation.master, {way[2] for way in relaxation.space.jobs[0].ways}
    columns = list(master.columns)
    master.add_cuts([Cut(0, ((types, ((0, 1), (1, 1))),), 0)])  # nobody runs in round 0
    assert master.solve().objective == pytest.approx(3)
    other = master.emptied()
    assert other.columns == [] and other.cuts == master.cuts
    other.add_columns(columns)
    assert other.solve().objective == pytest.approx(3)
    assert [other.exact_column(k) for k in range(other.size[1])] == [
        master.exact_column(k) for k in range(master.size[1])
    ]
    other.add_cuts([Cut(1, ((types, ((0, 1), (1, 2))),), 1)])  # nor the second in round 1
    assert other.solve().objective == pytest.approx(3)
    assert master.solve().objective == pytest.approx(3) and len(master.cuts) == 1


def test_a_branch_switches_off_the_columns_that_it_forbids() -> None:
    relaxation = solved()
    master, pricing = relaxation.master, relaxation.pricing
    base = pricing.round_at.tolist()
    late = pricing.no_limits()
    for job in range(2):  # neither job may complete in round 0
        late = restrict(relaxation.space, late, base, Decision("completion", job, 0), False)
    master.set_limits(late, relaxation.matrix(late.low), relaxation.matrix(late.high))
    outcome = master.solve()
    assert outcome.objective is not None and outcome.objective <= 3 + 1e-9
    weights = master.weights(outcome)
    used = [column for column, x in zip(master.columns, weights, strict=True) if x > 1e-9]
    assert used and all(column.completion != 0 for column in used)


def test_exact_columns_have_integer_entries_and_exact_values() -> None:
    master = solved().master
    first = master.linear.shape[1]
    for place, column in enumerate(master.columns):
        entries, value = master.exact_column(first + place)
        assert (column.job, 1) in entries
        assert value == Fraction(4 - column.completion if column.completion >= 0 else 0)
        assert len(entries) == 1 + len(column.rounds)
