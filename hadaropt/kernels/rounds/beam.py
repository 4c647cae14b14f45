"""Take or skip in one round where the states are too many: the best few of them are kept."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.gang_fill import fill_gang, gang_charge
from hadaropt.kernels.order import by_price

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@kernel
def _admit(gain: Ints, level: int, mixing: bool, admitted: Bools) -> None:
    """Write which types a gang may use whose slowest type is `level`."""
    for r in range(gain.shape[0]):
        admitted[r] = gain[r] >= gain[level] if mixing else r == level


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
    now: Ints,
    admitted: Bools,
    counts: Ints,
) -> np.int64:
    """Return the best payoff of a job at the prices of a state, 0 for none; fill ``counts``."""
    types = worth.shape[0]
    for r in range(types):
        now[r] = price[r, used[r]]
    by_price(now, order)
    payoff = np.int64(0)
    chosen = -1
    for level in range(types):
        if worth[level] <= payoff:
            continue
        _admit(gain, level, mixing, admitted)
        cost = gang_charge(gang, admitted, order, now, free)
        if worth[level] - cost > payoff:
            payoff = worth[level] - cost
            chosen = level
    counts[:] = 0
    if chosen >= 0:
        _admit(gain, chosen, mixing, admitted)
        fill_gang(gang, admitted, order, free, counts)
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
    now = np.empty(types, np.int64)
    admitted = np.empty(types, np.bool_)
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
                free,
                used[b],
                gang[j],
                worth[j],
                gain[j],
                price,
                mixing,
                sorter,
                now,
                admitted,
                offer[found],
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
