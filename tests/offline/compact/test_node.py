"""The node form: GPUs of cells, gangs inside a node, and copies on several."""

from __future__ import annotations

from hadaropt import Cluster, Instance, Job
from hadaropt.modes.plans import job_plans
from hadaropt.offline.compact.node import node_model, round_block
from hadaropt.utility import Linear


def two_nodes(parallelism: str = "mixed", spread: str = "1/2") -> Instance:
    cluster = Cluster.of({"n0": {"V100": 2}, "n1": {"V100": 1}})
    job = Job("a", 0, 2, 8, {"V100": 4}, Linear(9, 1), spread)
    single = Job("b", 1, 1, 4, {"V100": 4}, Linear(9, 1), spread)
    return Instance(cluster, (job, single), 3, 1, parallelism)  # type: ignore[arg-type]


def test_a_gang_lies_inside_a_node_that_holds_it_or_is_slowed() -> None:
    instance = two_nodes()
    plan = job_plans(instance, "node")[0]
    block = round_block(plan, instance.cluster)
    names = [name.format(t=0) for name in block.columns]
    assert names == ["inside_0_0_0_0", "spread_0_0_0", "gpus_0_0_0_0", "gpus_0_0_1_0"]
    assert block.forked == -1 and block.upper == [1, 1, 2, 1]
    units = {way.kind: way.units for way in plan.ways}
    assert units["inside"] == 2 * units["spread"]


def test_copies_are_two_at_least_and_one_per_node() -> None:
    instance = two_nodes("forked")
    plan = job_plans(instance, "node")[1]
    block = round_block(plan, instance.cluster)
    rows = [name.format(t=0) for name in block.rows]
    assert block.forked >= 0
    assert {"most_1_0", "least_1_0", "one_1_0_0", "one_1_0_1"} <= set(rows)
    least = dict(
        (column, value) for row, column, value in block.entries if rows[row] == "least_1_0"
    )
    assert least[block.forked] == 2 and list(least.values()).count(-1) == 2


def test_capacity_rows_are_those_of_cells_that_somebody_can_use() -> None:
    cluster = Cluster.of({"n0": {"V100": 1}, "n1": {"K80": 1}})
    job = Job("a", 1, 1, 1, {"V100": 1}, Linear(3, 1))
    model = node_model(Instance(cluster, (job,), 3, 1))
    assert (model.capacity_rows >= 0).sum() == 2  # V100 on n0, from the release on
    assert (model.capacity_rows[0] == -1).all() and (model.capacity_rows[1:, 1] == -1).all()
    assert model.linear.row_upper[model.capacity_rows[1, 0, 0]] == 1
