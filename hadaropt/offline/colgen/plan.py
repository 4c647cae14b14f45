"""Columns that fit together: their GPUs, their value, and the schedules that they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.offline.colgen.cut_row import Gangs
from hadaropt.offline.colgen.node_groups import pack
from hadaropt.offline.colgen.pricing_data import JobOptions, Space
from hadaropt.offline.colgen.pricing_problem import Column
from hadaropt.offline.compact.max_flow import distribute
from hadaropt.offline.compact.placement import take_type
from hadaropt.schedule import Allocation, Schedule, trim_schedule

RoundGpus = dict[int, tuple[tuple[int, int], ...]]
"""GPUs of one job: round -> (cell, count)."""


@dataclass(frozen=True)
class Plan:
    """Columns with the GPUs that they hold.

    Attributes
    ----------
    columns : dict of job index to Column
    gpus : dict of job index to RoundGpus
        By type where cells are types, else by node h and type r: h * R + r.
    value : Fraction
        Sum of the values of the columns; their schedule may be worth more, since gangs may lie
        better than their classes promise.
    """

    columns: Mapping[int, Column]
    gpus: Mapping[int, RoundGpus]
    value: Fraction


def column_value(space: Space, column: Column) -> Fraction:
    """Return the exact value of a column."""
    job = space.jobs[column.job]
    return Fraction(0) if column.completion < 0 else job.values[column.completion - job.release]


def place(space: Space, columns: Iterable[Column]) -> Plan | None:
    """Place columns on GPUs, or return None if they do not fit together.

    Gangs that lie on one node of a group are packed first; the others take what is left.
    """
    chosen = {column.job: column for column in columns}
    rounds: dict[int, dict[int, list[tuple[int, int]]]] = {}
    for i, column in chosen.items():
        for t, _, content, _ in column.rounds:
            for kind, units in content:
                rounds.setdefault(t, {}).setdefault(kind, []).append((i, units))
    gpus: dict[int, dict[int, dict[int, int]]] = {i: {} for i in chosen}
    for t, demands in sorted(rounds.items()):
        counts = _distribute(space, {kind: sum(n for _, n in of) for kind, of in demands.items()})
        if counts is None:
            return None
        nodes = _Nodes(space)
        for kind, of in sorted(demands.items(), key=lambda item: not _together(space, item[0])):
            if _together(space, kind):
                (cell,) = counts[kind]
                homes = nodes.pack(cell, [units for _, units in of])
                if homes is None:
                    return None
                for (i, units), home in zip(of, homes, strict=True):
                    mine = gpus[i].setdefault(t, {})
                    mine[home] = mine.get(home, 0) + units
                continue
            # The GPUs of a class are interchangeable: deal them out in order.
            left = sorted(counts[kind].items())
            for i, units in of:
                mine = gpus[i].setdefault(t, {})
                while units:
                    cell, count = left[0]
                    part = min(units, count)
                    for place, some in nodes.take(cell, part):
                        mine[place] = mine.get(place, 0) + some
                    units -= part
                    left[:1] = [(cell, count - part)] if count > part else []
    total = sum((column_value(space, column) for column in chosen.values()), Fraction(0))
    return Plan(chosen, {i: _frozen(rounds_of) for i, rounds_of in gpus.items()}, total)


class _Nodes:
    """The free GPUs of the nodes of one round, where cells are on groups of nodes."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._width = len(space.instance.cluster.accelerators)
        self._free: dict[int, dict[int, int]] = {}

    def _places(self, cell: int) -> dict[int, int]:
        """Return the free GPUs of a cell, by h * R + r."""
        if cell not in self._free:
            g, r = divmod(cell, self._width)
            capacity = self._space.instance.cluster.capacity
            nodes = self._space.groups[g]
            self._free[cell] = {h * self._width + r: capacity[h][r] for h in nodes}
        return self._free[cell]

    def pack(self, cell: int, gangs: list[int]) -> list[int] | None:
        """Take a node for each gang, while all are free; return h * R + r for each, or None."""
        free = self._places(cell)
        order = list(free)
        found = pack(gangs, len(order), max(free.values()))
        if found is None:
            return None
        for k, units in zip(found, gangs, strict=True):
            free[order[k]] -= units
        return [order[k] for k in found]

    def take(self, cell: int, count: int) -> list[tuple[int, int]]:
        """Take GPUs: of the fullest node that holds all of them, else of one after the other."""
        if self._space.pooled:
            return [(cell, count)]
        free = self._places(cell)
        fits = [place for place, n in free.items() if n >= count]
        taken = []
        for place in [min(fits, key=lambda place: (free[place], place))] if fits else list(free):
            part = min(count, free[place])
            if part:
                free[place] -= part
                count -= part
                taken.append((place, part))
        return taken


