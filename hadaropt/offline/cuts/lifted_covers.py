"""Lifted cover cuts on the capacity of a set of types in one round.

Gangs whose admitted types all lie in a set S of types share its capacity: sum W_j z_j <= C(S),
where z_j says that job j runs in the round at such a level. A cover K (sum of W over K > C(S))
gives sum over K of z_j <= |K| - 1, and every other job is lifted into it, one after the other, with
the largest coefficient that keeps it valid (an exact dynamic program). The coefficients only change
what the levels of a round cost, so pricing stays the same dynamic program. Copies do not count
here: see `node_cuts`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hadaropt.mip.model import Floats
from hadaropt.modes.hall_sets import TypeSet, capacity_sets
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.cut_row import Cut, Terms
from hadaropt.offline.colgen.master import Master
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.cuts.knapsack import lifted_cover
from hadaropt.offline.cuts.node_cuts import NodeSeparator
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
        self._known: set[tuple[int, Terms, int, int]] = set()
        self._nodes = NodeSeparator(space, self.gang, params)
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
            for t, _, _, gangs in column.rounds:
                types = gangs.types
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
        pause: Callable[[], None] = lambda: None,
    ) -> list[Cut]:
        """Return the most violated new cuts of an LP point.

        Packing cuts, which take longer to find, are looked for where no cover is violated, or on
        request, until the clock is over. After every round of these, ``pause`` is called.
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
                lifted = lifted_cover(y, self.gang, capacity, np.flatnonzero(self._may[s, t]))
                if lifted is not None and lifted.violation > params.cover_violation:
                    terms = ((types, tuple(sorted(lifted.coefficients.items()))),)
                    cut = Cut(t, terms, lifted.rhs, lifted.cover, lifted.order)
                    found.append((lifted.violation, cut))
        clock = Clock() if clock is None else clock
        found += self._nodes.separate(master, weights, packings=packings, clock=clock)
        found = [item for item in found if item[1].key not in self._known]
        found.sort(key=lambda item: -item[0])
        chosen = [cut for _, cut in found[: params.most_covers]]
        if packings or not chosen:
            chosen += self._packing_cuts(master, weights, clock, pause)
        self._known |= {cut.key for cut in chosen}
        return chosen

    def _packing_cuts(
        self, master: Master, weights: Floats, clock: Clock, pause: Callable[[], None]
    ) -> list[Cut]:
        points: list[dict[tuple[int, TypeSet], float]] = [{} for _ in range(self._may.shape[1])]
        for place in np.flatnonzero(weights > FRACTIONAL).tolist():
            column = master.columns[place]
            for t, _, _, gangs in column.rounds:
                if gangs.types:
                    key = (column.job, gangs.types)
                    points[t][key] = points[t].get(key, 0.0) + float(weights[place])
        cuts = []
        for t, point in enumerate(points):
            may = np.flatnonzero(self._may[:, t].any(axis=0))
            order = may[np.lexsort((may, -self.gang[may]))].tolist()
            for part, packing in self._packings:
                mine = {item: y for item, y in point.items() if item[1] <= part}
                cut = packing.separate(t, mine, order, clock)
                if cut is not None and cut.key not in self._known:
                    cuts.append(cut)
            pause()
        return cuts
