"""Prices of the GPUs of one round: the Lagrangian dual of its multiple-choice knapsack."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@kernel
def _use_and_bound(
    capacity: Ints, gang: Ints, worth: Ints, price: Floats, mixing: bool, use: Floats
) -> float:
    """Return sum_j mu_j + sum c k, and in ``use`` what the best answers of the jobs ask for."""
    jobs, types = worth.shape
    use[:] = 0
    bound = 0.0
    for r in range(types):
        bound += capacity[r] * price[r]
    for j in range(jobs):
        best = 0.0
        chosen = -1
        for level in range(types):
            if worth[j, level] <= 0:
                continue
            cheapest = level
            if mixing:
                for r in range(types):
                    if worth[j, r] >= worth[j, level] and price[r] < price[cheapest]:
                        cheapest = r
            payoff = worth[j, level] - gang[j] * price[cheapest]
            if payoff > best:
                best = payoff
                chosen = cheapest
        bound += best
        if chosen >= 0:
            use[chosen] += gang[j]
    return bound


@kernel
def round_prices(
    capacity: Ints, gang: Ints, worth: Ints, mixing: bool, steps: int, decay: float
) -> Ints:
    """Return integer prices k >= 0, shape (R,), whose bound sum_j mu_j + sum c k is near the least.

    Subgradient steps of geometrically falling length; where prices are wrong, only time is lost.

    Parameters
    ----------
    capacity : (R,) int64
        GPUs of each type.
    gang : (J,) int64
    worth : (J, R) int64
        Worth when r is the slowest type used; 0: r is not open to the job.
    mixing : bool
        Whether a gang may mix types.
    steps : int
    decay : float
        Factor from one step length to the next.
    """
    jobs, types = worth.shape
    total = 0.0
    for j in range(jobs):
        total += worth[j].max() / gang[j]
    price = np.full(types, total / max(1, jobs))
    length = price[0] * np.sqrt(types)
    best = np.inf
    kept = price.copy()
    use = np.empty(types)
    for _ in range(steps):
        bound = _use_and_bound(capacity, gang, worth, price, mixing, use)
        if bound < best:
            best = bound
            kept[:] = price
        norm = 0.0
        for r in range(types):
            slope = use[r] - capacity[r]
            if slope < 0 and price[r] == 0:
                slope = 0.0
            use[r] = slope
            norm += slope * slope
        if norm == 0:
            break
        for r in range(types):
            price[r] = max(0.0, price[r] + length * use[r] / np.sqrt(norm))
        length *= decay
    whole = np.empty(types, np.int64)
    for r in range(types):
        whole[r] = np.int64(np.rint(kept[r]))
    return whole
