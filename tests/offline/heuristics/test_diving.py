"""Dives from LP points, and from schedules."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hadaropt.generate import generate
from hadaropt.instance import PARALLELISM, Instance
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Proof
from hadaropt.offline.colgen.plan import Plan, to_schedule
from hadaropt.offline.colgen.pricing_problem import Column
from hadaropt.offline.heuristics.dive import Allowance, Dive
from hadaropt.offline.heuristics.diving import Diving
from hadaropt.offline.tree.branch_and_price import Search
from hadaropt.schedule import check_schedule
from tests.offline.support import tight

NOTHING = Fraction(0)


def _root(instance: Instance) -> tuple[Search, Proof, list[Column]]:
    search = Search(instance, clock=Clock(), target_gap=0)
    solved = search.relaxation.converge(search.root.limits)
    return search, solved.proof, search.relaxation.master.columns


def _plan(diving: Diving, dive: Dive, value: Fraction = NOTHING) -> Plan | None:
    return diving.descend(dive, value, Allowance()).plan


@pytest.mark.parametrize("parallelism", PARALLELISM)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_dive_gives_a_feasible_schedule(parallelism: str, seed: int) -> None:
    instance = tight(parallelism, seed)
    search, proof, columns = _root(instance)
    diving = Diving(search.relaxation, columns)
    known = len(columns)
    plan = _plan(diving, Dive(proof))
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
    assert _plan(diving, Dive(proof), proof.bound) is None
    assert _plan(diving, Dive(proof, floor=proof.bound)) is None


def test_the_same_dive_twice() -> None:
    instance = tight("mixed", 2)
    plans = []
    for _ in range(2):
        search, proof, columns = _root(instance)
        diving = Diving(search.relaxation, columns)
        plans.append(_plan(diving, Dive(proof, noise=0.5, seed=5)))
    assert plans[0] == plans[1] is not None


def test_a_refill_changes_the_chosen_jobs_only() -> None:
    instance = generate("overloaded_tight", seed=3, num_jobs=12, num_rounds=12)
    search, proof, columns = _root(instance)
    diving = Diving(search.relaxation, columns)
    plan = _plan(diving, Dive(proof))
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
    found = _plan(diving, Dive(proof, plan=start, loose=tuple(loose)), start.value)
    assert found is not None
    assert found.value > start.value
    assert all(found.columns[i] == column for i, column in poor.items())
    check_schedule(instance, to_schedule(search.space, found))


def test_only_what_fits_is_priced() -> None:
    instance = tight("mixed", 1)
    search, proof, columns = _root(instance)
    diving = Diving(search.relaxation, columns)
    plan = _plan(diving, Dive(proof))
    assert plan is not None
    # Nothing but one job is loose: at most what the rest leaves can be its schedule.
    i = min(plan.columns)
    assert _plan(diving, Dive(proof, plan=plan, loose=(i,)), plan.value) is None
    assert np.all(diving._free >= 0)


def test_whoever_asks_can_stop_a_dive() -> None:
    search, proof, columns = _root(tight("mixed"))
    diving = Diving(search.relaxation, columns)
    stopped = diving.descend(Dive(proof), NOTHING, Allowance(), stop=lambda: True)
    assert stopped.plan is None and len(stopped.steps) == 1
    late = diving.descend(Dive(proof), NOTHING, Allowance(seconds=0.0))
    assert late.plan is None and late.operations > 0
