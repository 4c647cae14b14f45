"""The Hall form: pooled capacity, no node identity, one subset row per round and set of types.

Columns, besides those of `hadaropt.offline.compact.time_index`: ``run_j_t_l`` in {0, 1}, job j runs
in round t at the level of type l. Rows, besides those of the time index, for each round t and
needed set S of types: ``capacity_t_S``: sum of W_j run_j_t_l over the levels whose admitted types
lie in S <= C(S).

The divisible form is the Hall form with ``inside_j_t_l``, on one node of type l, and
``spread_j_t_l``, over nodes and slowed, in place of ``run_j_t_l`` for the jobs to which it matters;
its rows ``together_t_r_s`` are those of `hadaropt.offline.compact.divisible`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hadaropt.instance import Instance
from hadaropt.mip.model import Entries, Floats, Ints, LinearModel, spans
from hadaropt.modes.hall_sets import TypeSet, capacity_sets, set_name
from hadaropt.modes.plans import JobPlan, job_plans
from hadaropt.offline.compact.divisible import Row, single_node_rows
from hadaropt.offline.compact.time_index import Windows

MOST_TYPES_WRITTEN = 5
"""With more types than this, only the admitted sets get rows; the others are separated."""

_closure = lru_cache(maxsize=4096)(capacity_sets)


@dataclass(frozen=True)
class HallModel:
    """The arrays of the Hall form and what its columns and capacity rows mean.

    Attributes
    ----------
    linear : LinearModel
        Columns: run, progress, done, in this order. Rows: those of the time index, then those of
        single nodes, then capacity.
    plans : tuple of JobPlan
    windows : Windows
        The time axis of the plans.
    run_pair, run_way : ndarray, shape (Y,)
        Pair k (see `Windows`) and index into the plan's ways of each ``run`` column.
    run_sets : ndarray of int64, shape (Y,)
        Index into ``sets`` of the admitted set of each ``run`` column.
    sets : tuple of frozenset of int
        All sets that have a row in some round, or are admitted by some way.
    row_round, row_set : ndarray, shape (rows,)
        Round and set index of each capacity row.
    first_capacity_row : int
    pooled_capacity : tuple of int
        C_r.
    single_node : tuple of (type, size, limit)
        Rows of every round for gangs kept on one node; round by round, before the capacity rows.
    first_single_node_row : int
    """

    linear: LinearModel
    plans: tuple[JobPlan, ...]
    windows: Windows
    run_pair: Ints
    run_way: Ints
    run_sets: Ints
    sets: tuple[TypeSet, ...]
    row_round: Ints
    row_set: Ints
    first_capacity_row: int
    pooled_capacity: tuple[int, ...]
    single_node: tuple[Row, ...]
    first_single_node_row: int

    def row_of(self, t: int, types: TypeSet) -> tuple[NDArray[np.int32], Floats, float]:
        """Return columns, coefficients and limit of the capacity row of any set of types."""
        within = np.array([s <= types for s in self.sets])
        chosen = np.flatnonzero(within[self.run_sets] & (self.windows.round_of[self.run_pair] == t))
        gangs = self.windows.gang[self.windows.plan_of[self.run_pair[chosen]]]
        limit = sum(self.pooled_capacity[r] for r in types)
        return chosen.astype(np.int32), gangs.astype(np.float64), float(limit)


def _needed_rows(
    present: NDArray[np.bool_], own: tuple[TypeSet, ...], close: bool
) -> tuple[tuple[TypeSet, ...], NDArray[np.bool_]]:
    """Return all sets, the own ones first, and which of them need a row in which round."""
    sets = {s: i for i, s in enumerate(own)}
    patterns, which = np.unique(present, axis=0, return_inverse=True)
    needed: list[list[int]] = []
    for pattern in patterns:
        there = [own[i] for i in np.flatnonzero(pattern)]
        wanted = _closure(tuple(there)) if close else tuple(there)
        needed.append([sets.setdefault(s, len(sets)) for s in wanted])
    table = np.zeros((len(patterns), len(sets)), np.bool_)
    for row, columns in zip(table, needed, strict=True):
        row[columns] = True
    return tuple(sets), table[which.ravel()]


def hall_arrays(
    plans: Sequence[JobPlan],
    num_rounds: int,
    pooled_capacity: tuple[int, ...],
    single_node: Sequence[Row] = (),
) -> HallModel:
    """Return the arrays of the Hall form for these plans.

    Parameters
    ----------
    plans : sequence of JobPlan
        Of form ``hall`` or ``divisible``.
    num_rounds : int
    pooled_capacity : tuple of int
    single_node : sequence of (type, size, limit)
        Rows of each round for the gangs that are kept on one node.
    """
    windows = Windows.of(plans)
    gang = windows.gang
    # Ways, flat over the plans.
    way_counts = np.array([len(p.ways) for p in plans], np.int64)
    way_starts = np.cumsum(way_counts) - way_counts
    units = np.array([way.units for p in plans for way in p.ways], np.int64)
    own: dict[TypeSet, int] = {}
    set_of_way = np.array(
        [own.setdefault(frozenset(way.admitted), len(own)) for p in plans for way in p.ways],
        np.int64,
    )
    # Columns.
    run_pair, run_way = spans(way_counts[windows.plan_of])
    runs = len(run_pair)
    run_plan, run_round = windows.plan_of[run_pair], windows.round_of[run_pair]
    flat = way_starts[run_plan] + run_way
    progress, done = runs, runs + windows.pairs
    n = done + windows.dones
    # Rows.
    entries = Entries()
    run = np.arange(runs)
    advance, active = windows.add_rows(entries, progress, done)
    entries.add(advance + run_pair, run, -units[flat])
    entries.add(active + run_pair, run, 1)
    first_single_node_row = sum(windows.row_counts)
    first_capacity_row = first_single_node_row + num_rounds * len(single_node)
    run_sets = set_of_way[flat]
    present = np.zeros((num_rounds, len(own)), np.bool_)
    present[run_round, run_sets] = True
    close = len(pooled_capacity) <= MOST_TYPES_WRITTEN
    sets, needed = _needed_rows(present, tuple(own), close)
    row_round, row_set = np.nonzero(needed)
    row_at = np.full(needed.shape, -1, np.int64)
    row_at[row_round, row_set] = first_capacity_row + np.arange(len(row_round))
    run_gang = gang[run_plan].astype(np.float64)
    for s, types in enumerate(sets):
        within = np.array([other <= types for other in own])
        chosen = np.flatnonzero(within[run_sets] & needed[run_round, s])
        entries.add(row_at[run_round[chosen], s], chosen, run_gang[chosen])
    kind_of_way = [way.kind for p in plans for way in p.ways]
    inside = np.array([kind == "inside" for kind in kind_of_way], np.bool_)[flat]
    level = np.array([way.level for p in plans for way in p.ways], np.int64)[flat]
    for i, (r, size, _) in enumerate(single_node):
        held = np.flatnonzero(inside & (level == r) & (run_gang >= size))
        at = first_single_node_row + run_round[held] * len(single_node) + i
        entries.add(at, held, run_gang[held])
    room = np.tile(np.array([limit for *_, limit in single_node], np.float64), num_rounds)
    rows = first_capacity_row + len(row_round)
    limits = np.array([sum(pooled_capacity[r] for r in s) for s in sets], np.float64)
    # Limits.
    upper = np.full(n, np.inf)
    integer = np.zeros(n, np.bool_)
    cost = np.zeros(n)
    cost[done:] = windows.done_cost
    upper[:progress] = upper[done:] = 1.0
    integer[:progress] = integer[done:] = True

    def column_names() -> list[str]:
        job = windows.job
        return [
            f"{kind_of_way[w]}_{job[p]}_{t}_{x}"
            for p, t, w, x in zip(run_plan, run_round, flat, level, strict=True)
        ] + windows.column_names()

    def row_names() -> list[str]:
        names = [set_name(s) for s in sets]
        kept = [f"together_{t}_{r}_{s}" for t in range(num_rounds) for r, s, _ in single_node]
        return [*windows.row_names(), *kept] + [
            f"capacity_{t}_{names[s]}" for t, s in zip(row_round, row_set, strict=True)
        ]

    linear = LinearModel(
        cost,
        np.zeros(n),
        upper,
        np.full(rows, -np.inf),
        np.concatenate([windows.row_limits(), room, limits[row_set]]),
        *entries.columns(rows, n),
        integer,
        True,
        column_names,
        row_names,
    )
    return HallModel(
        linear,
        tuple(plans),
        windows,
        run_pair,
        run_way,
        run_sets,
        sets,
        row_round,
        row_set,
        first_capacity_row,
        pooled_capacity,
        tuple(single_node),
        first_single_node_row,
    )


def hall_model(instance: Instance, *, divisible: bool = False) -> HallModel:
    """Return the Hall form, or the divisible form, of an instance (see `hall_arrays`)."""
    plans = job_plans(instance, "divisible" if divisible else "hall")
    single_node = single_node_rows(instance) if divisible else ()
    capacity = instance.cluster.pooled_capacity
    return hall_arrays(plans, instance.num_rounds, capacity, single_node)
