"""Jobs inserted one by one into the capacity that is left, and taken out again.

Capacity is counted on cells: type r of node h is cell ``h * R + r``; where nodes do not matter there
is one node. The plan of a job is a list of (round, cell, units) in a shared store, ``start[j]`` and
``size[j]`` of it. Costs are charges at prices of types; worths as in `lagrangian`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

INF = np.int64(2**62)
LINEAR, INVERSE, TABLE, SIGMOID = 0, 1, 2, 3


@njit(cache=True)
def worth(kind, a, b, d, table):
    """Return an integer >= U(d) * scale, for d within the last flow time of positive value."""
    if kind == LINEAR:
        return a - b * (d - 1)
    if kind == INVERSE:
        return -(-a // d)
    if kind == TABLE:
        return table[a + d - 1]
    return -((-a * table[b + d - 1]) >> 16)


@njit(cache=True)
def _sort(price, order):
    """Write the stable order of increasing price into `order`."""
    for r in range(price.shape[0]):
        i = r
        while i > 0 and price[order[i - 1]] > price[r]:
            order[i] = order[i - 1]
            i -= 1
        order[i] = r


@njit(cache=True)
def _fill(gang, mask, order, price, free):
    """Charge of a gang filled cheapest first among the types of `mask`, or INF."""
    left = gang
    charge = np.int64(0)
    for k in range(order.shape[0]):
        r = order[k]
        if (mask >> r) & 1 and free[r] > 0:
            take = min(left, free[r])
            charge += take * price[r]
            left -= take
            if left == 0:
                return charge
    return INF


@njit(cache=True)
def _round_cost(gang, mask, inside, picks, order, price, pooled, free, node_cost):
    """Least charge of one option in one round; INF where it does not fit.

    `free` is (H, R), `pooled` its sum over nodes; `inside`: within one node; `picks` > 1: that many
    nodes, each with a gang.
    """
    charge = _fill(gang, mask, order, price, pooled)
    if charge >= INF or not inside or free.shape[0] == 1:
        return charge
    for h in range(free.shape[0]):
        node_cost[h] = _fill(gang, mask, order, price, free[h])
    total = np.int64(0)
    for _ in range(picks):
        best = 0
        for h in range(1, free.shape[0]):
            if node_cost[h] < node_cost[best]:
                best = h
        if node_cost[best] >= INF:
            return INF
        total += node_cost[best]
        node_cost[best] = INF
    return total


@njit(cache=True)
def _first(row, base, prev, cost):
    # Whole slices of distinct rows, not computed indices, let these loops run on vectors.
    for i in range(row.shape[0]):
        row[i] = min(base[i], prev[i] + cost)


@njit(cache=True)
def _further(row, prev, cost):
    for i in range(row.shape[0]):
        row[i] = min(row[i], prev[i] + cost)


@njit(cache=True)
def best_plan(
    release, gang, need, kind, a, b, last, values, first, final, gain, mask, inside, picks,
    price, pooled, free, pad, table, top, cost, choice, order, node_cost,
):  # fmt: skip
    """Find the plan of greatest payoff of one job in the free capacity.

    Writes the option of every round of the window (or -1) into `choice`.

    Returns
    -------
    payoff, finish : int
        The payoff (> 0) and the flow time of completion; 0 and 0 if there is none.
    """
    payoff = np.int64(0)
    finish = 0
    table[0, : pad + 1] = 0
    top[0] = 0
    n = 0
    while n < last:
        prev, row = table[n], table[n + 1]
        t = release + n
        _sort(price[t], order)
        lowest = INF
        most = 0
        for i in range(first, final):
            c = _round_cost(
                gang, mask[i], inside[i], picks[i], order, price[t], pooled[t], free[t], node_cost
            )
            # An option that costs no less than one of more progress is never needed.
            cost[n, i - first] = c if c < lowest else INF
            if c < lowest:
                lowest = c
                most = max(most, gain[i])
        high = min(need, top[n] + most)
        prev[pad + top[n] + 1 : pad + high + 1] = INF
        row[: pad + 1] = 0
        x, y = pad + 1, pad + high + 1
        started = False
        for i in range(first, final):
            c = cost[n, i - first]
            if c >= INF:
                continue
            if not started:
                _first(row[x:y], prev[x:y], prev[x - gain[i] : y - gain[i]], c)
                started = True
            else:
                _further(row[x:y], prev[x - gain[i] : y - gain[i]], c)
        if not started:
            row[x:y] = prev[x:y]
        n += 1
        if high == need and row[pad + need] < INF:
            value = worth(kind, a, b, n, values) - row[pad + need]
            if value > payoff:
                payoff = value
                finish = n
        if n >= last:
            break
        cut = worth(kind, a, b, n + 1, values) - payoff
        if cut <= 0:
            break
        while high > 0 and row[pad + high] >= cut:
            high -= 1
        top[n] = high
    p = need
    for m in range(finish, 0, -1):
        choice[m - 1] = -1
        if p <= 0:
            continue
        best = table[m - 1, pad + p] if p <= top[m - 1] else INF
        for i in range(first, final):
            q = max(0, p - gain[i])
            if cost[m - 1, i - first] < INF and q <= top[m - 1]:
                c = table[m - 1, pad + q] + cost[m - 1, i - first]
                if c < best:
                    best = c
                    choice[m - 1] = i
        if choice[m - 1] >= 0:
            p -= gain[choice[m - 1]]
    return payoff, finish


@njit(cache=True)
def _hold(t, h, gang, mask, order, pooled, free, store, at):
    """Take a gang within node h, or over all nodes (h < 0), cheapest type first; return the end."""
    types = pooled.shape[1]
    left = gang
    for k in range(types):
        r = order[k]
        if not (mask >> r) & 1:
            continue
        begin, end = (0, free.shape[1]) if h < 0 else (h, h + 1)
        for x in range(begin, end):
            take = min(left, free[t, x, r])
            if take > 0:
                free[t, x, r] -= take
                pooled[t, r] -= take
                store[at, 0] = t
                store[at, 1] = x * types + r
                store[at, 2] = take
                at += 1
                left -= take
    return at


@njit(cache=True)
def book(
    release, gang, finish, choice, mask, inside, picks, price, pooled, free, order, node_cost,
    store, at,
):  # fmt: skip
    """Take the GPUs of a plan and append it to the store; return the end of the store."""
    nodes = free.shape[1]
    for n in range(finish):
        i = choice[n]
        if i < 0:
            continue
        t = release + n
        _sort(price[t], order)
        if not inside[i] or nodes == 1:
            at = _hold(t, -1, gang, mask[i], order, pooled, free, store, at)
            continue
        for h in range(nodes):
            node_cost[h] = _fill(gang, mask[i], order, price[t], free[t, h])
        for _ in range(picks[i]):
            best = 0
            for h in range(1, nodes):
                if node_cost[h] < node_cost[best]:
                    best = h
            at = _hold(t, best, gang, mask[i], order, pooled, free, store, at)
            node_cost[best] = INF
    return at


@njit(cache=True)
def release_plan(store, begin, size, types, pooled, free, sign):
    """Give back (sign 1) or take again (sign -1) the GPUs of a stored plan."""
    for e in range(begin, begin + size):
        t, cell, units = store[e, 0], store[e, 1], sign * store[e, 2]
        pooled[t, cell % types] += units
        free[t, cell // types, cell % types] += units
