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
    digits = np.empty((states, types), np.int32)
    for s in range(states):
        rest = np.int64(s)
        for r in range(types):
            digits[s, r] = rest // weight[r]
            rest -= digits[s, r] * weight[r]
    return digits, weight


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
    best = np.zeros(states, np.int64)
    choice = np.full((jobs, states), -1, np.int32)
    most = np.int64(1)
    for j in range(jobs):
        most = max(most, last[j] - first[j])
    pay = np.empty(most, np.int64)
    shift = np.empty(most, np.int64)
    index = np.empty(most, np.int64)
    for j in range(jobs):
        count = 0
        for k in range(first[j], last[j]):
            least = np.int64(2**62)
            offset = np.int64(0)
            fits = True
            for r in range(types):
                if option[k, r] > 0:
                    least = min(least, worth[j, r])
                    offset += option[k, r] * weight[r]
                    fits = fits and option[k, r] <= capacity[r]
            if fits and least > 0:
                pay[count] = least
                shift[count] = offset
                index[count] = k
                count += 1
        # Downwards, so that every smaller state still stands for the jobs before this one.
        for s in range(states - 1, -1, -1):
            top = best[s]
            for i in range(count):
                before = s - shift[i]
                if before < 0 or best[before] + pay[i] <= top:
                    continue
                fits = True
                for r in range(types):
                    if digits[s, r] < option[index[i], r]:
                        fits = False
                        break
                if fits:
                    top = best[before] + pay[i]
                    choice[j, s] = index[i]
            best[s] = top
    taken = np.full(jobs, -1, np.int64)
    s = states - 1
    for j in range(jobs - 1, -1, -1):
        k = choice[j, s]
        if k >= 0:
            taken[j] = k
            for r in range(types):
                s -= option[k, r] * weight[r]
    return taken, best[states - 1]


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
    after = np.empty(states, np.int64)
    order = np.empty(types, np.int64)
    for j in range(jobs):
        after[:] = best
        for s in range(states):
            if best[s] < 0:
                continue
            for i in range(types):
                k = i
                while (
                    k > 0 and price[order[k - 1], digits[s, order[k - 1]]] > price[i, digits[s, i]]
                ):
                    order[k] = order[k - 1]
                    k -= 1
                order[k] = i
            payoff = np.int64(0)
            shift = np.int64(0)
            for level in range(types):
                if worth[j, level] <= 0:
                    continue
                need = gang[j]
                cost = np.int64(0)
                offset = np.int64(0)
                for i in range(types):
                    r = order[i]
                    admitted = gain[j, r] >= gain[j, level] if mixing else r == level
                    if need == 0 or not admitted:
                        continue
                    part = min(need, capacity[r] - digits[s, r])
                    need -= part
                    cost += part * price[r, digits[s, r]]
                    offset += part * weight[r]
                if need == 0 and worth[j, level] - cost > payoff:
                    payoff = worth[j, level] - cost
                    shift = offset
            if payoff > 0 and best[s] + payoff > after[s + shift]:
                after[s + shift] = best[s] + payoff
                came[j, s + shift] = s
        best[:] = after
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
