"""The node form: integer GPU counts per job, round, node and type; spreading and copies.

Columns, besides those of `hadaropt.offline.compact.time_index` (j: job, t: round, h: node,
l: level, r: type):

- ``run_j_t_l``, ``spread_j_t_l``, ``inside_j_t_h_l``, ``copy_j_t_h_l`` in {0, 1}: the ways of
  `hadaropt.modes.plans.Way`; ``forked_j_t`` in {0, 1}: the job runs as two or more copies;
- ``gpus_j_t_h_r`` integer: GPUs set aside for the job.

Rows, besides those of the time index (where ``active`` counts the gangs and ``forked``):

- ``hold_j_t_nH_S``: W times the gangs and copies inside node h whose admitted types lie in S <=
  the job's GPUs of the types S on node h;
- ``hold_j_t_S``: the same over all nodes, for gangs anywhere;
- ``most_j_t``, ``least_j_t``: 2 forked <= copies <= max_copies forked;
- ``one_j_t_h``: at most one copy on node h, and none unless forked;
- ``capacity_t_h_r``: GPUs set aside <= c_hr.

Admitted sets of one job form a chain (or are single types), so these rows say exactly that the
gangs fit what is set aside; nodes are kept apart even if identical.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hadaropt.instance import Cluster, Instance
from hadaropt.mip.model import Entries, Ints, LinearModel
from hadaropt.modes.hall_sets import TypeSet, distinct_sets, set_name
from hadaropt.modes.plans import JobPlan, Way, job_plans
from hadaropt.offline.compact.time_index import Windows


@dataclass
class RoundBlock:
    """The columns and rows of one job in one round; every round of the job looks the same.

    Attributes
    ----------
    columns, rows : list of str
        Names with ``{t}`` for the round.
    entries : list of (row, column, value)
    advance, active : list of (column, value)
        Entries in the job's ``advance`` and ``active`` row of that round.
    upper : list of int
        Upper limits of the columns.
    cells : dict of (h, r) to column
        The ``gpus`` columns.
    forked : int
        The ``forked`` column; -1 for a job that may not run as copies.
    """

    columns: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    entries: list[tuple[int, int, int]] = field(default_factory=list)
    advance: list[tuple[int, int]] = field(default_factory=list)
    active: list[tuple[int, int]] = field(default_factory=list)
    upper: list[int] = field(default_factory=list)
    cells: dict[tuple[int, int], int] = field(default_factory=dict)
    forked: int = -1

    def column(self, name: str, upper: int = 1) -> int:
        """Add a column."""
        self.columns.append(name)
        self.upper.append(upper)
        return len(self.columns) - 1

    def row(self, name: str, entries: list[tuple[int, int]]) -> None:
        """Add a row <= 0."""
        self.entries += [(len(self.rows), column, value) for column, value in entries]
        self.rows.append(name)


def round_block(plan: JobPlan, cluster: Cluster) -> RoundBlock:
    """Return the block of one round of a plan of form ``node``. Column i is way i."""
    block, j = RoundBlock(), plan.job
    local: dict[int, list[tuple[int, Way]]] = {}
    for i, way in enumerate(plan.ways):
        place = f"{way.node}_{way.level}" if way.node >= 0 else str(way.level)
        block.column(f"{way.kind}_{j}_{{t}}_{place}")
        block.advance.append((i, -way.units))
        if way.kind != "copy":
            block.active.append((i, 1))
        if way.node >= 0:
            local.setdefault(way.node, []).append((i, way))
    copies = [i for i, way in enumerate(plan.ways) if way.kind == "copy"]
    if copies:
        block.forked = block.column(f"forked_{j}_{{t}}")
        block.active.append((block.forked, 1))
    anywhere = {r for way in plan.ways if way.node < 0 for r in way.admitted}
    for h, counts in enumerate(cluster.capacity):
        wanted = anywhere | {r for _, way in local.get(h, ()) for r in way.admitted}
        for r in sorted(wanted):
            if counts[r] > 0:
                limit = min(counts[r], plan.gang_size)
                block.cells[h, r] = block.column(f"gpus_{j}_{{t}}_{h}_{r}", limit)

    def hold(name: str, types: TypeSet, ways: Sequence[tuple[int, Way]], h: int | None) -> None:
        gangs = [(i, plan.gang_size) for i, way in ways if types.issuperset(way.admitted)]
        held = [
            (column, -1)
            for (node, r), column in block.cells.items()
            if r in types and h in (None, node)
        ]
        block.row(f"{name}_{set_name(types)}", gangs + held)

    for h, ways in sorted(local.items()):
        for types in distinct_sets(way.admitted for _, way in ways):
            hold(f"hold_{j}_{{t}}_n{h}", types, ways, h)
    every = list(enumerate(plan.ways))
    for types in distinct_sets(way.admitted for way in plan.ways if way.node < 0):
        hold(f"hold_{j}_{{t}}", types, every, None)
    if copies:
        total = [(i, 1) for i in copies]
        block.row(f"most_{j}_{{t}}", [*total, (block.forked, -plan.max_copies)])
        block.row(f"least_{j}_{{t}}", [(block.forked, 2), *((i, -1) for i in copies)])
        for h, ways in sorted(local.items()):
            here = [(i, 1) for i, way in ways if way.kind == "copy"]
            if here:
                block.row(f"one_{j}_{{t}}_{h}", [*here, (block.forked, -1)])
    return block


@dataclass(frozen=True)
class NodeModel:
    """The arrays of the node form and what its columns and capacity rows mean.

    Attributes
    ----------
    linear : LinearModel
        Columns: the blocks, plan by plan and round by round, then progress and done.
    plans : tuple of JobPlan
    windows : Windows
        The time axis of the plans.
    blocks : tuple of RoundBlock
        Of each plan.
    block_starts : ndarray, shape (plans,)
        First column of the first block of each plan.
    progress, done : int
        First ``progress`` and first ``done`` column.
    capacity_rows : ndarray, shape (T, H, R)
        Row of each cell's capacity in each round, -1 where nobody can use it.
    """

    linear: LinearModel
    plans: tuple[JobPlan, ...]
    windows: Windows
    blocks: tuple[RoundBlock, ...]
    block_starts: Ints
    progress: int
    done: int
    capacity_rows: Ints

    def columns_of(self, p: int, t: int) -> int:
        """Return the first column of the block of plan p in round t."""
        offset = (t - self.plans[p].release) * len(self.blocks[p].columns)
        return int(self.block_starts[p]) + offset


def node_arrays(plans: Sequence[JobPlan], cluster: Cluster, num_rounds: int) -> NodeModel:
    """Return the arrays of the node form for plans of form ``node``."""
    windows = Windows.of(plans)
    blocks = tuple(round_block(plan, cluster) for plan in plans)
    rounds = windows.last - windows.release + 1
    widths = np.array([len(b.columns) for b in blocks], np.int64)
    heights = np.array([len(b.rows) for b in blocks], np.int64)
    block_starts = np.cumsum(widths * rounds) - widths * rounds
    progress = int((widths * rounds).sum())
    done = progress + windows.pairs
    n = done + windows.dones
    entries = Entries()
    advance, active = windows.add_rows(entries, progress, done)
    block_rows = sum(windows.row_counts) + np.cumsum(heights * rounds) - heights * rounds
    first_capacity_row = int(sum(windows.row_counts) + (heights * rounds).sum())
    shape = (num_rounds, len(cluster.nodes), len(cluster.accelerators))
    used = np.zeros(shape, np.bool_)
    for plan, block in zip(plans, blocks, strict=True):
        for h, r in block.cells:
            used[plan.release : plan.last + 1, h, r] = True
    capacity_rows = np.full(shape, -1, np.int64)
    capacity_rows[used] = first_capacity_row + np.arange(int(used.sum()))
    upper = np.full(n, np.inf)
    integer = np.zeros(n, np.bool_)
    for p, (plan, block) in enumerate(zip(plans, blocks, strict=True)):
        step = np.arange(rounds[p])
        column = block_starts[p] + widths[p] * step
        row = block_rows[p] + heights[p] * step
        pair = windows.starts[p] + step
        inner = np.array(block.entries, np.int64).reshape(-1, 3)
        shifted = [np.add.outer(row, inner[:, 0]), np.add.outer(column, inner[:, 1])]
        entries.add(shifted[0].ravel(), shifted[1].ravel(), np.tile(inner[:, 2], len(step)))
        for first, linked in ((advance, block.advance), (active, block.active)):
            link = np.array(linked, np.int64).reshape(-1, 2)
            rows = np.repeat(first + pair, len(link))
            entries.add(
                rows, np.add.outer(column, link[:, 0]).ravel(), np.tile(link[:, 1], len(step))
            )
        for (h, r), local in block.cells.items():
            rows = capacity_rows[plan.release : plan.last + 1, h, r]
            entries.add(rows, column + local, 1)
        end = block_starts[p] + widths[p] * rounds[p]
        upper[block_starts[p] : end] = np.tile(np.array(block.upper, np.float64), len(step))
    integer[:progress] = integer[done:] = True
    upper[done:] = 1.0
    cost = np.zeros(n)
    cost[done:] = windows.done_cost
    total_rows = first_capacity_row + int(used.sum())
    limits = np.zeros(total_rows)
    limits[: sum(windows.row_counts)] = windows.row_limits()
    counts = np.broadcast_to(np.array(cluster.capacity, np.float64), shape)
    limits[first_capacity_row:] = counts[used]

    def column_names() -> list[str]:
        return _names(plans, [b.columns for b in blocks]) + windows.column_names()

    def row_names() -> list[str]:
        cells = (f"capacity_{t}_{h}_{r}" for t, h, r in np.argwhere(used))
        return [*windows.row_names(), *_names(plans, [b.rows for b in blocks]), *cells]

    linear = LinearModel(
        cost,
        np.zeros(n),
        upper,
        np.full(total_rows, -np.inf),
        limits,
        *entries.columns(total_rows, n),
        integer,
        True,
        column_names,
        row_names,
    )
    return NodeModel(
        linear, tuple(plans), windows, blocks, block_starts, progress, done, capacity_rows
    )


def _names(plans: Sequence[JobPlan], patterns: Sequence[Sequence[str]]) -> list[str]:
    return [
        pattern.format(t=t)
        for plan, names in zip(plans, patterns, strict=True)
        for t in range(plan.release, plan.last + 1)
        for pattern in names
    ]


def node_model(instance: Instance) -> NodeModel:
    """Return the node form of an instance (see `node_arrays`)."""
    plans = job_plans(instance, "node")
    return node_arrays(plans, instance.cluster, instance.num_rounds)


__all__ = ["NodeModel", "RoundBlock", "node_arrays", "node_model", "round_block"]
