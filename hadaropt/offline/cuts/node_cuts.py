"""Cuts on who runs inside a node: lifted covers and packings of its GPUs.

A job has at most one gang inside a node in a round: one of its copies, or its only gang. So the
jobs with a gang inside the types S of node h share a knapsack, sum W_j z_j <= C(h, S). Cuts on
types of the whole cluster do not see copies; these do.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hadaropt.mip.model import Floats, Ints
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.cut_row import Cut, Gangs, Inside
from hadaropt.offline.colgen.master import Master
from hadaropt.offline.colgen.pricing_data import JobOptions, Space
from hadaropt.offline.cuts.knapsack import lifted_cover
from hadaropt.offline.cuts.packings import PackingSeparator
from hadaropt.offline.cuts.params import CutParams
from hadaropt.tolerances import FRACTIONAL

INSIDE = frozenset((0,))
"""The one level at which a gang runs inside a node, for the search for packings."""


class NodeSeparator:
    """Finds violated cuts on nodes; none where no job can run as copies.

    Parameters
    ----------
    space : Space
    gang : ndarray of int
    params : CutParams
    """

    def __init__(self, space: Space, gang: Ints, params: CutParams) -> None:
        self._gang, self._params = gang, params
        self._width = len(space.instance.cluster.accelerators)
        forked = any(job.copies is not None for job in space.jobs)
        self.sets = self._cells(space) if forked else []
        self._inside = [self._count(space, cells) for cells in self.sets]
        self._capacity = [sum(space.capacity[c] for c in cells) for cells in self.sets]
        rounds = space.instance.num_rounds
        self._may = np.zeros((len(self.sets), rounds, len(space.jobs)), np.bool_)
        for i, job in enumerate(space.jobs):
            for s, inside in enumerate(self._inside):
                if _can_run(job, inside):
                    self._may[s, job.release : job.release + len(job.values), i] = True
        levels = [[INSIDE]] * len(space.jobs)
        self._packings = [
            PackingSeparator([(INSIDE, n)], [n], gang, levels, params) for n in self._capacity
        ]

    def _cells(self, space: Space) -> list[frozenset[int]]:
        """Return the cells of each node, and those in it over which a copy may be spread."""
        nodes: dict[int, set[int]] = {}
        for c, count in enumerate(space.capacity):
            if count > 0:
                nodes.setdefault(c // self._width, set()).add(c)
        inside = {
            frozenset(kind.cells)
            for kind in space.classes
            if len({c // self._width for c in kind.cells}) == 1
        }
        found = inside | {frozenset(cells) for cells in nodes.values()}
        return sorted(found, key=sorted)

    def _count(self, space: Space, cells: frozenset[int]) -> Inside:
        copies = (k for k, kind in enumerate(space.classes) if cells.issuperset(kind.cells))
        used = {c for c, count in enumerate(space.capacity) if count > 0}
        alone = frozenset(range(self._width)) - {c % self._width for c in used - cells}
        return Inside(min(cells) // self._width, frozenset(copies), alone)

    def running(self, master: Master, weights: Floats) -> Floats:
        """Return z[s, t, i]: how much of job i has a gang inside set s in round t."""
        z = np.zeros(self._may.shape)
        for place in np.flatnonzero(weights > FRACTIONAL).tolist():
            column = master.columns[place]
            for t, _, _, gangs in column.rounds:
                for s, inside in enumerate(self._inside):
                    if inside.holds(gangs):
                        z[s, t, column.job] += weights[place]
        return z

    def separate(
        self, master: Master, weights: Floats, *, packings: bool, clock: Clock
    ) -> list[tuple[float, Cut]]:
        """Return violated cuts of an LP point with their violations.

        Packings, which take longer to find, only on request, where no cover is violated, and until
        the clock is over.
        """
        found: list[tuple[float, Cut]] = []
        if not self.sets:
            return found
        z = self.running(master, weights)
        divided = ((z > FRACTIONAL) & (z < 1 - FRACTIONAL)).any(axis=2)
        for s, t in np.argwhere(divided).tolist():
            y, may = z[s, t], np.flatnonzero(self._may[s, t])
            cover = None
            if self._capacity[s] <= self._params.cover_capacity:
                cover = lifted_cover(y, self._gang, self._capacity[s], may)
            if cover is not None and cover.violation > self._params.cover_violation:
                cut = self._cut(s, t, cover.coefficients, cover.rhs)
                found.append((cover.violation, cut))
            elif packings and self._params.packings:
                point = {(i, INSIDE): float(y[i]) for i in np.flatnonzero(y > FRACTIONAL).tolist()}
                order = may[np.lexsort((may, -self._gang[may]))].tolist()
                packing = self._packings[s].separate(t, point, order, clock)
                if packing is not None:
                    coefficients = dict(packing.terms[0][1])
                    violation = sum(a * float(y[i]) for i, a in coefficients.items()) - packing.rhs
                    found.append((violation, self._cut(s, t, coefficients, packing.rhs)))
        return found

    def _cut(self, s: int, t: int, coefficients: Mapping[int, int], rhs: int) -> Cut:
        types = frozenset(c % self._width for c in self.sets[s])
        terms = ((types, tuple(sorted(coefficients.items()))),)
        return Cut(t, terms, rhs, node=self._inside[s])


def _can_run(job: JobOptions, inside: Inside) -> bool:
    ways = (Gangs(types) for _, _, types in job.ways)
    copies = () if job.copies is None else tuple(np.unique(job.copies.classes).tolist())
    return any(map(inside.holds, ways)) or inside.holds(Gangs(copies=copies))
