"""Plans of jobs: levels, gcd, windows; and the arrays built from them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings

from hadaropt import Cluster, Instance, Job
from hadaropt.modes.plans import job_plan
from hadaropt.offline.compact.formulation import assemble
from hadaropt.offline.compact.hall import HallModel
from hadaropt.utility import Linear
from tests.instances_strategy import tiny_instances
from tests.offline.support import instance_of
from tests.oracle import Json, job_schedules

CLUSTER = Cluster.of({"n0": {"V100": 2, "P100": 1}, "n1": {"P100": 1, "K80": 4}})


def plan_of(form: str = "hall", parallelism: str = "mixed", **fields: object):
    given = {"release": 1, "gang_size": 2, "iterations": 100, "utility": Linear(9, 1)}
    given |= fields
    job = Job("a", throughput={"V100": 30, "P100": 20, "K80": "10.9"}, **given)  # type: ignore
    instance = Instance(CLUSTER, (job,), 12, 1, parallelism)  # type: ignore[arg-type]
    return job_plan(instance, 0, form)  # type: ignore[arg-type]


def test_levels_admit_what_is_faster() -> None:
    plan = plan_of()
    assert [(w.level, w.units, w.admitted) for w in plan.ways] == [
        (0, 3, (0,)),
        (1, 2, (0, 1)),
        (2, 1, (0, 1, 2)),
    ]
    assert (plan.need, plan.first, plan.last) == (10, 4, 9)
    assert plan.values[0] == Fraction(6)
    single = plan_of(parallelism="single_type")
    assert [w.admitted for w in single.ways] == [(0,), (1,), (2,)]


def test_progress_is_capped_before_levels_are_told_apart() -> None:
    plan = plan_of(iterations=20)
    assert [(w.level, w.units, w.admitted) for w in plan.ways] == [
        (0, 2, (0, 1)),
        (2, 1, (0, 1, 2)),
    ]
    assert plan.need == 2
    assert [w.units for w in plan_of(iterations=1).ways] == [1]


def test_pitfall_9_progress_is_exact() -> None:
    """0.7 / 0.1 is 7, not 6."""
    cluster = Cluster.of({"n0": {"V100": 1}})
    job = Job("a", 0, 1, 7, {"V100": "0.7"}, Linear(1, 0))
    plan = job_plan(Instance(cluster, (job,), 1, 10), 0, "hall")
    assert plan is not None
    assert (plan.need, plan.ways[0].units, plan.first) == (1, 1, 0)


def test_gangs_that_do_not_fit_have_no_way() -> None:
    assert [w.level for w in plan_of(gang_size=3).ways] == [1, 2]
    assert [w.level for w in plan_of(gang_size=8, utility=Linear(99, 1)).ways] == [2]
    assert plan_of(gang_size=9, utility=Linear(99, 1)) is None


def test_node_form_tells_inside_from_spread() -> None:
    plan = plan_of("node", spread_factor="1/2")
    kinds = [(w.kind, w.node, w.level, w.units) for w in plan.ways]
    assert kinds == [
        ("inside", 0, 0, 6),
        ("inside", 0, 1, 4),
        ("inside", 1, 2, 2),
        ("spread", -1, 0, 3),
        ("spread", -1, 1, 2),
        ("spread", -1, 2, 1),
    ]
    assert plan.need == 20


def test_copies_need_two_hosts() -> None:
    forked = plan_of("node", "forked", gang_size=1)
    assert {w.kind for w in forked.ways} == {"run", "copy"}
    assert forked.max_copies == 2
    assert forked.first == 1 + 2 - 1  # 30 + 20 in each round
    wide = plan_of("node", "forked", gang_size=4, utility=Linear(99, 1))
    assert {w.kind for w in wide.ways} == {"run"}
    assert wide.max_copies == 1


@settings(deadline=None, max_examples=150)
@given(tiny_instances())
def test_first_round_and_values_are_the_oracles(document: Json) -> None:
    instance = instance_of(document)
    for j in range(len(instance.jobs)):
        earliest = [s for s in job_schedules(document, j) if s.value > 0]
        plan = job_plan(instance, j, "node")
        if not earliest:
            assert plan is None
            continue
        assert plan is not None
        assert plan.first == min(s.completion for s in earliest)
        assert plan.values[0] == max(s.value for s in earliest)


@settings(deadline=None, max_examples=60)
@given(tiny_instances())
def test_arrays_are_well_formed(document: Json) -> None:
    model = assemble(instance_of(document))
    linear = model.linear
    rows, columns = linear.shape
    assert len(set(linear.row_names())) == rows
    assert len(set(linear.column_names())) == columns
    assert (linear.value != 0).all() and (linear.value == np.rint(linear.value)).all()
    assert (linear.cost >= 0).all()
    assert linear.matrix.has_canonical_format
    if isinstance(model, HallModel):
        for i, (t, s) in enumerate(zip(model.row_round, model.row_set, strict=True)):
            row = linear.matrix[model.first_capacity_row + i].toarray().ravel()
            index, value, limit = model.row_of(int(t), model.sets[s])
            expected = np.zeros(columns)
            expected[index] = value
            assert (row == expected).all()
            assert limit == linear.row_upper[model.first_capacity_row + i]
