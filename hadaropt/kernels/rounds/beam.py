"""Take or skip in one round where the states are too many: the best few of them are kept."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Ints = npt.NDArray[np.int64]


@kernel
def _best_offer(
    free: Ints,
    used: Ints,
    gang: int,
    worth: Ints,
    gain: Ints,
    price: Ints,
    mixing: bool,
    order: Ints,
    counts: Ints,
) -> np.int64:
    """Return the best payoff of a job at the prices of a state, 0 for none; fill ``counts``."""
    types = worth.shape[0]
    for i in range(types):
        k = i
        while k > 0 and price[order[k - 1], used[order[k - 1]]] > price[i, used[i]]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = i
    payoff = np.int64(0)
    chosen = -1
    for level in range(types):
        if worth[level] <= payoff:
            continue
        need = gang
        cost = np.int64(0)
        for k in range(types):
            r = order[k]
            admitted = gain[r] >= gain[level] if mixing else r == level
            if admitted:
                part = min(need, free[r])
                need -= part
                cost += part * price[r, used[r]]
        if need == 0 and worth[level] - cost > payoff:
            payoff = worth[level] - cost
            chosen = level
    counts[:] = 0
    if chosen >= 0:
        need = gang
        for k in range(types):
            r = order[k]
            if gain[r] >= gain[chosen] if mixing else r == chosen:
                counts[r] = min(need, free[r])
                need -= counts[r]
    return payoff


@kernel
def beam_round(
    capacity: Ints,
    gang: Ints,
    worth: Ints,
    gain: Ints,
    price: Ints,
    mixing: bool,
    order: Ints,
    width: int,
) -> tuple[Ints, np.int64]:
    """Take or skip each job in turn, as `priced_round` does, over at most ``width`` states.

    Parameters
    ----------
    capacity, gang, worth, gain, price, mixing
        As for `hadaropt.kernels.rounds.priced.priced_round`.
    order : (J,) int64
        The jobs in the order in which they are asked.
    width : int
        States kept after each job: those with the largest total payoff.

    Returns
    -------
    taken : (J, R) int64
        GPUs of each type for each job, all 0 for a job that is skipped.
    total : int64
        The payoffs together.
    """
    jobs, types = worth.shape
    used = np.zeros((width, types), np.int64)
    value = np.zeros(width, np.int64)
    held = np.int64(1)
    parent = np.empty((jobs, width), np.int32)
    gives = np.empty((jobs, width, types), np.int32)
    offer = np.zeros((2 * width, types), np.int64)
    after = np.zeros((2 * width, types), np.int64)
    worths = np.zeros(2 * width, np.int64)
    source = np.zeros(2 * width, np.int64)
    sorter = np.empty(types, np.int64)
    free = np.empty(types, np.int64)
    for step in range(jobs):
        j = order[step]
        found = 0
        for b in range(held):
            after[found] = used[b]
            offer[found] = 0
            worths[found] = value[b]
            source[found] = b
            found += 1
        for b in range(held):
            for r in range(types):
                free[r] = capacity[r] - used[b, r]
            payoff = _best_offer(
                free, used[b], gang[j], worth[j], gain[j], price, mixing, sorter, offer[found]
            )
            if payoff == 0:
                continue
            for r in range(types):
                after[found, r] = used[b, r] + offer[found, r]
            worths[found] = value[b] + payoff
            source[found] = b
            same = -1
            for i in range(found):
                equal = True
                for r in range(types):
                    equal = equal and after[i, r] == after[found, r]
                if equal:
                    same = i
                    break
            if same < 0:
                found += 1
            elif worths[found] > worths[same]:
                worths[same] = worths[found]
                source[same] = b
                offer[same] = offer[found]
        kept = np.argsort(-worths[:found], kind="mergesort")[:width]
        held = np.int64(len(kept))
        for b in range(held):
            parent[step, b] = source[kept[b]]
            value[b] = worths[kept[b]]
            for r in range(types):
                gives[step, b, r] = offer[kept[b], r]
                used[b, r] = after[kept[b], r]
    taken = np.zeros((jobs, types), np.int64)
    last = np.int64(0)
    for step in range(jobs - 1, -1, -1):
        for r in range(types):
            taken[order[step], r] = gives[step, last, r]
        last = np.int64(parent[step, last])
    return taken, value[0]
