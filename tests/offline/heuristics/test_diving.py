"""Dives from LP points, and from schedules."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hadaropt.generate import generate
from hadaropt.instance import PARALLELISM, Instance
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Proof
from hadaropt.offline.colgen.plan import to_schedule
from hadaropt.offline.colgen.pricing_problem import Column
from hadaropt.offline.heuristics.diving import Diving
from hadaropt.offline.tree.branch_and_price import Search
from hadaropt.schedule import check_schedule
from tests.offline.support import tight


def _root(instance: Instance) -> tuple[Search, Proof, list[Column]]:
    search = Search(instance, clock=Clock(), target_gap=0)
    solved = search.relaxation.converge(search.root.limits)
    return search, solved.proof, search.relaxation.master.columns


@pytest.mark.parametrize("parallelism", PARALLELISM)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_dive_gives_a_feasible_schedule(parallelism: str, seed: int) -> None:
    instance = tight(parallelism, seed)
    search, proof, columns = _root(instance)
    diving = Diving(search.relaxation, columns)
    known = len(columns)
    plan = diving.dive(proof, Fraction(0), clock=Clock())
    assert plan is not None
    assert check_schedule(instance, to_schedule(search.space, plan)).value >= plan.value > 0
    assert proof.bound is not None
    assert plan.value <= proof.bound
    assert len(columns) == known  # the relaxation itself is as before


def test_a_dive_below_the_value_ends() -> None:
    instance = tight("mixed")
    search, proof, columns = _root(instance)
    assert proof.bound is not None
    diving = Diving(search.relaxation, columns)
    assert diving.dive(proof, proof.bound, clock=Clock()) is None


def test_the_same_dive_twice() -> None:
    instance = tight("mixed", 2)
    plans = []
    for _ in range(2):
        search, proof, columns = _root(instance)
        diving = Diving(search.relaxation, columns, seed=5)
        plans.append(diving.dive(proof, Fraction(0), clock=Clock(), noise=0.5))
    assert plans[0] == plans[1] is not None


def test_a_refill_changes_the_chosen_jobs_only() -> None:
    instance = generate("overloaded_tight", seed=3, num_jobs=12, num_rounds=12)
    search, proof, columns = _root(instance)
    diving = Diving(search.relaxation, columns)
    plan = diving.dive(proof, Fraction(0), clock=Clock())
    assert plan is not None
    # A plan without half of its jobs has room for better.
    poor = {i: column for i, column in plan.columns.items() if i % 2 == 0}
    loose = sorted(set(range(len(search.space.jobs))) - set(poor))
    gpus = {i: plan.gpus[i] for i in poor}
    worth = sum(
        (search.space.jobs[i].values[c.completion - search.space.jobs[i].release])
        for i, c in poor.items()
    )
    start = type(plan)(poor, gpus, Fraction(worth))
    found = diving.refill(start, loose, proof, clock=Clock())
    assert found is not None
    assert found.value > start.value
    assert all(found.columns[i] == column for i, column in poor.items())
    check_schedule(instance, to_schedule(search.space, found))


def test_a_neighbourhood_holds_distinct_jobs() -> None:
    instance = tight("mixed")
    search, proof, columns = _root(instance)
    diving = Diving(search.relaxation, columns)
    plan = diving.dive(proof, Fraction(0), clock=Clock())
    assert plan is not None
    for size in (1, 4, 9, 1, 4, 9):
        chosen = diving.neighbourhood(plan, size)
        assert len(set(chosen)) == size
        assert set(chosen) <= set(range(len(search.space.jobs)))


def test_only_what_fits_is_priced() -> None:
    instance = tight("mixed", 1)
    search, proof, columns = _root(instance)
    diving = Diving(search.relaxation, columns)
    plan = diving.dive(proof, Fraction(0), clock=Clock())
    assert plan is not None
    # Nothing but one job is loose: at most what the rest leaves can be its schedule.
    i = min(plan.columns)
    assert diving.refill(plan, [i], proof, clock=Clock()) is None
    assert np.all(diving._free >= 0)
