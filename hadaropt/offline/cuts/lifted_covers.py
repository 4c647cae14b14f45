"""Lifted cover cuts on the capacity of a set of types in one round.

Gangs whose admitted types all lie in a set S of types share its capacity: sum W_j z_j <= C(S),
where z_j says that job j runs in the round at such a level. A cover K (sum of W over K > C(S))
gives sum over K of z_j <= |K| - 1, and every other job is lifted into it, one after the other, with
the largest coefficient that keeps it valid (an exact dynamic program). The coefficients only change
what the levels of a round cost, so pricing stays the same dynamic program.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hadaropt.mip.model import Floats
from hadaropt.modes.hall_sets import TypeSet, capacity_sets
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.cut_row import Cut, Terms
from hadaropt.offline.colgen.master import Master
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.cuts.packings import PackingSeparator
from hadaropt.offline.cuts.params import CutParams
from hadaropt.tolerances import FRACTIONAL


class Separator:
    """Finds violated cuts; remembers those that it gave.

    Parameters
    ----------
    space : Space
    params : CutParams, optional
    """

    def __init__(self, space: Space, params: CutParams | None = None) -> None:
        self.space = space
        self._params = params = CutParams() if params is None else params
        admitted = {types for job in space.jobs for _, _, types in job.ways}
        capacity = space.instance.cluster.pooled_capacity
        self.sets = [
            (types, sum(capacity[r] for r in types))
            for types in capacity_sets(sorted(admitted, key=lambda s: (len(s), sorted(s))))
        ]
        self.gang = np.array([job.gang_size for job in space.jobs], np.int64)
        # Who can run at a level within the set, and when.
        rounds = space.instance.num_rounds
        self._may = np.zeros((len(self.sets), rounds, len(space.jobs)), np.bool_)
        for i, job in enumerate(space.jobs):
            for s, (types, _) in enumerate(self.sets):
                if any(mine <= types for _, _, mine in job.ways):
                    self._may[s, job.release : job.release + len(job.values), i] = True
        self._known: set[tuple[int, Terms, int]] = set()
        levels = [sorted({s for _, _, s in job.ways}, key=sorted) for job in space.jobs]
        # The largest sets are disjoint: what runs in one is packed without regard to the others.
        whole = [s for s, _ in self.sets if not any(s < other for other, _ in self.sets)]
        self._packings = [
            (
                part,
                PackingSeparator(
                    [(s, limit) for s, limit in self.sets if s <= part],
                    capacity,
                    self.gang,
                    [[s for s in mine if s <= part] for mine in levels],
                    params,
                ),
            )
            for part in whole
            if params.packings
        ]

    def running(self, master: Master, weights: Floats) -> Floats:
        """Return z[s, t, i]: how much of job i runs in round t within each set of types."""
        z = np.zeros(self._may.shape)
        for place in np.flatnonzero(weights > FRACTIONAL).tolist():
            column = master.columns[place]
            for t, _, _, types in column.rounds:
                for s, (within, _) in enumerate(self.sets):
                    if types and types <= within:
                        z[s, t, column.job] += weights[place]
        return z

    def separate(
        self,
        master: Master,
        weights: Floats,
        *,
        packings: bool = False,
        clock: Clock | None = None,
    ) -> list[Cut]:
        """Return the most violated new cuts of an LP point.

        Packing cuts, which take longer to find, are looked for where no cover is violated, or on
        request, until the clock is over.
        """
        z, params = self.running(master, weights), self._params
        found: list[tuple[float, Cut]] = []
        for s, (types, capacity) in enumerate(self.sets):
            if not 0 < capacity <= params.cover_capacity:
                continue
            for t in range(z.shape[1]):
                y = z[s, t]
                if not ((y > FRACTIONAL) & (y < 1 - FRACTIONAL)).any():
                    continue
                cover = minimum_cover(y, self.gang, capacity)
                if cover is None:
                    continue
                may = np.flatnonzero(self._may[s, t])
                # Large values first, then large gangs: they gain most from lifting.
                order = may[np.lexsort((may, -self.gang[may], -y[may]))]
                coefficients, lifted = lift(cover, self.gang, capacity, order.tolist())
                rhs = len(cover) - 1
                violation = sum(a * y[i] for i, a in coefficients.items()) - rhs
                items = tuple(sorted(coefficients.items()))
                key = (t, ((types, items),), rhs)
                if violation > params.cover_violation and key not in self._known:
                    cut = Cut(t, ((types, items),), rhs, tuple(cover), tuple(lifted))
                    found.append((violation, cut))
        found.sort(key=lambda item: -item[0])
        chosen = [cut for _, cut in found[: params.most_covers]]
        if packings or not chosen:
            chosen += self._packing_cuts(master, weights, Clock() if clock is None else clock)
        self._known |= {(c.round, c.terms, c.rhs) for c in chosen}
        return chosen

    def _packing_cuts(self, master: Master, weights: Floats, clock: Clock) -> list[Cut]:
        points: list[dict[tuple[int, TypeSet], float]] = [{} for _ in range(self._may.shape[1])]
        for place in np.flatnonzero(weights > FRACTIONAL).tolist():
            column = master.columns[place]
            for t, _, _, types in column.rounds:
                if types:
                    key = (column.job, types)
                    points[t][key] = points[t].get(key, 0.0) + float(weights[place])
        cuts = []
        for t, point in enumerate(points):
            may = np.flatnonzero(self._may[:, t].any(axis=0))
            order = may[np.lexsort((may, -self.gang[may]))].tolist()
            for part, packing in self._packings:
                mine = {item: y for item, y in point.items() if item[1] <= part}
                cut = packing.separate(t, mine, order, clock)
                if cut is not None and (t, cut.terms, cut.rhs) not in self._known:
                    cuts.append(cut)
        return cuts


def minimum_cover(y: Floats, gang: Sequence[int] | np.ndarray, capacity: int) -> list[int] | None:
    """Return a minimal cover of least sum of 1 - y, or None if none is violated by y.

    A dynamic program over the total gang size.
    """
    items = [i for i in np.flatnonzero(y > FRACTIONAL).tolist()]
    if sum(int(gang[i]) for i in items) <= capacity:
        return None
    items.sort(key=lambda i: (-y[i], -int(gang[i]), i))
    need = capacity + 1
    best = np.full(need + 1, np.inf)
    best[0] = 0.0
    taken = np.zeros((len(items), need + 1), np.bool_)
    for k, i in enumerate(items):
        w, loss = int(gang[i]), max(0.0, 1.0 - float(y[i]))
        # best[d]: least loss with total size >= d (d = need: a cover).
        shifted = np.concatenate([np.zeros(min(w, need)), best[: need + 1 - min(w, need)]]) + loss
        shifted[0] = np.inf
        taken[k] = shifted < best - 1e-12
        best = np.where(taken[k], shifted, best)
    if best[need] >= 1 - 1e-6:
        return None
    cover, d = [], need
    for k in range(len(items) - 1, -1, -1):
        if d > 0 and taken[k, d]:
            cover.append(items[k])
            d = max(0, d - int(gang[items[k]]))
    total = sum(int(gang[i]) for i in cover)
    for i in sorted(cover, key=lambda i: (int(gang[i]), y[i], i)):
        if total - int(gang[i]) > capacity:
            cover.remove(i)
            total -= int(gang[i])
    return sorted(cover)


def lift(
    cover: Sequence[int], gang: Sequence[int] | np.ndarray, capacity: int, order: Sequence[int]
) -> tuple[dict[int, int], list[int]]:
    """Return the coefficients of the lifted cover, and the jobs lifted with a coefficient > 0.

    Job j gets rhs - max { sum of coefficients over a set of the jobs so far that fits beside j }.
    """
    rhs = len(cover) - 1
    far = 2**40
    # least[v]: least total size of jobs so far whose coefficients sum to at least v.
    least = np.full(rhs + 1, far, np.int64)
    least[0] = 0
    coefficients: dict[int, int] = {}

    def include(i: int, a: int) -> None:
        coefficients[i] = a
        shifted = np.concatenate([np.zeros(min(a, rhs + 1), np.int64), least[: rhs + 1 - a]])
        np.minimum(least, shifted + int(gang[i]), out=least)
        least[0] = 0

    for i in cover:
        include(i, 1)
    lifted = []
    for i in order:
        if i in coefficients:
            continue
        room = capacity - int(gang[i])
        reached = int(np.flatnonzero(least <= room)[-1]) if room >= 0 else 0
        a = rhs - reached if room >= 0 else rhs
        if a > 0:
            include(i, a)
            lifted.append(i)
    return coefficients, lifted
