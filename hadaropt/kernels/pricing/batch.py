"""Many jobs at once: the online pass, and jobs that share one covering table.

`arrivals` prices, decides and books every arriving job, for pooled units under linear charges (a
bundle pays the price before it is booked). `share` finds the best schedules of jobs that differ
only in need, gang and utility. The decisions are those of pricing one job: maximum payoff, ties to
the earliest completion, then the fewest gangs, then as in `cover`.

Utilities are parametric, so that nothing of size jobs x rounds exists. ``U(d) * scale`` is

- LINEAR: ``(a - b * (d - 1)) / c`` for d <= last (linear, step and completion utilities);
- INVERSE: ``a / (b * d)`` for d <= last (effective throughput);
- TABLE: entry ``a + d - 1`` of a shared table of (floor, rank of the fraction), for d <= last;

and 0 for d > last. Payoffs are compared by their floor and, where that is equal, exactly by the
fraction, since charges are integers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.gang_fill import fill_gang, gang_charge
from hadaropt.kernels.order import by_price
from hadaropt.kernels.pricing.relaxation import offer_first, offer_further

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

INF = np.int64(2**62)
LINEAR = 0
INVERSE = 1
TABLE = 2


@kernel
def _worth(kind: int, par: Ints, d: int, floors: Ints, ranks: Ints) -> tuple[int, int, int]:
    """Floor of U(d) * scale, and its fraction as (number, weight), comparable within one job."""
    if kind == LINEAR:
        total = par[0] - par[1] * (d - 1)
        return total // par[2], total % par[2], 1
    if kind == INVERSE:
        below = par[1] * d
        return par[0] // below, par[0] % below, d
    return int(floors[par[0] + d - 1]), int(ranks[par[0] + d - 1]), 1


@kernel
def _options(
    price: Ints,
    free: Ints,
    gang: int,
    gains: Ints,
    admitted: Bools,
    limit: int,
    tie: int,
    order: Ints,
    level: Ints,
    key: Ints,
) -> int:
    """Undominated levels of one round by decreasing progress, with their keys; their number."""
    by_price(price, order)
    size = 0
    lowest = np.int64(limit + 1)
    for i in range(gains.shape[0] - 1, -1, -1):
        if gains[i] == 0:
            break
        charge = gang_charge(gang, admitted[i], order, price, free)
        same = size > 0 and gains[level[size - 1]] == gains[i]
        if charge < lowest or (same and charge == lowest):
            if not same:
                size += 1
            level[size - 1] = i
            key[size - 1] = charge * tie + 1
            lowest = charge
    return size


@kernel
def arrivals(
    release: Ints,
    gang: Ints,
    need: Ints,
    progress: Ints,
    admitted: Bools,
    kind: Ints,
    par: Ints,
    last: Ints,
    floors: Ints,
    ranks: Ints,
    steps: Ints,
    row_of: Ints,
    capacity: Ints,
    used: Ints,
    price: Ints,
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Price, decide and book jobs in the given order.

    Parameters
    ----------
    release, gang, need : (J,) int64
        First round, units per running round, and required progress in units (>= 1).
    progress : (J, L) int64
        Progress of each level in units, by level in non-decreasing order, 0 where impossible.
    admitted : (J, L, R) bool
        Types that each level may use.
    kind, last : (J,) int64
        Utility kind, and the largest flow time of positive value (0 if none).
    par : (J, 3) int64
        Parameters of the utility: a, b, c.
    floors, ranks : int64
        Shared tables of TABLE utilities.
    steps : (K, R, >= max(capacity) + 1) int64
        Price of a unit of type r when g units are booked: ``steps[row_of[t], r, g]``,
        non-decreasing in g.
    row_of : (T,) int64
        Table of each round.
    capacity : (R,) int64
    used, price : (T, R) int64
        Units booked, and ``steps`` at them; both are updated.

    Returns
    -------
    completion, charge : (J,) int64
        Completion round (-1 if rejected) and total charge of each job.
    plan_start : (J + 1,) int64
        Rounds of job j are entries plan_start[j] .. plan_start[j + 1] - 1 of the plan.
    plan_round : int64
        Round of each entry, increasing within a job.
    plan_use : (entries, R) int64
        Units of each type.
    """
    jobs, levels = progress.shape
    rounds, types = price.shape
    tie = rounds + 1
    width = np.int64(1)
    pad = np.int64(0)
    for j in range(jobs):
        width = max(width, need[j])
        pad = max(pad, progress[j, levels - 1])
    table = np.empty((rounds + 1, pad + width + 1), np.int64)
    table[:, : pad + 1] = 0
    top = np.zeros(rounds + 1, np.int64)
    level = np.empty((rounds, levels), np.int64)
    key = np.empty((rounds, levels), np.int64)
    count = np.zeros(rounds, np.int64)
    order = np.empty(types, np.int64)
    use = np.empty(types, np.int64)
    free = np.empty((rounds, types), np.int64)
    for t in range(rounds):
        free[t] = capacity - used[t]
    completion = np.full(jobs, -1, np.int64)
    charge = np.zeros(jobs, np.int64)
    plan_start = np.zeros(jobs + 1, np.int64)
    plan_round = np.empty(1024, np.int64)
    plan_use = np.empty((1024, types), np.int64)
    size = 0
    for j in range(jobs):
        plan_start[j + 1] = size
        a, w, target = release[j], gang[j], need[j]
        window = min(rounds - a, last[j])
        gains = progress[j]
        most = gains[levels - 1]
        if window <= 0 or most * window < target:
            continue
        limit, now_part, now_weight = _worth(kind[j], par[j], 1, floors, ranks)
        now = limit
        best, best_part, best_weight, at = 0, 0, 1, -1
        paid = np.int64(0)
        n = 0
        while n < window:
            t = a + n
            size_n = _options(
                price[t], free[t], w, gains, admitted[j], limit, tie, order, level[n], key[n]
            )
            count[n] = size_n
            prev = table[n]
            row = table[n + 1]
            high = top[n]
            if size_n > 0:
                high = min(target, high + gains[level[n, 0]])
            prev[pad + top[n] + 1 : pad + high + 1] = INF
            low = max(np.int64(1), target - most * (window - 1 - n))
            begin, end = pad + low, pad + high + 1
            entries = row[begin:end]
            base = prev[begin:end]
            if size_n == 0:
                entries[:] = base
            for k in range(size_n):
                gain = gains[level[n, k]]
                if k == 0:
                    offer_first(entries, base, prev[begin - gain : end - gain], key[n, k])
                else:
                    offer_further(entries, prev[begin - gain : end - gain], key[n, k])
            if high == target and low <= target and row[pad + target] < INF:
                payoff = now - int(row[pad + target]) // tie
                if payoff > best or (
                    payoff == best and now_part * best_weight > best_part * now_weight
                ):
                    best, best_part, best_weight, at = payoff, now_part, now_weight, n
                    paid = row[pad + target]
                    # Later than `window` rounds, a completion is worth less than this payoff.
                    beyond = window + 1
                    window = n + 1
                    while beyond - window > 1:
                        d = (window + beyond) // 2
                        if _worth(kind[j], par[j], d, floors, ranks)[0] >= best:
                            window = d
                        else:
                            beyond = d
            if n + 1 < window:
                now, now_part, now_weight = _worth(kind[j], par[j], n + 2, floors, ranks)
                cut = (now - best) * tie + tie - 1
                while high >= low and row[pad + high] > cut:
                    high -= 1
            top[n + 1] = high
            n += 1
        if at < 0:
            continue
        completion[j] = a + at
        charge[j] = paid // tie
        table[at + 1, pad + target] = paid  # the next row may have overwritten it
        # Go back through the table; entries are written in reverse and then turned around.
        p = target
        for n in range(at, -1, -1):
            if p <= 0:
                break
            goal = table[n + 1, pad + p]
            if p <= top[n] and table[n, pad + p] == goal:
                continue
            t = a + n
            for k in range(count[n] - 1, -1, -1):
                q = max(np.int64(0), p - gains[level[n, k]])
                if q <= top[n] and table[n, pad + q] + key[n, k] == goal:
                    p = q
                    by_price(price[t], order)
                    fill_gang(w, admitted[j, level[n, k]], order, free[t], use)
                    if size == plan_round.shape[0]:
                        wider = np.empty(2 * size, np.int64)
                        wider[:size] = plan_round
                        plan_round = wider
                        wide = np.empty((2 * size, types), np.int64)
                        wide[:size] = plan_use
                        plan_use = wide
                    plan_round[size] = t
                    plan_use[size] = use
                    size += 1
                    for r in range(types):
                        if use[r] > 0:
                            used[t, r] += use[r]
                            free[t, r] -= use[r]
                            price[t, r] = steps[row_of[t], r, used[t, r]]
                    break
        begin = plan_start[j + 1]
        plan_start[j + 1] = size
        plan_round[begin:size] = plan_round[begin:size][::-1].copy()
        plan_use[begin:size] = plan_use[begin:size][::-1].copy()
    return completion, charge, plan_start, plan_round[:size].copy(), plan_use[:size].copy()


