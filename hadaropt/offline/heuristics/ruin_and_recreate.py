"""Ruin and recreate on the schedules of a space: a start for branch-and-price."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from hadaropt.kernels.pricing import columns
from hadaropt.mip.model import Ints
from hadaropt.offline.colgen.cut_row import Gangs
from hadaropt.offline.colgen.plan import Plan, place
from hadaropt.offline.colgen.pricing_data import JobOptions, closed_sets
from hadaropt.offline.colgen.pricing_problem import Column, Pricing

MOST_SETS = 64
"""Sets of cells of Hall's condition up to which schedules are searched; each costs time."""
MOST_BUNDLES = 500
"""Jobs with more ways to run as copies are only tried as one gang."""


@dataclass(frozen=True)
class Bundle:
    """A way to run in a round.

    Attributes
    ----------
    option : int
        Which progress it makes, 1 .. K.
    classes : tuple of int
        The class of the gang, or one for each copy.
    types : frozenset of int
        Admitted types of the gang's level; empty for copies.
    """

    option: int
    classes: tuple[int, ...]
    types: frozenset[int]


class LocalSearch:
    """Improves schedules, wherever Hall's condition takes few sets of cells.

    Parameters
    ----------
    pricing : Pricing
    """

    def __init__(self, pricing: Pricing) -> None:
        space = pricing.space
        self.pricing, self.space = pricing, space
        self.sets = closed_sets(space, MOST_SETS)
        rounds = space.instance.num_rounds
        self._free = np.zeros((rounds, len(self.sets)), np.int64)
        for q, cells in enumerate(self.sets):
            self._free[:, q] = sum(space.capacity[c] for c in cells)
        members = [
            [q for q, cells in enumerate(self.sets) if cells.issuperset(kind.cells)]
            for kind in space.classes
        ]
        self.ways = [self._bundles(job) for job in space.jobs]
        self._way_at = np.cumsum([0] + [len(ways) for ways in self.ways]).astype(np.int64)
        flat = [way for ways in self.ways for way in ways]
        self._way_option = np.array([way.option for way in flat], np.int64)
        taken = [Counter(q for c in way.classes for q in members[c]) for way in flat]
        self._row_at = np.cumsum([0] + [len(rows) for rows in taken]).astype(np.int64)
        self._rows = np.array([q for rows in taken for q in rows], np.int64)
        self._units = np.array([n for rows in taken for n in rows.values()], np.int64)
        self._gang = np.array([job.gang_size for job in space.jobs], np.int64)
        self._weight = np.zeros((len(flat), len(space.classes)), np.int64)
        for w, way in enumerate(flat):
            for c in way.classes:
                self._weight[w, c] += 1
        self._weight *= np.repeat(self._gang, np.diff(self._way_at))[:, None]
        self.operations = 10_000 + 5 * pricing.operations // max(1, len(space.jobs))
        """What an iteration counts for in a limit of work."""

    @staticmethod
    def _bundles(job: JobOptions) -> list[Bundle]:
        """Ways of one gang, and of several copies as far as they are few."""
        ways = [Bundle(option, (index,), types) for option, index, types in job.ways]
        if job.copies is None:
            return ways
        copies = job.copies
        states: dict[tuple[int, ...], int] = {(): 0}
        for row in copies.classes.tolist():
            grown = dict(states)
            for used, state in states.items():
                for index, to in zip(row, copies.step[state].tolist(), strict=True):
                    if index >= 0 and to >= 0:
                        grown[(*used, index)] = to
            if len(grown) > MOST_BUNDLES:
                return ways
            states = grown
        return ways + [
            Bundle(int(copies.option[state]), used, frozenset())
            for used, state in states.items()
            if len(used) > 1
        ]

    def improve(
        self, start: Plan | None, prices: Ints, *, seed: int, iterations: int, most: int = 12
    ) -> Plan | None:
        """Return the best plan found from a plan, at prices of the cells that guide insertion."""
        if not self.sets or not self.space.jobs:
            return None
        pricing, space = self.pricing, self.space
        ways = np.full(int(pricing.round_at[-1]), -1, np.int64)
        value = np.zeros(len(space.jobs), np.int64)
        free = self._free.copy()
        for i, column in (start.columns if start else {}).items():
            self._write(i, column, ways, value, free)
        each = np.zeros((len(free), len(space.classes)), np.int64)
        for c, kind in enumerate(space.classes):
            each[:, c] = prices[:, list(kind.cells)].min(axis=1)
        price = np.minimum(each, 2**40) @ self._weight.T
        columns.improve(
            seed,
            iterations,
            min(most, len(space.jobs)),
            pricing.windows,
            columns.Ways(
                self._way_at,
                self._way_option,
                self._gang,
                self._row_at,
                self._rows,
                self._units,
            ),
            free,
            price,
            ways,
            value,
        )
        return place(space, self._columns(ways, value))

    def _write(self, i: int, column: Column, ways: Ints, value: Ints, free: Ints) -> None:
        """Enter a column, if its ways are known."""
        job = self.space.jobs[i]
        known = {(way.option, tuple(sorted(way.classes))): w for w, way in enumerate(self.ways[i])}
        found = []
        for t, option, content, _ in column.rounds:
            w = known.get((option, tuple(c for c, _ in content)))
            if w is None:
                return
            found.append((t, int(self._way_at[i]) + w))
        base = int(self.pricing.round_at[i])
        value[i] = self.pricing.scaled_values[base + column.completion - job.release]
        for t, w in found:
            ways[base + t - job.release] = w
            part = slice(int(self._row_at[w]), int(self._row_at[w + 1]))
            free[t, self._rows[part]] -= job.gang_size * self._units[part]

    def _columns(self, ways: Ints, value: Ints) -> list[Column]:
        columns = []
        for i, job in enumerate(self.space.jobs):
            if value[i] == 0:
                continue
            base = int(self.pricing.round_at[i])
            mine = ways[base : base + len(job.values)]
            rounds = []
            for n in np.flatnonzero(mine >= 0).tolist():
                way = self.ways[i][int(mine[n] - self._way_at[i])]
                content = tuple((c, job.gang_size) for c in sorted(way.classes))
                gangs = Gangs(way.types, () if way.types else tuple(sorted(way.classes)))
                rounds.append((job.release + n, way.option, content, gangs))
            columns.append(Column(i, rounds[-1][0], tuple(rounds)))
        return columns
