"""Jobs that are scheduled anew together: distinct, as many as asked for, and of the kind meant."""

from __future__ import annotations

import numpy as np
import pytest

from hadaropt.instance import Cluster, Instance, Job
from hadaropt.offline.colgen.plan import Plan, to_plan
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.first_schedule import first_schedule
from hadaropt.offline.heuristics.neighbourhoods import Neighbourhoods
from hadaropt.offline.heuristics.params import DivingParams
from hadaropt.utility import Linear


def known() -> tuple[Space, Plan]:
    """Eight jobs one after the other on four GPUs, the even ones with gangs of four."""
    jobs = [Job(f"j{i}", i, 1 if i % 2 else 4, 1, {"V100": 1}, Linear(20, 1)) for i in range(8)]
    instance = Instance(Cluster.of({"n": {"V100": 4}}), jobs, 12, round_seconds=1)
    space = Space.of(instance)
    plan = to_plan(space, first_schedule(instance))
    assert plan is not None and len(plan.columns) == 8
    return space, plan


def test_jobs_are_distinct_and_as_many_as_asked_for() -> None:
    space, plan = known()
    around = Neighbourhoods(space, {})
    random = np.random.default_rng(0)
    for size in (1, 4, 8) * 4:
        drawn = around.draw(plan, size, random)
        assert len(set(drawn)) == size and set(drawn) <= set(range(8))
    again = [around.draw(plan, 3, np.random.default_rng(k)) for k in range(20)]
    assert again == [around.draw(plan, 3, np.random.default_rng(k)) for k in range(20)]
    assert len(set(again)) > 10


def test_the_disputed_are_those_of_whose_schedule_the_lp_holds_little() -> None:
    space, plan = known()
    shares = {column: 1.0 if i in (1, 4) else 0.2 for i, column in plan.columns.items()}
    around = Neighbourhoods(space, shares, DivingParams(dispute=0.5))
    for seed in range(10):
        key = around._disputed(plan, np.random.default_rng(seed))
        assert set(np.argsort(key)[-2:].tolist()) == {1, 4}
    # Who has nothing agrees with a point that gives nothing.
    idle = Plan({i: c for i, c in plan.columns.items() if i != 3}, plan.gpus, plan.value)
    half = {column: 0.5 for i, column in idle.columns.items()}
    key = Neighbourhoods(space, half, DivingParams(dispute=0.1))._disputed(
        idle, np.random.default_rng(0)
    )
    assert int(np.argmax(key)) == 3 and key[3] == pytest.approx(1.0, abs=0.1)


def test_the_others_are_of_a_time_or_of_large_gangs() -> None:
    space, plan = known()
    around = Neighbourhoods(space, {}, DivingParams(gang_chance=50.0))
    for seed in range(10):
        key = around._large(plan, np.random.default_rng(seed))
        assert set(np.argsort(key)[:4].tolist()) == {0, 2, 4, 6}
        now = int(np.random.default_rng(seed).integers(12))
        key = around._at_a_time(plan, np.random.default_rng(seed))
        nearest = min(plan.columns, key=lambda i: abs(plan.columns[i].rounds[0][0] - now))
        assert key[nearest] <= key.min() + 2
