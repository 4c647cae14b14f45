"""Covering over the rounds of one job: the options once, then a table or labels in some units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hadaropt.kernels.pricing import cover as table_kernel
from hadaropt.kernels.pricing import modes_node as node
from hadaropt.kernels.pricing import modes_pooled as choices
from hadaropt.kernels.pricing import pareto
from hadaropt.pricing.model import Ints, JobModel, Units

INF = 2**62
DENSE_UNITS = 2000
"""Most units of a table over progress; beyond, Pareto labels."""
LABEL_BUDGET = 4_000_000
"""Most candidate labels of a job; beyond, tables over rounded progress take over."""
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


def label_room(costs: Costs) -> int:
    """Most labels of one number of copies; need + 1 of them always suffice."""
    nodes, copies = costs.price.shape[-2], costs.model.max_copies
    buckets = 3 if copies >= nodes else copies + 1
    return int(min(FORKED_LABELS, max(64, _FORKED_CELLS // ((nodes + 1) * buckets))))


@dataclass(frozen=True)
class Trace:
    """The rounds of a schedule.

    Attributes
    ----------
    offsets, candidates : (K,) int64
        Round of the window, and candidate of the gang or -1 for copies.
    levels : dict of int to (H,) int64
        By round of the window: the level of the copy on each node, -1 for none.
    """

    offsets: Ints
    candidates: Ints
    levels: dict[int, Ints]


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
            self._room = min(units.need + 1, label_room(costs))
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
            self.least, self.complete = labels[0], labels[4]
            self._labels = labels[1], labels[2], labels[3]

    def trace(self, last: int) -> Trace:
        """Return the best schedule that completes by round `last` of the window."""
        choice = np.empty(last + 1, np.int64)
        start, progress, cost = self._options
        need = self._units.need
        if need <= DENSE_UNITS:
            table, top = self._table, self._top
            pad = table.shape[1] - 1 - need
            table_kernel.trace_dense(start, progress, cost, need, last, pad, table, top, choice)
        else:
            first, at, paid = self._labels
            pareto.trace_labels(
                start, progress, cost, need, last, self.least, first, at, paid, choice
            )
        offsets = np.flatnonzero(choice >= 0)
        candidates = self._source[choice[offsets]]
        levels = {}
        for n in map(int, offsets[candidates < 0]):
            levels[n] = pareto.forked_use(
                self._units.copies,
                self._costs.copies[n],
                need,
                self._costs.model.max_copies,
                self._room,
                progress[choice[n]],
                cost[choice[n]],
            )
        return Trace(offsets, candidates, levels)
