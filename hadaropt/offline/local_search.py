"""Ruin and recreate on the schedules of a space: a start for branch-and-price."""

from __future__ import annotations

import numpy as np

from hadaropt.kernels import reinsertion
from hadaropt.offline.columns import Column, Pricing
from hadaropt.offline.model import Ints
from hadaropt.offline.options import closed_sets
from hadaropt.offline.primal import Plan, place

MOST_SETS = 64


class LocalSearch:
    """Improves schedules in which every job runs as one gang.

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
        counts = np.array([len(rows) for rows in members], np.int64)
        self._row_at = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self._rows = np.array([q for rows in members for q in rows], np.int64)
        self._gang = np.array([job.gang_size for job in space.jobs], np.int64)
        self._way_class = pricing.way_class

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
        price = np.zeros((len(free), len(space.classes)), np.int64)
        for c, kind in enumerate(space.classes):
            price[:, c] = prices[:, list(kind.cells)].min(axis=1)
        reinsertion.improve(
            seed,
            iterations,
            min(most, len(space.jobs)),
            pricing.release,
            pricing.rounds,
            pricing.options,
            pricing.states,
            pricing.step_at,
            pricing.step,
            pricing.cost_at,
            pricing.way_at,
            pricing.way_option,
            pricing.way_class,
            self._gang,
            pricing.round_at,
            pricing.worth,
            self._row_at,
            self._rows,
            free,
            price,
            ways,
            value,
        )
        return place(space, self._columns(ways, value))

    def _write(self, i: int, column: Column, ways: Ints, value: Ints, free: Ints) -> None:
        """Enter a column, if it runs as one gang in every round."""
        job, pricing = self.space.jobs[i], self.pricing
        known = {(option, index): w for w, (option, index, _) in enumerate(job.ways)}
        found = []
        for t, option, content, types in column.rounds:
            w = known.get((option, content[0][0])) if types else None
            if w is None:
                return
            found.append((t, w, content[0][0]))
        base = int(pricing.round_at[i])
        value[i] = pricing.worth[base + column.completion - job.release]
        for t, w, index in found:
            ways[base + t - job.release] = pricing.way_at[i] + w
            rows = self._rows[self._row_at[index] : self._row_at[index + 1]]
            free[t, rows] -= job.gang_size

    def _columns(self, ways: Ints, value: Ints) -> list[Column]:
        columns = []
        for i, job in enumerate(self.space.jobs):
            if value[i] == 0:
                continue
            base = int(self.pricing.round_at[i])
            mine = ways[base : base + len(job.values)]
            rounds = []
            for n in np.flatnonzero(mine >= 0).tolist():
                option, index, types = job.ways[int(mine[n] - self.pricing.way_at[i])]
                rounds.append((job.release + n, option, ((index, 1),), types))
            columns.append(Column(i, rounds[-1][0], tuple(rounds)))
        return columns
