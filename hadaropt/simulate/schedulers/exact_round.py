"""Who runs in one round, optimally: prices, a core of options, a dynamic program over the core.

At integer prices k >= 0 job j has the payoff mu_j = max(0, max_w v_j(w) - k w) over its options w,
and D = sum_j mu_j + sum c k bounds the value of every choice (weak duality). A choice is worth
D - sum of the losses of what it takes - k (GPUs left idle), the loss of option w being
mu_j - (v_j(w) - k w) >= 0 and that of skipping job j being mu_j. So a choice worth more than P
takes no option whose loss is D - P or more: only the others, the core, need to be looked at.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.round_dual import round_prices
from hadaropt.kernels.round_knapsack import exact_round
from hadaropt.simulate.schedulers.hall_round import solve_hall_round

Ints = npt.NDArray[np.int64]

MOST_CELLS = 4 * 10**7
MOST_STATES = 10**6
"""Jobs x states, and states, of the dynamic program beyond which an integer program takes over."""
MOST_OPTIONS = 20_000
"""Divisions of one gang over the types beyond which they are not listed."""
STEPS, DECAY = 400, 0.975
FIRST_SHARE = 30_000
"""The first core holds what loses less than the bound divided by this."""


def best_round(capacity: Ints, gang: Ints, worth: Ints, mixing: bool) -> Ints:
    """Return the GPUs of each type for each job, shape (J, R), of the largest total worth.

    Parameters
    ----------
    capacity : (R,) int64
        GPUs of each type, pooled over nodes.
    gang : (J,) int64
    worth : (J, R) int64
        Worth when r is the slowest type used, 0: r is not open to the job. It must not grow with
        slower types, so that an option is worth the least of its types.
    mixing : bool
        Whether a gang may mix types.

    Raises
    ------
    SolverError
        If the round is too large for the dynamic program and HiGHS does not solve it.
    """
    taken = np.zeros_like(worth)
    if not worth.any():
        return taken
    favourite, runs = worth.argmax(axis=1), worth.any(axis=1)
    taken[np.flatnonzero(runs), favourite[runs]] = gang[runs]
    if (taken.sum(axis=0) <= capacity).all():
        return taken  # every job has what is best for it
    taken[:] = 0
    price = round_prices(capacity, gang, worth, mixing, STEPS, DECAY)
    reduced = worth - gang[:, None] * _cheapest(worth, price, mixing)
    reduced[worth == 0] = np.iinfo(np.int64).min // 2
    best = reduced.max(axis=1)
    payoff = np.maximum(best, 0)
    bound = int(payoff.sum()) + int(capacity @ price)
    least_loss = payoff - best
    allowed = max(1, bound // FIRST_SHARE)
    while True:
        members = _needed(np.flatnonzero(least_loss <= allowed), capacity, gang, worth)
        found = _solve_core(capacity, gang, worth, mixing, price, payoff, members, allowed)
        if found is None:
            near = np.zeros(worth.shape, np.bool_)
            near[members] = payoff[members, None] - reduced[members] <= allowed
            found = solve_hall_round(capacity, gang, worth, mixing, near)
        value = sum(int(worth[j][option > 0].min()) for j, option in found)
        if bound - value <= allowed:
            for j, option in found:
                taken[j] = option
            return taken
        allowed = min(bound - value, 4 * allowed)


Members = npt.NDArray[np.intp]


def _needed(members: Members, capacity: Ints, gang: Ints, worth: Ints) -> Members:
    """Return the jobs that an optimum needs, ascending.

    Of the jobs with gang W at most K = sum C / W run. If one of them takes an option for which K
    jobs of that gang are worth at least as much, one of those does not run and can take its place.
    """
    types = worth.shape[1]
    kept = np.zeros(len(gang), np.bool_)
    for size in np.unique(gang[members]).tolist():
        own = members[gang[members] == size]
        most = int(capacity.sum()) // size
        if len(own) <= most:
            kept[own] = True
            continue
        for used in range(1, 2**types):
            pay = worth[own][:, [r for r in range(types) if used >> r & 1]].min(axis=1)
            best = own[np.argsort(-pay, kind="stable")[:most]]
            kept[best] = True
    return np.flatnonzero(kept)


def _cheapest(worth: Ints, price: Ints, mixing: bool) -> Ints:
    """Return the least price among the types that each level admits, shape (J, R)."""
    if not mixing:
        return np.broadcast_to(price, worth.shape)
    admitted = worth[:, None, :] >= np.maximum(worth, 1)[:, :, None]
    return np.asarray(np.where(admitted, price, price.max()).min(axis=2))


Chosen = list[tuple[int, Ints]]


def _solve_core(
    capacity: Ints,
    gang: Ints,
    worth: Ints,
    mixing: bool,
    price: Ints,
    payoff: Ints,
    members: Members,
    allowed: int,
) -> Chosen | None:
    """Return the best choice among options whose loss is at most ``allowed``.

    None where the core is too large. A job with one option that must not be skipped takes it; where
    such jobs do not fit together, no choice of the core is worth bound - allowed: nothing is taken.
    """
    types = len(capacity)
    free = capacity.copy()
    fixed: Chosen = []
    open_jobs: list[int] = []
    parts: list[Ints] = []
    for size in np.unique(gang[members]).tolist():
        if mixing and math.comb(size + types - 1, types - 1) > MOST_OPTIONS:
            return None
        options = gang_options(size, types, mixing)
        options = options[(options <= capacity).all(axis=1)]
        own = members[gang[members] == size]
        used = options > 0
        pay = np.where(used, worth[own][:, None, :], np.iinfo(np.int64).max).min(axis=2)
        loss = payoff[own][:, None] - (pay - options @ price)
        inside = (loss <= allowed) & (pay > 0)
        for row, j in enumerate(own.tolist()):
            kept = options[inside[row]]
            if len(kept) == 1 and payoff[j] > allowed:
                fixed.append((j, kept[0]))
                free -= kept[0]
            elif len(kept):
                open_jobs.append(j)
                parts.append(kept)
    if (free < 0).any():
        return []
    if not open_jobs:
        return fixed
    states = math.prod(int(c) + 1 for c in free)
    if states > MOST_STATES or len(open_jobs) * states > MOST_CELLS:
        return None
    order = np.argsort(np.array(open_jobs), kind="stable").tolist()
    jobs = [open_jobs[i] for i in order]
    option = np.concatenate([parts[i] for i in order])
    last = np.cumsum([len(parts[i]) for i in order], dtype=np.int64)
    first = last - np.array([len(parts[i]) for i in order], np.int64)
    taken, _ = exact_round(free, worth[jobs], option, first, last)
    return fixed + [(j, option[k]) for j, k in zip(jobs, taken.tolist(), strict=True) if k >= 0]


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