def _together(space: Space, kind: int) -> bool:
    return space.classes[kind].together


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


def _frozen(rounds: Mapping[int, Mapping[int, int]]) -> RoundGpus:
    return {t: tuple((c, n) for c, n in sorted(by.items()) if n) for t, by in rounds.items()}


def to_schedule(space: Space, plan: Plan) -> Schedule:
    """Return the schedule of a plan; in pooled space types are dealt out over the nodes."""
    cluster = space.instance.cluster
    width = len(cluster.accelerators)
    free = np.repeat(np.array(cluster.capacity, np.int64)[None], space.instance.num_rounds, axis=0)
    jobs: list[tuple[Allocation, ...]] = [()] * len(space.instance.jobs)
    for i, column in sorted(plan.columns.items()):
        copies = {t: not gangs.types for t, _, _, gangs in column.rounds}
        allocations = []
        for t, cells in sorted(plan.gpus[i].items()):
            if not space.pooled:
                gpus = [(c // width, c % width, count) for c, count in cells]
            else:
                gpus = [gpu for r, count in cells for gpu in take_type(free[t], r, count)]
            allocations.append(Allocation(t, tuple(sorted(gpus)), copies[t]))
        jobs[space.jobs[i].job] = tuple(allocations)
    return trim_schedule(space.instance, Schedule(tuple(jobs)))


def _as_copies(
    space: Space, job: JobOptions, allocation: Allocation
) -> tuple[int, tuple[tuple[int, int], ...]] | None:
    """Return option and content of several copies; None if they have no option."""
    copies, width = job.copies, len(space.instance.cluster.accelerators)
    hosts: dict[int, set[int]] = {}
    for h, r, _ in allocation.gpus:
        hosts.setdefault(h, set()).add(h * width + r)
    if copies is None:
        return None
    state, used = 0, []
    for h, cells in sorted(hosts.items()):
        # Levels are nested: the fastest that admits the types of a copy admits fewest.
        fits = [
            (len(space.classes[kind].cells), level, kind)
            for level, kind in enumerate(copies.classes[h].tolist())
            if kind >= 0 and cells.issubset(space.classes[kind].cells)
        ]
        if not fits:
            return None
        _, level, kind = min(fits)
        used.append(kind)
        state = int(copies.step[state, level])
        if state < 0:
            return None
    option = int(copies.option[state])
    return (option, tuple((kind, job.gang_size) for kind in sorted(used))) if option else None


def to_plan(space: Space, schedule: Schedule) -> Plan | None:
    """Return a plan worth as much as a schedule; None if there is none.

    Jobs that complete at a value of 0 are left out: they have no column.
    """
    columns = []
    for i, job in enumerate(space.jobs):
        need = job.need
        rounds: list[tuple[int, int, tuple[tuple[int, int], ...], Gangs]] = []
        for allocation in schedule.jobs[job.job]:
            if allocation.copies:
                copied = _as_copies(space, job, allocation)
                if copied is None:
                    return None
                option, content = copied
                need -= job.progress[option - 1]
                gangs = Gangs(copies=tuple(kind for kind, _ in content))
                rounds.append((allocation.round, option, content, gangs))
                continue
            cells = space.cells_of(allocation.gpus)
            spans = len({h for h, _, _ in allocation.gpus}) > 1
            fits = [
                way
                for way in job.ways
                if cells.issubset(space.classes[way[1]].cells)
                and not (spans and space.classes[way[1]].together)
            ]
            if not fits:
                return None
            option, kind, types = max(fits, key=lambda way: way[0])
            need -= job.progress[option - 1]
            content = ((kind, job.gang_size),)
            rounds.append((allocation.round, option, content, Gangs(types)))
        pays = bool(rounds) and rounds[-1][0] - job.release < len(job.values)
        if pays and need <= 0:
            columns.append(Column(i, rounds[-1][0], tuple(rounds)))
    return place(space, columns)


__all__ = ["Plan", "column_value", "place", "to_plan", "to_schedule"]
