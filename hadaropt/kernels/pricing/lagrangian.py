"""The Lagrangian of many jobs at given prices: payoffs, use of GPUs, from tables that jobs share.

Jobs of one *group* have the same release, the same progress in every way of running and the same
cost of it, so one table of least costs over progress serves them all; each reads its own
requirement. Costs are per unit of the group (one GPU, or one gang where the size of the gang
matters); `weight` is the number of such units of a job.

A *way* is how a gang may be held in a round: filled cheapest first within the capacities of a row
(all GPUs of a type together, or one node), or one gang in each of the `picks` cheapest rows.

Worths are integers ``>= U(d) * scale`` by kind: LINEAR ``a - b * (d - 1)``; INVERSE
``ceil(a / d)``; TABLE ``table[a + d - 1]``; SIGMOID ``ceil(a * table[b + d - 1] / 2**16)`` with a
share in units of 2**-30 in the table and a in units of 2**14; for flow times d <= last, and 0
beyond.
"""

from __future__ import annotations

import numpy as np

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.gang_fill import fill_gang, gang_charge
from hadaropt.kernels.order import by_price
from hadaropt.kernels.pricing.relaxation import offer_first, offer_further

INF = np.int64(2**62)
LINEAR, INVERSE, TABLE, SIGMOID = 0, 1, 2, 3
SIGMOID_DROP = 14


