"""What jobs ask for at prices of the time of GPUs: the answers that price space collects."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Floats = npt.NDArray[np.float64]


@kernel
def equal_response(gain: Floats, gang: Floats, price: Floats, x: Floats) -> tuple[float, float]:
    """Maximise z - cost over the common rate z and shares x_ir >= 0 with sum_r x_ir <= 1.

    Job i needs sum_r gain_ir x_ir >= z; its cost is sum_r s_i p_r x_ir. The least cost of a rate is
    convex and piecewise linear, so that z stops where the slopes of all jobs add up to 1.

    Parameters
    ----------
    gain : (m, R) float64
        Every job has a type with gain > 0.
    gang : (m,) float64
    price : (R,) float64
    x : (m, R) float64
        Filled with the shares.

    Returns
    -------
    z, value : float
        The rate, and z - cost.
    """
    m, types = gain.shape
    most = np.inf
    for i in range(m):
        top = 0.0
        for r in range(types):
            top = max(top, gain[i, r])
        most = min(most, top)
    # The lower hull of the points (gain, cost) of each job, from (0, 0) up to the rate ``most``.
    rate = np.zeros((m, types + 1))
    cost = np.zeros((m, types + 1))
    kind = np.full((m, types + 1), -1, np.int64)
    corners = np.empty(m * types)
    bend = np.empty(m * types)
    count = 0
    slope_sum = 0.0
    for i in range(m):
        k = 0
        before = 0.0
        while rate[i, k] < most:
            best = -1
            slope = np.inf
            for r in range(types):
                if gain[i, r] > rate[i, k]:
                    own = (gang[i] * price[r] - cost[i, k]) / (gain[i, r] - rate[i, k])
                    if own < slope or (own == slope and gain[i, r] > gain[i, best]):
                        slope = own
                        best = r
            if k == 0:
                slope_sum += slope
            else:
                corners[count] = rate[i, k]
                bend[count] = slope - before
                count += 1
            before = slope
            k += 1
            rate[i, k] = gain[i, best]
            cost[i, k] = gang[i] * price[best]
            kind[i, k] = best
    z = most
    if slope_sum > 1.0:
        z = 0.0
    else:
        for c in np.argsort(corners[:count]):
            slope_sum += bend[c]
            if slope_sum > 1.0:
                z = corners[c]
                break
    value = z
    for i in range(m):
        for r in range(types):
            x[i, r] = 0.0
        if z == 0.0:
            continue
        k = 1
        while rate[i, k] < z:
            k += 1
        part = (z - rate[i, k - 1]) / (rate[i, k] - rate[i, k - 1])
        x[i, kind[i, k]] += part
        if k > 1:
            x[i, kind[i, k - 1]] += 1.0 - part
        value -= cost[i, k - 1] + part * (cost[i, k] - cost[i, k - 1])
    return z, value


@kernel
def total_response(gain: Floats, gang: Floats, price: Floats, x: Floats) -> tuple[float, float]:
    """Maximise sum_ir (gain_ir - s_i p_r) x_ir over shares x_ir >= 0 with sum_r x_ir <= 1.

    Parameters
    ----------
    gain, gang, price, x
        As for `equal_response`.

    Returns
    -------
    total, value : float
        sum_ir gain_ir x_ir, and that minus the cost.
    """
    m, types = gain.shape
    total = 0.0
    value = 0.0
    for i in range(m):
        best = -1
        payoff = 0.0
        for r in range(types):
            x[i, r] = 0.0
            own = gain[i, r] - gang[i] * price[r]
            if gain[i, r] > 0 and own > payoff:
                payoff = own
                best = r
        if best >= 0:
            x[i, best] = 1.0
            total += gain[i, best]
            value += payoff
    return total, value
