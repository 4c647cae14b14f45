"""Who runs in one round, on pooled GPUs: dynamic programs over the vector of GPUs by type.

A state is the vector of GPUs in use (or still free) of each type, as a number with one digit for
each type in the base capacity + 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Ints = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]


@njit(cache=True)
def _digits(capacity: Ints) -> tuple[Indices, Ints]:
    """Return the digits of every state, (S, R), and the weight of each digit, (R,)."""
    types = capacity.shape[0]
    weight = np.ones(types, np.int64)
    for r in range(types - 2, -1, -1):
        weight[r] = weight[r + 1] * (capacity[r + 1] + 1)
    states = weight[0] * (capacity[0] + 1)
    digits = np.zeros((states, types), np.int32)
    for s in range(1, states):
        r = types - 1
        while digits[s - 1, r] == capacity[r]:
            r -= 1
        for q in range(r):
            digits[s, q] = digits[s - 1, q]
        digits[s, r] = digits[s - 1, r] + 1
    return digits, weight


@njit(cache=True)
def _improve(before: Ints, after: Ints, choice: Indices, pay: np.int64, k: np.int32) -> None:
    """Offer option k to the states of a row; without a branch, so that it is vectorised."""
    for i in range(before.shape[0]):
        offered = before[i] + pay
        better = offered > after[i]
        after[i] = offered if better else after[i]
        choice[i] = k if better else choice[i]


@njit(cache=True)
def exact_round(
    capacity: Ints, worth: Ints, option: Ints, first: Ints, last: Ints
) -> tuple[Ints, np.int64]:
    """Choose at most one option for each job so that the total worth is the largest possible.

    Parameters
    ----------
    capacity : (R,) int64
        GPUs of each type.
    worth : (J, R) int64
        Worth of running job j when r is the slowest type that it uses; negative: r is not open to
        it. Worth does not grow with slower types, so an option is worth the least of its types.
    option : (K, R) int64
        Counts of GPUs by type.
    first, last : (J,) int64
        Options first[j] <= k < last[j] are those of job j.

    Returns
    -------
    taken : (J,) int64
        The option of each job, -1 for none.
    total : int64
        Their worth together.
    """
    jobs, types = worth.shape
    digits, weight = _digits(capacity)
    states = digits.shape[0]
    width = capacity[types - 1] + 1
    rows = states // width
    old = np.zeros(states, np.int64)
    new = np.zeros(states, np.int64)
    choice = np.full((jobs, states), -1, np.int32)
    for j in range(jobs):
        for k in range(first[j], last[j]):
            least = np.int64(2**62)
            shift = np.int64(0)
            fits = True
            for r in range(types):
                if option[k, r] > 0:
                    least = min(least, worth[j, r])
                    shift += option[k, r] * weight[r]
                    fits = fits and option[k, r] <= capacity[r]
            if not fits or least <= 0:
                continue
            skip = option[k, types - 1]
            for row in range(rows):
                fits = True
                for r in range(types - 1):
                    fits = fits and digits[row * width, r] >= option[k, r]
                if fits:
                    begin, end = row * width + skip, (row + 1) * width
                    _improve(
                        old[begin - shift : end - shift],
                        new[begin:end],
                        choice[j, begin:end],
                        least,
                        np.int32(k),
                    )
        old[:] = new
    taken = np.full(jobs, -1, np.int64)
    s = states - 1
    for j in range(jobs - 1, -1, -1):
        k = choice[j, s]
        if k >= 0:
            taken[j] = k
            for r in range(types):
                s -= option[k, r] * weight[r]
    return taken, old[states - 1]


@njit(cache=True)
def _cheapest_first(price: Ints, used: Indices, order: npt.NDArray[np.int8]) -> None:
    """Sort the types by the price of one more GPU, equal ones by index."""
    for i in range(order.shape[0]):
        k = i
        while k > 0 and price[order[k - 1], used[order[k - 1]]] > price[i, used[i]]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = i


@njit(cache=True)
def priced_round(
    capacity: Ints, gang: Ints, worth: Ints, gain: Ints, price: Ints, mixing: bool
) -> tuple[Ints, np.int64]:
    """Take or skip each job in turn, at prices that rise with use, for the largest total payoff.

    In every state that the jobs before can lead to, a job is offered its best allocation at the
    prices of that state: for each slowest type, the gang filled cheapest first among the types
    that are at least as fast. Its payoff is its worth minus what its GPUs cost.

    Parameters
    ----------
    capacity : (R,) int64
    gang : (J,) int64
    worth : (J, R) int64
        As in `exact_round`.
    gain : (J, R) int64
        Iterations of a round when r is the slowest type.
    price : (R, max(capacity) + 1) int64
        Price of one GPU of each type by the number in use.
    mixing : bool
        Whether a gang may mix types.

    Returns
    -------
    taken : (J, R) int64
        GPUs of each type for each job, all 0 for a job that is skipped.
    total : int64
        The payoffs together.
    """
    jobs, types = worth.shape
    digits, weight = _digits(capacity)
    states = digits.shape[0]
    best = np.full(states, -1, np.int64)
    best[0] = 0
    came = np.full((jobs, states), -1, np.int32)
    after = np.full(states, -1, np.int64)
    order = np.empty((states, types), np.int8)
    left = np.empty((states, types), np.int64)  # free GPUs and their price, cheapest type first
    dear = np.empty((states, types), np.int64)
    cheapest = np.full(states, -1, np.int64)  # price of the next GPU; -1: not yet known
    level = np.empty(types, np.int64)
    admits = np.empty((types, types), np.bool_)
    top = np.int64(0)  # no state above it can be reached
    for j in range(jobs):
        levels = 0
        most = np.int64(0)
        for r in range(types):
            if worth[j, r] > 0:
                level[levels] = r
                most = max(most, worth[j, r])
                for q in range(types):
                    admits[levels, q] = gain[j, q] >= gain[j, r] if mixing else q == r
                levels += 1
        if levels == 0:
            continue
        after[: top + 1] = best[: top + 1]
        reach = top
        for s in range(top + 1):
            if best[s] < 0:
                continue
            if cheapest[s] < 0:
                _cheapest_first(price, digits[s], order[s])
                for k in range(types):
                    r = order[s, k]
                    left[s, k] = capacity[r] - digits[s, r]
                    dear[s, k] = price[r, digits[s, r]]
                cheapest[s] = dear[s, 0]
            if most <= gang[j] * cheapest[s]:
                continue  # no GPU is cheaper
            payoff = np.int64(0)
            shift = np.int64(0)
            for i in range(levels):
                need = gang[j]
                cost = np.int64(0)
                offset = np.int64(0)
                for k in range(types):
                    r = order[s, k]
                    if not admits[i, r]:
                        continue
                    part = min(need, left[s, k])
                    need -= part
                    cost += part * dear[s, k]
                    offset += part * weight[r]
                    if need == 0:
                        break
                if need == 0 and worth[j, level[i]] - cost > payoff:
                    payoff = worth[j, level[i]] - cost
                    shift = offset
            if payoff > 0 and best[s] + payoff > after[s + shift]:
                after[s + shift] = best[s] + payoff
                came[j, s + shift] = s
                reach = max(reach, s + shift)
        top = reach
        best[: top + 1] = after[: top + 1]
    end = 0
    for s in range(states):
        if best[s] > best[end]:
            end = s
    total = best[end]
    taken = np.zeros((jobs, types), np.int64)
    for j in range(jobs - 1, -1, -1):
        before = came[j, end]
        if before >= 0:
            for r in range(types):
                taken[j, r] = digits[end, r] - digits[before, r]
            end = int(before)
    return taken, total