@kernel
def worth(kind, a, b, d, table):
    """Return an integer >= U(d) * scale, for d within the last flow time of positive value."""
    if kind == LINEAR:
        return a - b * (d - 1)
    if kind == INVERSE:
        return -(-a // d)
    if kind == TABLE:
        return table[a + d - 1]
    return -((-a * table[b + d - 1]) >> 16)


@kernel
def way_costs(price, row_start, rows, gang, picks, cost, use):
    """Write cost and use of every way in every round.

    Parameters
    ----------
    price : (T, R) int64
    row_start : (M + 1,) int64
        Rows of way m are row_start[m] .. row_start[m + 1] - 1.
    rows : (N, R) int64
        Units of each type that a row offers (0 where a type is not admitted).
    gang, picks : (M,) int64
    cost : (M, T) int64
        Result; 2**62 where impossible.
    use : (M, T, R) int64
        Result: units held of each type.
    """
    rounds, types = price.shape
    ways = gang.shape[0]
    most = 0
    for m in range(ways):
        most = max(most, row_start[m + 1] - row_start[m])
    order = np.empty(types, np.int64)
    anywhere = np.ones(types, np.bool_)
    fill = np.empty((most, types), np.int64)
    charge = np.empty(most, np.int64)
    for t in range(rounds):
        by_price(price[t], order)
        for m in range(ways):
            begin = row_start[m]
            size = row_start[m + 1] - begin
            for h in range(size):
                charge[h] = gang_charge(gang[m], anywhere, order, price[t], rows[begin + h])
                fill_gang(gang[m], anywhere, order, rows[begin + h], fill[h])
            cost[m, t] = 0
            use[m, t, :] = 0
            for _ in range(picks[m]):
                best = 0
                for h in range(1, size):
                    if charge[h] < charge[best]:
                        best = h
                if charge[best] >= INF:
                    cost[m, t] = INF
                    break
                cost[m, t] += charge[best]
                for r in range(types):
                    use[m, t, r] += fill[best, r]
                charge[best] = INF


@kernel
def _options(t, begin, end, gain, way, way_cost, option):
    """Write the undominated options of a round by decreasing gain; return their number."""
    size = 0
    lowest = INF
    for i in range(begin, end):
        c = way_cost[way[i], t]
        if c >= lowest:
            continue
        if size > 0 and gain[option[size - 1]] == gain[i]:
            size -= 1
        option[size] = i
        size += 1
        lowest = c
    return size


@kernel
def _cover(
    begin,
    end,
    pad,
    release,
    weight,
    need,
    kind,
    a,
    b,
    last,
    values,
    first_option,
    last_option,
    gain,
    way,
    way_cost,
    table,
    top,
    option,
    active,
    payoff,
    finish,
):
    """Fill the table of one group and the payoffs of its jobs begin .. end - 1."""
    size = 0
    for j in range(begin, end):
        payoff[j] = 0
        finish[j] = -1
        if last[j] > 0:
            active[size] = j
            size += 1
    table[0, :pad] = 0
    table[0, pad] = 0
    top[0] = 0
    n = 0
    while size > 0:
        t = release + n
        prev, row = table[n], table[n + 1]
        count = _options(t, first_option, last_option, gain, way, way_cost, option)
        most = gain[option[0]] if count > 0 else 0
        high = min(need[active[size - 1]], top[n] + most)
        base_top = min(top[n], high)
        prev[pad + base_top + 1 : pad + high + 1] = INF
        row[: pad + 1] = 0
        x, y = pad + 1, pad + high + 1
        if count == 0:
            row[x:y] = prev[x:y]
        for i in range(count):
            g = gain[option[i]]
            c = way_cost[way[option[i]], t]
            if i == 0:
                offer_first(row[x:y], prev[x:y], prev[x - g : y - g], c)
            else:
                offer_further(row[x:y], prev[x - g : y - g], c)
        n += 1
        # A state is kept only if completing it one round later could still pay for some job.
        cut = np.int64(-1)
        kept = 0
        for i in range(size):
            j = active[i]
            if need[j] <= high and row[pad + need[j]] < INF:
                value = worth(kind[j], a[j], b[j], n, values) - weight[j] * row[pad + need[j]]
                if value > payoff[j]:
                    payoff[j] = value
                    finish[j] = n
            if n < last[j]:
                ahead = worth(kind[j], a[j], b[j], n + 1, values) - payoff[j]
                if ahead > 0:
                    cut = max(cut, ahead // weight[j])
                    active[kept] = j
                    kept += 1
        size = kept
        while high > 0 and row[pad + high] > cut:
            high -= 1
        top[n] = high


@kernel
def _trace(
    j, pad, release, weight, need, first_option, last_option, gain, way, way_cost, way_use,
    table, top, finish, used,
):  # fmt: skip
    """Add the GPUs of the best schedule of job j to `used`."""
    p = need[j]
    types = used.shape[1]
    for n in range(finish[j], 0, -1):
        if p <= 0:
            break
        stay = table[n - 1, pad + p] if p <= top[n - 1] else INF
        best = stay
        chosen = -1
        t = release + n - 1
        for i in range(first_option, last_option):
            q = max(0, p - gain[i])
            if q <= top[n - 1] and way_cost[way[i], t] < INF:
                c = table[n - 1, pad + q] + way_cost[way[i], t]
                if c < best:
                    best = c
                    chosen = i
        if chosen >= 0:
            m = way[chosen]
            for r in range(types):
                used[t, r] += weight[j] * way_use[m, t, r]
            p -= gain[chosen]


@kernel
def relaxed(
    group_start,
    group_release,
    option_start,
    gain,
    way,
    way_cost,
    way_use,
    weight,
    need,
    kind,
    a,
    b,
    last,
    values,
    pad,
    table,
    top,
    active,
    payoff,
    finish,
    used,
):
    """Price every job; write payoffs and completions, and the use of all their schedules.

    Parameters
    ----------
    group_start : (G + 1,) int64
        Jobs of group g are group_start[g] .. group_start[g + 1] - 1, by increasing need.
    group_release : (G,) int64
    option_start : (G, 2) int64
        First and last option of the group in `gain` and `way`, by decreasing gain.
    gain, way : int64
        Units of progress and way of each option.
    way_cost, way_use
        From `way_costs`.
    weight, need, kind, a, b, last : (J,) int64
    values : int64
        Shared tables of worths.
    pad : int
        Largest gain.
    table : (T + 1, >= pad + largest need + 1) int64
    top : (T + 1,) int64
    active : (J,) int64
        Work space.
    payoff, finish : (J,) int64
        Result: upper bound on the payoff times scale, and flow time of completion or -1.
    used : (T, R) int64
        Result.

    Returns
    -------
    int
        Sum of the payoffs.
    """
    used[:] = 0
    total = np.int64(0)
    option = np.empty(way_cost.shape[0] + gain.shape[0], np.int64)
    for g in range(group_start.shape[0] - 1):
        begin, end = group_start[g], group_start[g + 1]
        first, final = option_start[g, 0], option_start[g, 1]
        _cover(
            begin, end, pad, group_release[g], weight, need, kind, a, b, last, values, first,
            final, gain, way, way_cost, table, top, option, active, payoff, finish,
        )  # fmt: skip
        for j in range(begin, end):
            total += payoff[j]
            if finish[j] > 0:
                _trace(
                    j, pad, group_release[g], weight, need, first, final, gain, way, way_cost,
                    way_use, table, top, finish, used,
                )  # fmt: skip
    return total
