"""Covering over the rounds of one job: the options once, then a table or labels in some units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hadaropt.kernels import choices, node, pareto
from hadaropt.kernels import cover as table_kernel
from hadaropt.pricing.model import Ints, JobModel, Units

INF = 2**62
DENSE_UNITS = 2000
"""Most units of a table over progress; beyond, Pareto labels."""
LABEL_BUDGET = 4_000_000
"""Most candidate labels of one job; beyond, tables over rounded progress."""
FORKED_LABELS = 4096
_FORKED_CELLS = 2**21
_NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class Costs:
    """Keys of every candidate of one job in every round of its window.

    `price` and `free` are (N, K) for pooled jobs, else (N, H, K). K = R * steps: each type stands
    `steps` times, once per unit where each further unit has a price of its own.
    """

    model: JobModel
    tie: int
    price: Ints
    free: Ints
    steps: int
    gang: Ints
    host: Ints
    copies: Ints


def costs(model: JobModel, price: Ints, free: Ints, tie: int, limit: int, steps: int = 1) -> Costs:
    """Return the keys of every candidate; those that charge more than `limit` are left out."""
    gang, levels, copy = model.gang_size, model.gang, model.copy
    host = copies = _NONE
    admitted = np.repeat(levels.admitted, steps, axis=1)
    if price.ndim == 2:
        keys = choices.pooled(price, free, gang, admitted, tie, limit)
    else:
        keys, host = node.gangs(price, free, gang, admitted, levels.spread, tie, limit)
        if copy.progress:
            allowed = np.repeat(copy.admitted, steps, axis=1)
            copies = node.copies(price, free, gang, allowed, tie, limit)
    return Costs(model, tie, price, free, steps, keys, host, copies)


@dataclass(frozen=True)
class Taken:
    """One round of a schedule: candidate of the gang, or the level of the copy on each node."""

    offset: int
    candidate: int
    levels: Ints


class Cover:
    """Least key of completing by every round, and the schedules behind it.

    Attributes
    ----------
    least : (N,) int64
        Key ``charge * tie + gangs``; 2**62 where impossible or, with `worth`, never best.
    complete : bool
        False when the labels ran out of budget; nothing else is then defined.
    """

    def __init__(self, costs: Costs, units: Units, worth: Ints) -> None:
        self._costs, self._units = costs, units
        self.least, self.complete = _NONE, False
        start, progress, cost, origin = choices.undominated(units.gang, costs.gang)
        self._source = origin
        if costs.copies.size:
            nodes = costs.price.shape[1]
            buckets = 3 if costs.model.max_copies >= nodes else costs.model.max_copies + 1
            room = min(FORKED_LABELS, max(64, _FORKED_CELLS // ((nodes + 1) * buckets)))
            self._room = min(units.need + 1, room)
            start, progress, cost, from_gang, fits = pareto.forked(
                start,
                progress,
                cost,
                units.copies,
                costs.copies,
                units.need,
                costs.model.max_copies,
                self._room,
            )
            if not fits:
                return
            self._source = np.where(from_gang < 0, -1, origin[from_gang])
        self._options = start, progress, cost
        need, tie = units.need, costs.tie
        if need <= DENSE_UNITS:
            found = table_kernel.dense(start, progress, cost, need, worth, tie)
            self.least, self._table, self._top = found
            self.complete = True
        else:
            labels = pareto.labels(start, progress, cost, need, worth, tie, LABEL_BUDGET)
            self.least = labels[0]
            self._labels: tuple[Ints, Ints, Ints] = (labels[1], labels[2], labels[3])
            self.complete = labels[4]

    def trace(self, last: int) -> list[Taken]:
        """Return the rounds of the best schedule that completes by round `last` of the window."""
        choice = np.empty(last + 1, np.int64)
        start, progress, cost = self._options
        need = self._units.need
        if need <= DENSE_UNITS:
            table, top = self._table, self._top
            table_kernel.trace_dense(start, progress, cost, need, last, table, top, choice)
        else:
            first, at, paid = self._labels
            pareto.trace_labels(start, progress, cost, need, last, first, at, paid, choice)
        taken = []
        for n in np.flatnonzero(choice >= 0):
            i = choice[n]
            levels = _NONE
            if self._source[i] < 0:
                levels = pareto.forked_use(
                    self._units.copies,
                    self._costs.copies[n],
                    self._units.need,
                    self._costs.model.max_copies,
                    self._room,
                    progress[i],
                    cost[i],
                )
            taken.append(Taken(int(n), int(self._source[i]), levels))
        return taken