@kernel
def share(
    start: Ints,
    progress: Ints,
    cost: Ints,
    table: Ints,
    top: Ints,
    tie: int,
    gang: Ints,
    need: Ints,
    kind: Ints,
    par: Ints,
    last: Ints,
    floors: Ints,
    ranks: Ints,
) -> tuple[Ints, Ints, Ints, Ints]:
    """Best schedules of jobs that share a covering table for a gang of one.

    Parameters
    ----------
    start, progress, cost : int64
        Options of the rounds of the window, for a gang of one.
    table, top : int64
        Their `cover.dense` table for the largest need, computed without `worth`.
    tie : int
        Weight of the charge in the keys.
    gang, need : (J,) int64
        Units per running round (each charged as in the options), and required progress.
    kind, par, last, floors, ranks
        Utilities, as in `arrivals`.

    Returns
    -------
    completion : (J,) int64
        Round of the window, -1 for the empty schedule.
    charge : (J,) int64
    plan_start : (J + 1,) int64
        Entries of job j are plan_start[j] .. plan_start[j + 1] - 1 of the plan.
    plan : (entries, 2) int64
        Round of the window, increasing within a job, and option.
    """
    jobs = need.shape[0]
    rounds = start.shape[0] - 1
    pad = table.shape[1] - 1 - need.max()
    completion = np.full(jobs, -1, np.int64)
    charge = np.zeros(jobs, np.int64)
    plan_start = np.zeros(jobs + 1, np.int64)
    plan = np.empty((256, 2), np.int64)
    size = 0
    for j in range(jobs):
        best, best_part, best_weight, at = 0, 0, 1, -1
        for n in range(min(rounds, last[j])):
            now, part, weight = _worth(kind[j], par[j], n + 1, floors, ranks)
            if now < best:
                break
            if top[n + 1] < need[j]:
                continue
            payoff = now - gang[j] * (int(table[n + 1, pad + need[j]]) // tie)
            if payoff > best or (payoff == best and part * best_weight > best_part * weight):
                best, best_part, best_weight, at = payoff, part, weight, n
        begin = size
        if at >= 0:
            completion[j] = at
            charge[j] = gang[j] * (table[at + 1, pad + need[j]] // tie)
            p = need[j]
            for n in range(at, -1, -1):
                if p <= 0:
                    break
                goal = table[n + 1, pad + p]
                if p <= top[n] and table[n, pad + p] == goal:
                    continue
                for i in range(start[n], start[n + 1]):
                    q = max(np.int64(0), p - progress[i])
                    if q <= top[n] and table[n, pad + q] + cost[i] == goal:
                        if size == plan.shape[0]:
                            wider = np.empty((2 * size, 2), np.int64)
                            wider[:size] = plan
                            plan = wider
                        plan[size, 0] = n
                        plan[size, 1] = i
                        size += 1
                        p = q
                        break
            plan[begin:size] = plan[begin:size][::-1].copy()
        plan_start[j + 1] = size
    return completion, charge, plan_start, plan[:size].copy()
