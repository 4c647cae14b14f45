"""Least cost of reaching a required progress by every round: a covering multiple-choice knapsack.

Round n of a window offers options (progress, cost) of which at most one is taken. With
``least[n, p]`` the least cost of progress >= p in the first n rounds,

``least[n, p] = min(least[n-1, p], min over options of least[n-1, max(0, p - progress)] + cost)``.

`dense` tabulates it over units of progress; `pareto.labels` keeps only its steps. Both give the
same numbers, and their traces the same schedule: going back from the last round, not to run is
preferred to running, and the cheaper option to the dearer one.

Costs are keys ``charge * tie + gangs`` (see `modes_pooled`); every sum must stay below 2**62.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.pricing.relaxation import offer_first, offer_further

Ints = npt.NDArray[np.int64]

INF = np.int64(2**62)


@kernel
def dense(
    start: Ints, progress: Ints, cost: Ints, need: int, worth: Ints, tie: int
) -> tuple[Ints, Ints, Ints]:
    """Least cost of progress `need` by the end of each round, from a table over progress.

    Parameters
    ----------
    start : (N + 1,) int64
        Options of round n are start[n] .. start[n + 1] - 1.
    progress, cost : int64
        Progress (>= 0) and key (> 0) of each option.
    need : int
        Required progress, >= 1.
    worth : (N,) or (0,) int64
        floor(utility * scale) of completing in each round, non-increasing. With it the pass stops,
        and drops states, where no later completion can reach the best payoff found (or 0). Empty:
        every state of every round is computed.
    tie : int
        Weight of the charge in the keys.

    Returns
    -------
    least : (N,) int64
        Key of the least cost of completing by round n; 2**62 where impossible or cut off.
    table : (N + 1, pad + need + 1) int64
        Entry [n, pad + p] is ``least[n, p]`` for p up to top[n], as far as states are kept; 0
        before, as any progress beyond the need is free.
    top : (N + 1,) int64
        Largest progress kept in each row.
    """
    rounds = start.shape[0] - 1
    bounded = worth.shape[0] > 0
    most = np.zeros(rounds, np.int64)
    rest = np.zeros(rounds + 1, np.int64)
    pad = 0
    for n in range(rounds - 1, -1, -1):
        for i in range(start[n], start[n + 1]):
            most[n] = max(most[n], progress[i])
        pad = max(pad, most[n])
        rest[n] = rest[n + 1] + min(need, most[n])
    least = np.full(rounds, INF, np.int64)
    top = np.zeros(rounds + 1, np.int64)
    table = np.empty((rounds + 1, pad + need + 1), np.int64)
    table[:, : pad + 1] = 0
    best = np.int64(0)
    stop = rounds
    n = -1
    while n + 1 < stop:
        n += 1
        prev = table[n]
        row = table[n + 1]
        high = min(need, top[n] + most[n])
        prev[pad + top[n] + 1 : pad + high + 1] = INF
        low = np.int64(1)
        if bounded:
            # A state that the rounds before `stop` cannot complete is never read: start there.
            low = max(low, need - rest[n + 1] + rest[stop])
        begin, end = pad + low, pad + high + 1
        target = row[begin:end]
        base = prev[begin:end]
        if start[n] == start[n + 1]:
            target[:] = base
        for i in range(start[n], start[n + 1]):
            gain = progress[i]
            if i == start[n]:
                offer_first(target, base, prev[begin - gain : end - gain], cost[i])
            else:
                offer_further(target, prev[begin - gain : end - gain], cost[i])
        if high == need:
            least[n] = row[pad + need]
            if bounded:
                best = max(best, worth[n] - least[n] // tie)
                while stop > n + 1 and worth[stop - 1] < best:
                    stop -= 1
        if bounded and n + 1 < stop:
            # A state is kept only if completing it one round later could reach the best payoff.
            cut = (worth[n + 1] - best) * tie + tie - 1
            while high >= low and row[pad + high] > cut:
                high -= 1
        top[n + 1] = high
    for n in range(rounds):
        if least[n] < INF:
            table[n + 1, pad + need] = least[n]
    return least, table, top


@kernel
def trace_dense(
    start: Ints,
    progress: Ints,
    cost: Ints,
    need: int,
    last: int,
    pad: int,
    table: Ints,
    top: Ints,
    choice: Ints,
) -> None:
    """Write the option taken in rounds 0 .. last (or -1) into `choice`.

    `table` and `top` are those of `dense`, for this need or a larger one, and `pad` the columns
    before progress 0.
    """
    p = need
    for n in range(last, -1, -1):
        choice[n] = -1
        if p <= 0:
            continue
        target = table[n + 1, pad + p]
        if p <= top[n] and table[n, pad + p] == target:
            continue
        for i in range(start[n], start[n + 1]):
            q = max(np.int64(0), p - progress[i])
            if q <= top[n] and table[n, pad + q] + cost[i] == target:
                choice[n] = i
                p = q
                break
