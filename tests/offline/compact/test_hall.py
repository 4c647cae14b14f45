"""The Hall form: one row per round and set of types, with the gangs that have to lie within it."""

from __future__ import annotations

from dataclasses import replace

from hadaropt import Cluster, Instance, Job
from hadaropt.offline.compact.hall import hall_model
from hadaropt.utility import Linear
from tests.offline.support import duel


def two_types() -> Instance:
    """A gang of 2 that may mix both types at the speed of the slower one, and a job of the fast."""
    cluster = Cluster.of({"n0": {"fast": 1, "slow": 2}})
    jobs = (
        Job("wide", 0, 2, 2, {"fast": 2, "slow": 1}, Linear(9, 1)),
        Job("thin", 0, 1, 2, {"fast": 2}, Linear(9, 1)),
    )
    return Instance(cluster, jobs, 2, 1)


def test_one_gpu_has_one_row_in_each_round() -> None:
    model = hall_model(duel())
    assert model.sets == (frozenset({0}),)
    assert model.row_round.tolist() == [0, 1]
    names = model.linear.row_names()
    assert names[model.first_capacity_row :] == ["capacity_0_0", "capacity_1_0"]


def test_a_row_counts_the_gangs_that_must_lie_within_its_set() -> None:
    model = hall_model(two_types())
    names = model.linear.column_names()

    def row(types: set[int]) -> tuple[dict[str, float], float]:
        columns, counts, limit = model.row_of(0, frozenset(types))
        return dict(zip([names[c] for c in columns], counts.tolist(), strict=True)), limit

    assert row({0}) == ({"run_1_0_0": 1.0}, 1.0)  # two fast ones for the gang do not exist
    within, limit = row({0, 1})
    assert limit == 3
    assert within == {"run_0_0_1": 2.0, "run_1_0_0": 1.0}


def test_only_what_counts_in_a_round_is_in_its_row() -> None:
    instance = duel()
    late = replace(instance, jobs=(instance.jobs[0], replace(instance.jobs[1], release=1)))
    model = hall_model(late)
    assert [len(model.row_of(t, frozenset({0}))[0]) for t in (0, 1)] == [1, 2]
