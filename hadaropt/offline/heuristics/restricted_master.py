"""Feasible schedules from columns: placement, greedy insertion, restricted integer program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.mip.highs import HighsModel
from hadaropt.mip.model import Floats, Ints, LinearModel
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.master import Master
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.colgen.pricing_problem import Column
from hadaropt.offline.compact.max_flow import distribute
from hadaropt.offline.limited_run import run_within
from hadaropt.schedule import Allocation, Schedule, check_schedule, trim_schedule

Held = dict[int, tuple[tuple[int, int], ...]]
"""GPUs of one job: round -> (cell, count)."""


@dataclass(frozen=True)
class Plan:
    """Columns with the GPUs that they hold.

    Attributes
    ----------
    columns : dict of job index to Column
    held : dict of job index to Held
    value : Fraction
        Of the columns; the schedule may be worth more.
    """

    columns: Mapping[int, Column]
    held: Mapping[int, Held]
    value: Fraction


def column_value(space: Space, column: Column) -> Fraction:
    """Return the exact value of a column."""
    job = space.jobs[column.job]
    return Fraction(0) if column.completion < 0 else job.values[column.completion - job.release]


def place(space: Space, columns: Iterable[Column]) -> Plan | None:
    """Place columns on GPUs, or return None if they do not fit together."""
    chosen = {column.job: column for column in columns}
    rounds: dict[int, dict[int, list[tuple[int, int]]]] = {}
    for i, column in chosen.items():
        for t, _, content, _ in column.rounds:
            for kind, units in content:
                rounds.setdefault(t, {}).setdefault(kind, []).append((i, units))
    held: dict[int, dict[int, dict[int, int]]] = {i: {} for i in chosen}
    for t, demands in sorted(rounds.items()):
        counts = _distribute(space, {kind: sum(n for _, n in of) for kind, of in demands.items()})
        if counts is None:
            return None
        for kind, of in demands.items():
            # The GPUs of a class are interchangeable: deal them out in order.
            left = sorted(counts[kind].items())
            for i, units in of:
                mine = held[i].setdefault(t, {})
                while units:
                    cell, count = left[0]
                    part = min(units, count)
                    mine[cell] = mine.get(cell, 0) + part
                    units -= part
                    left[:1] = [(cell, count - part)] if count > part else []
    total = sum((column_value(space, column) for column in chosen.values()), Fraction(0))
    return Plan(chosen, {i: _frozen(rounds_of) for i, rounds_of in held.items()}, total)


def _distribute(space: Space, demands: Mapping[int, int]) -> dict[int, dict[int, int]] | None:
    """Return the GPUs of every cell that each class gets, or None if they do not suffice."""
    free = list(space.capacity)
    counts: dict[int, dict[int, int]] = {}
    wide: dict[object, tuple[int, frozenset[int]]] = {}
    for kind, amount in demands.items():
        cells = space.classes[kind].cells
        if len(cells) == 1:
            free[cells[0]] -= amount
            counts[kind] = {cells[0]: amount}
        else:
            wide[kind] = (amount, frozenset(cells))
    if min(free, default=0) < 0:
        return None
    if wide:
        found = distribute(wide, free)
        if found is None:
            return None
        counts.update({kind: by for kind, by in found.items() if isinstance(kind, int)})
    return counts


def _frozen(rounds: Mapping[int, Mapping[int, int]]) -> Held:
    return {t: tuple((c, n) for c, n in sorted(by.items()) if n) for t, by in rounds.items()}


def to_schedule(space: Space, plan: Plan) -> Schedule:
    """Return the schedule of a plan; in pooled space types are dealt out over the nodes."""
    cluster = space.instance.cluster
    width = len(cluster.accelerators)
    free = np.repeat(np.array(cluster.capacity, np.int64)[None], space.instance.num_rounds, axis=0)
    jobs: list[tuple[Allocation, ...]] = [()] * len(space.instance.jobs)
    for i, column in sorted(plan.columns.items()):
        copies = {t: not types for t, _, _, types in column.rounds}
        allocations = []
        for t, cells in sorted(plan.held[i].items()):
            if not space.pooled:
                gpus = [(c // width, c % width, count) for c, count in cells]
            else:
                gpus = [gpu for r, count in cells for gpu in _deal(free[t], r, count)]
            allocations.append(Allocation(t, tuple(sorted(gpus)), copies[t]))
        jobs[space.jobs[i].job] = tuple(allocations)
    return trim_schedule(space.instance, Schedule(tuple(jobs)))


def to_plan(space: Space, schedule: Schedule) -> Plan | None:
    """Return a plan worth as much as a schedule of single gangs; None if there is none.

    Jobs that complete at a value of 0 are left out: they have no column.
    """
    width = len(space.instance.cluster.accelerators)
    columns = []
    for i, job in enumerate(space.jobs):
        state, rounds = len(job.step) - 1, []
        for allocation in schedule.jobs[job.job]:
            if allocation.copies:
                return None
            cells = {r if space.pooled else h * width + r for h, r, _ in allocation.gpus}
            fits = [way for way in job.ways if cells.issubset(space.classes[way[1]].cells)]
            if not fits:
                return None
            option, kind, types = max(fits, key=lambda way: way[0])
            state = int(job.step[state, option - 1])
            rounds.append((allocation.round, option, ((kind, job.gang_size),), types))
        pays = bool(rounds) and rounds[-1][0] - job.release < len(job.values)
        if pays and state == 0:
            columns.append(Column(i, rounds[-1][0], tuple(rounds)))
    return place(space, columns)


def _deal(free: Ints, r: int, count: int) -> list[tuple[int, int, int]]:
    taken = []
    fits = [h for h in range(len(free)) if free[h, r] >= count]
    order = [min(fits, key=lambda h: (free[h, r], h))] if fits else range(len(free))
    for h in order:
        part = min(count, int(free[h, r]))
        if part:
            free[h, r] -= part
            count -= part
            taken.append((h, r, part))
    return taken


def exact_value(space: Space, schedule: Schedule) -> Fraction:
    """Return the value of a schedule by the one checker."""
    return check_schedule(space.instance, schedule).value


def restricted_integer(
    master: Master,
    keep: Sequence[int],
    start: Plan | None,
    *,
    clock: Clock,
    node_limit: int = 10**6,
) -> Plan | None:
    """Solve the master over some of its columns as an integer program; None if nothing is found.

    Parameters
    ----------
    keep : sequence of int
        Places of the columns.
    start : Plan, optional
        Its columns must all be kept, or it is not offered as a start.
    """
    linear = master.linear
    rows = linear.shape[0]
    base = linear.shape[1]
    counts = [len([r for r in master._index[p] if r < rows]) for p in keep]
    start_at = np.concatenate([linear.start, linear.start[-1] + np.cumsum(counts)])
    index = [r for p in keep for r in master._index[p] if r < rows]
    value = [
        v for p in keep for r, v in zip(master._index[p], master._value[p], strict=True) if r < rows
    ]
    n = base + len(keep)
    upper = np.concatenate([linear.upper, np.ones(len(keep))])
    upper[: len(master.space.jobs)] = 0.0
    integer = np.zeros(n, np.bool_)
    integer[base:] = True
    model = LinearModel(
        np.concatenate([linear.cost, np.array([master._worth[p] for p in keep])]),
        np.zeros(n),
        upper,
        linear.row_lower,
        linear.row_upper,
        start_at.astype(np.int32),
        np.concatenate([linear.index, np.array(index, np.int32)]).astype(np.int32),
        np.concatenate([linear.value, np.array(value, np.float64)]),
        integer,
        True,
        list,
        list,
    )
    highs = HighsModel(model, cost_scale=master._scale)
    if start is not None:
        x = _start_point(master, keep, start)
        if x is not None:
            highs.set_start(np.concatenate([np.zeros(base), x]))
    outcome = run_within(highs, clock, n + rows, node_limit=node_limit)
    if outcome.x is None:
        return None
    chosen = [master.columns[p] for p, x in zip(keep, outcome.x[base:], strict=True) if x > 0.5]
    return place(master.space, chosen)


def _start_point(master: Master, keep: Sequence[int], plan: Plan) -> Floats | None:
    places = {master.columns[p]: k for k, p in enumerate(keep)}
    x = np.zeros(len(keep))
    for column in plan.columns.values():
        if column not in places:
            return None
        x[places[column]] = 1.0
    return x


__all__ = [
    "Plan",
    "exact_value",
    "place",
    "restricted_integer",
    "to_plan",
    "to_schedule",
]
