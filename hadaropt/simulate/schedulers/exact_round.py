"""Who runs in one round, optimally: prices, a core of options, a dynamic program over the core.

At integer prices k >= 0 job j has the payoff mu_j = max(0, max_w v_j(w) - k w) over its options w,
and D = sum_j mu_j + sum c k bounds the value of every choice (weak duality). A choice is worth
D - sum of the losses of what it takes - k (GPUs left idle), the loss of option w being
mu_j - (v_j(w) - k w) >= 0 and that of skipping job j being mu_j. So a choice worth more than P
takes no option whose loss is D - P or more: only the others, the core, need to be looked at.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.rounds.core import core_options, needed_jobs, round_payoffs
from hadaropt.kernels.rounds.dual import round_prices
from hadaropt.kernels.rounds.knapsack import exact_round
from hadaropt.simulate.placement import Counts
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
    return bounded_round(capacity, gang, worth, mixing)[0]


def bounded_round(capacity: Ints, gang: Ints, worth: Ints, mixing: bool) -> tuple[Ints, int]:
    """Return what `best_round` does, and a proven upper bound on the worth of every choice.

    The bound is the worth of what is taken, but where an integer program had to be solved: then it
    is D, the bound of the prices.
    """
    taken = np.zeros_like(worth)
    if not worth.any():
        return taken, 0
    favourite, runs = worth.argmax(axis=1), worth.any(axis=1)
    taken[np.flatnonzero(runs), favourite[runs]] = gang[runs]
    if (taken.sum(axis=0) <= capacity).all():
        return taken, int(worth.max(axis=1).sum())  # every job has what is best for it
    taken[:] = 0
    price = round_prices(capacity, gang, worth, mixing, STEPS, DECAY)
    reduced = round_payoffs(gang, worth, mixing, price)
    best = reduced.max(axis=1)
    payoff = np.maximum(best, 0)
    bound = int(payoff.sum()) + int(capacity @ price)
    least_loss = payoff - best
    allowed = max(1, bound // FIRST_SHARE)
    total = int(capacity.sum())
    while True:
        members = needed_jobs(np.flatnonzero(least_loss <= allowed), total, gang, worth)
        upper = None
        found = _solve_core(capacity, gang, worth, mixing, price, payoff, members, allowed)
        if found is None:  # the solver's optimum is a float's word: the bound of the prices is not
            upper = bound
            near = np.zeros(worth.shape, np.bool_)
            near[members] = payoff[members, None] - reduced[members] <= allowed
            found = _chosen(solve_hall_round(capacity, gang, worth, mixing, near), taken)
        jobs, gpus = found
        slowest = np.where(gpus > 0, worth[jobs], np.iinfo(np.int64).max).min(axis=1)
        value = int(slowest.sum())
        if bound - value <= allowed:
            taken[jobs] = gpus
            return taken, value if upper is None else upper
        allowed = min(bound - value, 4 * allowed)


Chosen = tuple[Ints, Ints]
"""Jobs and the GPUs of each type for each of them, shape (J,) and (J, R)."""


def _chosen(pairs: list[tuple[int, Ints]], like: Ints) -> Chosen:
    jobs = np.array([j for j, _ in pairs], np.int64)
    return jobs, np.array([gpus for _, gpus in pairs], np.int64).reshape(-1, like.shape[1])


def _solve_core(
    capacity: Ints,
    gang: Ints,
    worth: Ints,
    mixing: bool,
    price: Ints,
    payoff: Ints,
    members: npt.NDArray[np.intp],
    allowed: int,
) -> Chosen | None:
    """Return the best choice among options whose loss is at most ``allowed``.

    None where the core is too large. A job with one option that must not be skipped takes it; where
    such jobs do not fit together, no choice of the core is worth bound - allowed: nothing is taken.
    """
    types = len(capacity)
    nothing = np.zeros(0, np.int64), np.zeros((0, types), np.int64)
    if not len(members):
        return nothing
    sizes, which = np.unique(gang[members], return_inverse=True)
    if mixing and any(math.comb(w + types - 1, types - 1) > MOST_OPTIONS for w in sizes.tolist()):
        return None
    option, ends = _options(tuple(sizes.tolist()), tuple(capacity.tolist()), mixing)
    begins = np.concatenate((np.zeros(1, np.int64), ends[:-1]))
    fixed, fixed_option, jobs, last, kept = core_options(
        members, worth, payoff, price, allowed, option, begins[which], ends[which]
    )
    free = capacity - option[fixed_option].sum(axis=0)
    if (free < 0).any():
        return nothing
    if not len(jobs):
        return fixed, option[fixed_option]
    states = math.prod(int(c) + 1 for c in free)
    if states > MOST_STATES or len(jobs) * states > MOST_CELLS:
        return None
    first = np.concatenate((np.zeros(1, np.int64), last[:-1]))
    taken, _ = exact_round(free, worth[jobs], option[kept], first, last)
    runs = taken >= 0
    which_options = np.concatenate((fixed_option, kept[taken[runs]]))
    return np.concatenate((fixed, jobs[runs])), option[which_options]


@lru_cache(256)
def _options(sizes: Counts, capacity: Counts, mixing: bool) -> tuple[Ints, Ints]:
    """Return the options of each size within the capacity, shape (K, R), and where they end."""
    parts = [gang_options(size, len(capacity), mixing) for size in sizes]
    parts = [part[(part <= np.array(capacity)).all(axis=1)] for part in parts]
    return np.concatenate(parts), np.cumsum([len(part) for part in parts], dtype=np.int64)


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
