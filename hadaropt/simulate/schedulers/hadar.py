"""Hadar as it is deployed: all unfinished jobs are planned again in every round.

Source: Hadar (IPDPS 2024; arXiv 2503.10918). What it leaves open is decided here: the constants of
the prices are taken from the queue of the round, the value of an allocation is that of completing
when the job would if it kept it, and placement on nodes follows after the pooled decision.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from hadaropt.errors import InstanceError
from hadaropt.kernels.round_knapsack import exact_round, priced_round
from hadaropt.simulate.placement import Counts, place_gangs
from hadaropt.simulate.problem import Placement
from hadaropt.simulate.view import QueuedJob, RoundView

Ints = npt.NDArray[np.int64]

VALUE_BITS = 40
"""Values are rounded down to multiples of the largest one / 2**VALUE_BITS."""
MOST_CELLS = 2 * 10**8
"""Jobs x states of the dynamic program beyond which it is refused."""


class Hadar:
    """Take-or-skip over the queue at prices that rise as the round fills, or the exact optimum.

    Parameters
    ----------
    allocator : {"price", "exact"}
        ``price``: FIND_ALLOC at exponential prices k_r(g) = L (U_r / L)^(g / C_r) with U_r the
        largest value per GPU and L the smallest value / (4 sum C), both over the queue, and a
        dynamic program over the queue. ``exact``: the multiple-choice knapsack of the round, solved
        to optimality on the values rounded to `VALUE_BITS`.
    backfill : bool
        Give GPUs that nobody was worth their price to the jobs left over, by value per GPU. Without
        it GPUs idle beside waiting jobs when the last ones are dear.
    """

    def __init__(
        self, allocator: Literal["price", "exact"] = "price", *, backfill: bool = True
    ) -> None:
        self._exact, self._backfill = allocator == "exact", backfill
        self._gain: dict[int, Counts] = {}
        self.name = "hadar:exact" if self._exact else "hadar"
        if not backfill:
            self.name += ":strict"

    def plan(self, view: RoundView) -> dict[int, Placement]:
        """Return what each job that runs in this round holds."""
        capacity = np.array(view.problem.cluster.pooled_capacity, np.int64)
        queue = view.queue
        gain = np.array([self._gains(q, view) for q in queue], np.int64)
        worth = _worth(view, gain)
        if self._exact:
            taken = _exact(view, capacity, worth)
        else:
            taken = _priced(view, capacity, worth, gain)
        if self._backfill:
            _backfill(view, capacity, worth, gain, taken)
        wanted = {
            q.index: tuple(map(int, row)) for q, row in zip(queue, taken, strict=True) if row.any()
        }
        return place_gangs(view.problem, wanted, view.held)

    def _gains(self, q: QueuedJob, view: RoundView) -> Counts:
        if q.index not in self._gain:
            types = range(len(q.job.speed))
            self._gain[q.index] = tuple(view.problem.gain(q.index, r) for r in types)
        return self._gain[q.index]


def _worth(view: RoundView, gain: Ints) -> Ints:
    """Return the value of each job by slowest type, scaled to integers; 0 where it cannot run."""
    zero = Fraction(0)
    values = [
        [q.job.value(view.round - 1 - (-q.remaining // step)) if step else None for step in steps]
        for q, steps in zip(view.queue, gain.tolist(), strict=True)
    ]
    top = max((max(filter(None, row), default=zero) for row in values), default=zero)
    worth = np.zeros(gain.shape, np.int64)
    if top == 0:
        return worth
    up, down = top.denominator << VALUE_BITS, top.numerator
    for i, row in enumerate(values):
        for r, v in enumerate(row):
            if v:
                worth[i, r] = max(1, v.numerator * up // (v.denominator * down))
    return worth


def _check_size(jobs: int, capacity: Ints) -> None:
    states = math.prod(int(c) + 1 for c in capacity)
    if jobs * states > MOST_CELLS:
        rule = f"has {states} states for each of {jobs} jobs, must be <= {MOST_CELLS} together"
        raise InstanceError("cluster", rule, ", ".join(map(str, capacity)))


def _priced(view: RoundView, capacity: Ints, worth: Ints, gain: Ints) -> Ints:
    _check_size(len(worth), capacity)
    gang = np.array([q.job.gang_size for q in view.queue], np.int64)
    best = worth.max(axis=1, initial=0)
    if not best.any():
        return np.zeros_like(worth)
    low = max(1, int(best[best > 0].min()) // (4 * int(capacity.sum())))
    price = np.zeros((len(capacity), int(capacity.max()) + 1), np.int64)
    for r, count in enumerate(capacity.tolist()):
        high = int((-(-worth[:, r] // gang)).max())
        if count and high:
            steep = math.log(max(1.0, high / low))
            price[r, : count + 1] = [
                math.ceil(low * math.exp(steep * g / count)) for g in range(count + 1)
            ]
    taken, _ = priced_round(capacity, gang, worth, gain, price, view.problem.mixing)
    return taken


def _exact(view: RoundView, capacity: Ints, worth: Ints) -> Ints:
    kept = promising(view, capacity, worth)
    _check_size(len(kept), capacity)
    types, mixing = len(capacity), view.problem.mixing
    gangs = sorted({view.queue[i].job.gang_size for i in kept})
    parts = [gang_options(gang, types, mixing) for gang in gangs]
    ends = dict(zip(gangs, np.cumsum([len(part) for part in parts]), strict=True))
    sizes = dict(zip(gangs, map(len, parts), strict=True))
    last = np.array([ends[view.queue[i].job.gang_size] for i in kept], np.int64)
    first = last - np.array([sizes[view.queue[i].job.gang_size] for i in kept], np.int64)
    taken = np.zeros_like(worth)
    if kept:
        options = np.concatenate(parts)
        chosen, _ = exact_round(capacity, worth[kept], options, first, last)
        for i, k in zip(kept, chosen.tolist(), strict=True):
            if k >= 0:
                taken[i] = options[k]
    return taken


@cache
def gang_options(gang: int, types: int, mixing: bool) -> Ints:
    """Return every way to divide a gang over types, shape (K, R)."""
    if not mixing:
        return gang * np.eye(types, dtype=np.int64)

    def ways(rest: int, places: int) -> list[list[int]]:
        if places == 1:
            return [[rest]]
        return [[n, *more] for n in range(rest, -1, -1) for more in ways(rest - n, places - 1)]

    return np.array(ways(gang, types), np.int64)


def promising(view: RoundView, capacity: Ints, worth: Ints) -> list[int]:
    """Return the jobs that an optimum needs, ascending.

    Of the jobs with gang W at most K = sum C / W run. If one of them takes an option for which K
    jobs of that gang are worth at least as much, one of those does not run and can take its place.
    """
    kept: set[int] = set()
    groups: dict[int, list[int]] = {}
    for i, q in enumerate(view.queue):
        if worth[i].any():
            groups.setdefault(q.job.gang_size, []).append(i)
    for gang, members in groups.items():
        most = int(capacity.sum()) // gang
        if len(members) <= most:
            kept.update(members)
            continue
        rows = worth[members]
        for used in {tuple(option > 0) for option in gang_options(gang, len(capacity), True)}:
            pay = rows[:, list(used)].min(axis=1)
            order = np.argsort(-pay, kind="stable")[:most]
            kept.update(members[i] for i in order.tolist() if pay[i] > 0)
    return sorted(kept)


def _backfill(view: RoundView, capacity: Ints, worth: Ints, gain: Ints, taken: Ints) -> None:
    free = capacity - taken.sum(axis=0)
    if not free.any():
        return
    gang = np.array([q.job.gang_size for q in view.queue], np.int64)
    waiting = np.flatnonzero(~taken.any(axis=1) & worth.any(axis=1) & (gang <= free.sum()))
    for i in sorted(waiting.tolist(), key=lambda i: (-worth[i].max() / gang[i], i)):
        for level in np.argsort(-worth[i], kind="stable").tolist():
            if worth[i, level] == 0:
                break
            admitted = gain[i] >= gain[i, level] if view.problem.mixing else None
            counts = np.zeros_like(free)
            for r in np.argsort(-gain[i], kind="stable").tolist():
                if r == level if admitted is None else admitted[r] and worth[i, r] > 0:
                    counts[r] = min(free[r], gang[i] - counts.sum())
            if counts.sum() == gang[i]:
                taken[i] = counts
                free -= counts
                break
