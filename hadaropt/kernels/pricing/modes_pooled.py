"""What one job can do in each round, on pooled accelerator types.

A *candidate* is a progress together with the set of types that reach it. In one round the cheapest
placement of a candidate fills the gang cheapest first among its admitted types, never beyond the
free units. The *options* of a round are the candidates that no other one dominates (at least the
same progress at no greater cost), by increasing progress and therefore increasing cost.

Costs are keys ``charge * tie + gangs``: comparing sums of keys compares (charge, gangs used)
lexicographically as long as fewer than ``tie`` gangs are summed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.gang_fill import fill_gang, gang_charge
from hadaropt.kernels.order import by_price

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

INF = np.int64(2**62)


@kernel
def undominated(progress: Ints, cost: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Options of every round: the candidates that no other one dominates.

    Parameters
    ----------
    progress : (L,) int64
        Progress of each candidate, >= 0 and non-decreasing.
    cost : (T, L) int64
        Key of each candidate in each round; 2**62 where it is impossible.

    Returns
    -------
    start : (T + 1,) int64
        Options of round t are start[t] .. start[t + 1] - 1, by increasing progress and cost.
    option_progress, option_cost, option_candidate : int64
        Progress, key and candidate of each option; of equal candidates the smallest.
    """
    rounds, candidates = cost.shape
    start = np.zeros(rounds + 1, np.int64)
    out = np.empty((3, rounds * candidates), np.int64)
    size = 0
    for t in range(rounds):
        begin = size
        lowest = INF
        for i in range(candidates - 1, -1, -1):
            same = size > begin and out[0, size - 1] == progress[i]
            if cost[t, i] < lowest or (same and cost[t, i] == lowest):
                if not same:
                    size += 1
                lowest = cost[t, i]
                out[0, size - 1] = progress[i]
                out[1, size - 1] = lowest
                out[2, size - 1] = i
        for x in range(3):
            out[x, begin:size] = out[x, begin:size][::-1].copy()
        start[t + 1] = size
    return start, out[0, :size].copy(), out[1, :size].copy(), out[2, :size].copy()


@kernel
def pooled(price: Ints, free: Ints, gang: int, admitted: Bools, tie: int, limit: int) -> Ints:
    """Cost of every candidate in every round under linear prices on types.

    Parameters
    ----------
    price, free : (T, R) int64
        Price of one unit and number of free units of each type in each round of the window.
    gang : int
        Units that a running job holds.
    admitted : (L, R) bool
        Types that each candidate may use.
    tie : int
        Weight of the charge in the key; larger than the number of gangs ever summed.
    limit : int
        Candidates that charge more are left out.

    Returns
    -------
    cost : (T, L) int64
        Key of each candidate; 2**62 where it does not fit or charges more than `limit`.
    """
    rounds, types = price.shape
    candidates = admitted.shape[0]
    order = np.empty(types, np.int64)
    cost = np.full((rounds, candidates), INF, np.int64)
    for t in range(rounds):
        by_price(price[t], order)
        for i in range(candidates):
            charge = gang_charge(gang, admitted[i], order, price[t], free[t])
            if charge <= limit:
                cost[t, i] = charge * tie + 1
    return cost


@kernel
def _charge(
    gang: int, i: int, admitted: Bools, t: int, order: Ints, price: Ints, free: Ints
) -> np.int64:
    """Return what `gang_charge` does for candidate i in round t, without a slice."""
    left = gang
    charge = np.int64(0)
    for k in range(order.shape[1]):
        r = order[t, k]
        if admitted[i, r] and free[t, r] > 0:
            take = min(left, free[t, r])
            charge += take * price[t, r]
            left -= take
            if left == 0:
                return np.int64(charge)
    return INF


@kernel
def pooled_options(
    begin: int,
    end: int,
    release: int,
    order: Ints,
    price: Ints,
    free: Ints,
    gang: int,
    gains: Ints,
    admitted: Bools,
    tie: int,
    limit: int,
    start: Ints,
    progress: Ints,
    cost: Ints,
    level: Ints,
) -> None:
    """Write what `undominated` makes of `pooled`, in the rounds begin .. end - 1 of the window.

    Parameters
    ----------
    begin, end : int
        The rounds before `begin` are written.
    release : int
        First round of the window.
    order : (T, R) int64
        Types by increasing price in each round.
    price, free, gang, admitted, tie, limit
        As in `pooled`, of all rounds.
    gains : (L,) int64
        Progress of each candidate, >= 0 and non-decreasing.
    start, progress, cost, level : int64
        What `undominated` returns, with room for L options of every round.
    """
    candidates = admitted.shape[0]
    size = start[begin]
    for t in range(begin, end):
        lowest = INF
        first = top = size + candidates  # they are found by falling progress, from the end
        for i in range(candidates - 1, -1, -1):
            charge = _charge(gang, i, admitted, release + t, order, price, free)
            if charge > limit:
                continue
            key = charge * tie + 1
            same = first < top and progress[first] == gains[i]
            if key < lowest or (same and key == lowest):
                if not same:
                    first -= 1
                lowest = key
                progress[first] = gains[i]
                cost[first] = key
                level[first] = i
        if first > size:
            for x in range(top - first):
                progress[size + x] = progress[first + x]
                cost[size + x] = cost[first + x]
                level[size + x] = level[first + x]
        size += top - first
        start[t + 1] = size


@kernel
def pooled_use(
    price: Ints, free: Ints, gang: int, admitted: Bools, rounds: Ints, candidates: Ints
) -> Ints:
    """Units of each type, (K, R), in the cheapest placements of K candidates in their rounds.

    `price`, `free`, `gang` and `admitted` are those of `pooled`; equal prices are filled in order
    of type. A row is 0 when the gang does not fit.
    """
    types = price.shape[1]
    order = np.empty(types, np.int64)
    use = np.zeros((rounds.shape[0], types), np.int64)
    for k in range(rounds.shape[0]):
        t = rounds[k]
        by_price(price[t], order)
        if not fill_gang(gang, admitted[candidates[k]], order, free[t], use[k]):
            use[k] = 0
    return use
