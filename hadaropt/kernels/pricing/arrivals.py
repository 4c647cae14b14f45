"""Many jobs in one call, each at its best schedule: the online pass, or all jobs at fixed prices.

Units of a type are pooled, and every GPU of a bundle pays the price before the bundle. The
decisions are those of pricing one job: maximum payoff, ties to the earliest completion, then the
fewest gangs, then as in `hadaropt.kernels.pricing.cover`. Nothing of size jobs x rounds exists.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.order import by_price_in
from hadaropt.kernels.pricing.modes_pooled import pooled_options
from hadaropt.kernels.pricing.pareto import guided_labels, trace_labels
from hadaropt.kernels.pricing.potential import potential
from hadaropt.kernels.pricing.reached import reached
from hadaropt.kernels.pricing.utility import best_completion, rounds_worth, worths

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

NEAR, FURTHER = 2, 16
"""So many times the fewest rounds that complete a job, and so many more, are looked at first."""


class Jobs(NamedTuple):
    """Jobs in the order in which they are priced.

    Attributes
    ----------
    release, gang, need : (J,) int64
        First round, units per running round, and required progress in units (>= 1).
    levels : (J,) int64
        Row of `progress` and `admitted` of each job.
    progress : (K, L) int64
        Progress of each level in units, by level in non-decreasing order, 0 where impossible.
    admitted : (K, L, R) bool
        Types that each level may use; none where the progress is 0.
    kind, last : (J,) int64
        Utility kind, and the largest flow time of positive value (0 if none).
    par : (J, 3) int64
        Parameters of the utility.
    floors, ranks : int64
        Shared tables; these four as in `hadaropt.kernels.pricing.utility`.
    """

    release: Ints
    gang: Ints
    need: Ints
    levels: Ints
    progress: Ints
    admitted: Bools
    kind: Ints
    last: Ints
    par: Ints
    floors: Ints
    ranks: Ints


class Market(NamedTuple):
    """Prices, and what is free.

    Attributes
    ----------
    price, free : (T, R) int64
        Price of one unit, and free units, of each type in each round.
    steps : (K, R, U) int64
        Price of a unit of type r when g units are booked: ``steps[row_of[t], r, g]``,
        non-decreasing in g.
    row_of : (T,) int64
        Table of each round.
    capacity : (R,) int64
    """

    price: Ints
    free: Ints
    steps: Ints
    row_of: Ints
    capacity: Ints


@kernel
def _fill(
    gang: int, i: int, admitted: Bools, t: int, order: Ints, free: Ints, entry: int, use: Ints
) -> None:
    """Write the units that level i holds in round t into a row of `use`, the cheapest first."""
    left = gang
    for r in range(use.shape[1]):
        use[entry, r] = 0
    for k in range(order.shape[1]):
        r = order[t, k]
        if admitted[i, r] and left > 0:
            use[entry, r] = min(left, free[t, r])
            left -= use[entry, r]


@kernel
def _book(t: int, entry: int, use: Ints, market: Market, order: Ints) -> None:
    """Take the units of an entry in round t: prices rise, and the order of types may change."""
    for r in range(use.shape[1]):
        if use[entry, r] > 0:
            market.free[t, r] -= use[entry, r]
            booked = market.capacity[r] - market.free[t, r]
            market.price[t, r] = market.steps[market.row_of[t], r, booked]
    by_price_in(t, market.price, order)


@kernel
def price_jobs(
    first: int, jobs: Jobs, market: Market, book: bool, budget: int
) -> tuple[int, Ints, Ints, Ints, Ints, Ints]:
    """Price jobs in the given order; with `book`, each takes its schedule and prices rise.

    Parameters
    ----------
    first : int
        The job to begin with.
    jobs : Jobs
    market : Market
        With `book`, `price` and `free` are updated.
    book : bool
    budget : int
        Most candidate labels of one job.

    Returns
    -------
    stopped : int
        The job of which the budget did not suffice: it and those behind it are not priced. The
        number of jobs if there is none.
    completion, charge : (J,) int64
        Completion round (-1 if no payoff is > 0) and total charge of each job.
    plan_start : (J + 1,) int64
        Rounds of job j are entries plan_start[j] .. plan_start[j + 1] - 1 of the plan.
    plan_round : int64
        Round of each entry, increasing within a job.
    plan_use : (entries, R) int64
        Units of each type.
    """
    total = jobs.need.shape[0]
    rounds, types = market.price.shape
    tie = rounds + 1
    order = np.empty((rounds, types), np.int64)
    for t in range(rounds):
        by_price_in(t, market.price, order)
    room = rounds * jobs.progress.shape[1]
    offers = np.zeros(rounds + 1, np.int64)
    gained = np.empty(room, np.int64)
    keys = np.empty(room, np.int64)
    level = np.empty(room, np.int64)
    choice = np.empty(rounds, np.int64)
    completion = np.full(total, -1, np.int64)
    charge = np.zeros(total, np.int64)
    plan_start = np.zeros(total + 1, np.int64)
    plan_round = np.empty(1024, np.int64)
    plan_use = np.empty((1024, types), np.int64)
    size = 0
    stopped = total
    for j in range(first, total):
        plan_start[j + 1] = size
        gang, need = jobs.gang[j], jobs.need[j]
        begin = jobs.release[j]
        window = min(rounds - begin, jobs.last[j])
        gains, admitted = jobs.progress[jobs.levels[j]], jobs.admitted[jobs.levels[j]]
        if window <= 0 or gains[gains.shape[0] - 1] * window < need:
            continue
        # The first rounds are looked at, then as many as are worth more than what they earn.
        # (A literal 0 would have `pooled_options` compiled twice.)
        seen = int(np.int64(0))
        some = min(window, NEAR * int(-(-need // gains[-1])) + FURTHER)
        while True:
            floors, parts, weights = worths(
                jobs.kind[j], jobs.par[j], some, jobs.floors, jobs.ranks
            )  # fmt: skip
            pooled_options(
                seen, some, begin, order, market.price, market.free, gang, gains, admitted, tie,
                floors[0], offers, gained, keys, level,
            )  # fmt: skip
            start, options = offers[: some + 1], offers[some]
            progress, key = gained[:options], keys[:options]
            found = reached(start, progress, key, need, floors, tie)
            if seen > 0 or some == window:
                break
            seen = some
            some = rounds_worth(found.least, jobs.kind[j], jobs.par[j], seen, window, jobs.floors)
            if some == seen:
                break
        guide = potential(start, progress, key, need, floors, tie, found)
        least, layer, at, paid, complete = guided_labels(need, floors, tie, budget, guide)
        if not complete:
            stopped = j
            break
        last = best_completion(floors, parts, weights, least, tie)
        if last < 0:
            continue
        completion[j] = begin + last
        charge[j] = least[last] // tie
        trace_labels(start, progress, key, need, last, least, layer, at, paid, choice)
        for n in range(last + 1):
            if choice[n] < 0:
                continue
            if size == plan_round.shape[0]:
                wider = np.empty(2 * size, np.int64)
                wider[:size] = plan_round
                plan_round = wider
                wide = np.empty((2 * size, types), np.int64)
                wide[:size] = plan_use
                plan_use = wide
            t = begin + n
            _fill(gang, level[choice[n]], admitted, t, order, market.free, size, plan_use)
            plan_round[size] = t
            if book:
                _book(t, size, plan_use, market, order)
            size += 1
        plan_start[j + 1] = size
    for j in range(stopped, total):
        plan_start[j + 1] = size
    return (
        stopped,
        completion,
        charge,
        plan_start,
        plan_round[:size].copy(),
        plan_use[:size].copy(),
    )
