"""Ruin and recreate on schedules: take a few jobs out, put them back one after the other.

Capacity is kept per round and *row*. A *way* is a set of GPU classes, one for each gang or copy,
that gives an option its progress; way w takes ``units[k]`` gangs of the rows ``rows[k]`` for k in
``row_at[w] .. row_at[w + 1] - 1``, and fits iff all of them have room (Hall's condition, when the
rows are the sets of cells that include a class). Arrays over jobs are those of `columns`.
"""

import numpy as np
from numba import njit

from hadaropt.kernels.columns import INF, best_columns


@njit(cache=True)
def _count(i, release, rounds, round_at, way, gang, row_at, rows, units, sign, free):
    """Give back (sign 1) or take (sign -1) what job i holds."""
    for n in range(rounds[i]):
        w = way[round_at[i] + n]
        if w >= 0:
            for k in range(row_at[w], row_at[w + 1]):
                free[release[i] + n, rows[k]] += sign * gang[i] * units[k]


@njit(cache=True)
def _charge(
    i,
    release,
    rounds,
    options,
    cost_at,
    way_at,
    way_option,
    gang,
    row_at,
    rows,
    units,
    free,
    price,
    percent,
    cost,
    cheapest,
):
    """Cost of every option of job i on what is free, and its cheapest way."""
    many = options[i]
    for n in range(rounds[i]):
        base = cost_at[i] + n * many
        t = release[i] + n
        for k in range(many):
            cost[base + k] = INF
            cheapest[base + k] = -1
        for w in range(way_at[i], way_at[i + 1]):
            k = way_option[w] - 1
            total = price[t, w] // 100 * percent + gang[i]
            if total >= cost[base + k]:
                continue
            fits = True
            for x in range(row_at[w], row_at[w + 1]):
                if free[t, rows[x]] < gang[i] * units[x]:
                    fits = False
                    break
            if fits:
                cost[base + k] = total
                cheapest[base + k] = w


@njit(cache=True)
def improve(
    seed,
    iterations,
    most,
    release,
    rounds,
    options,
    states,
    step_at,
    step,
    cost_at,
    way_at,
    way_option,
    gang,
    round_at,
    worth,
    row_at,
    rows,
    units,
    free,
    price,
    way,
    value,
):
    """Improve a schedule in place by ruin and recreate with annealing.

    Parameters
    ----------
    seed, iterations, most : int
        At most `most` jobs are taken out at a time.
    gang : (J,) int64
    price : (T, ways) int64
        Price of each way in each round; guides where jobs are put.
    free : (T, rows) int64
        What is free beside the schedule.
    way : int64, flat over rounds
        The way of each job in each round, or -1; overwritten by the best schedule.
    value : (J,) int64
        Value of each job (worth units), 0 where it does not complete; overwritten.

    Returns
    -------
    best : int
        Total value of the best schedule.
    """
    np.random.seed(seed)
    jobs = rounds.shape[0]
    widest = 0
    for i in range(jobs):
        widest = max(widest, states[i] + 1)
    table = np.empty((rounds.max() + 1, widest), np.int64)
    cost = np.empty(cost_at[jobs], np.int64)
    cheapest = np.empty(cost_at[jobs], np.int64)
    low = np.zeros(round_at[jobs], np.int64)
    high = np.empty(round_at[jobs], np.int64)
    for i in range(jobs):
        high[round_at[i] : round_at[i + 1]] = options[i]
    begin = np.zeros(jobs, np.int64)
    end = rounds - 1
    must = np.zeros(jobs, np.bool_)
    payoff = np.zeros(jobs, np.int64)
    last = np.zeros(jobs, np.int64)
    choice = np.zeros(round_at[jobs], np.int64)
    best_way, best_value = way.copy(), value.copy()
    total = value.sum()
    best = total
    old_way = np.empty(round_at[jobs], np.int64)
    old_value = np.empty(jobs, np.int64)
    old_done = np.empty(jobs, np.int64)
    done = rounds - 1
    chosen = np.empty(jobs, np.int64)
    taken = np.zeros(jobs, np.bool_)
    key = np.empty(jobs, np.float64)
    one = np.empty(1, np.int64)
    horizon = free.shape[0]
    mean = 0.0
    for i in range(jobs):
        mean += worth[round_at[i]]
    hot = 0.1 * mean / max(1, jobs)
    for iteration in range(iterations):
        size = min(jobs, 2 + int((most - 1) * np.random.random() ** 2.5))
        first = np.random.randint(0, horizon)
        final = first + np.random.randint(1, max(2, horizon // 3))
        count = 0
        for _ in range(size * 8):
            if count == size:
                break
            i = np.random.randint(0, jobs)
            # Jobs that run, or could run, in the chosen rounds.
            stop = release[i] + (done[i] if value[i] > 0 else rounds[i] - 1)
            if not taken[i] and release[i] <= final and stop >= first:
                taken[i] = True
                chosen[count] = i
                count += 1
        before = total
        for q in range(count):
            i = chosen[q]
            old_value[i] = value[i]
            old_done[i] = done[i]
            total -= value[i]
            value[i] = 0
            _count(i, release, rounds, round_at, way, gang, row_at, rows, units, 1, free)
            for p in range(round_at[i], round_at[i + 1]):
                old_way[p] = way[p]
                way[p] = -1
        mode = np.random.randint(0, 4)
        for q in range(count):
            i = chosen[q]
            top = float(worth[round_at[i]])
            if mode == 0:
                key[q] = np.random.random()
            elif mode == 1:
                key[q] = -top * np.exp(0.5 * np.random.randn())
            elif mode == 2:
                key[q] = -top / (gang[i] * states[i]) * np.exp(0.5 * np.random.randn())
            else:
                key[q] = release[i] + rounds[i] + 0.1 * horizon * np.random.randn()
        order = np.argsort(key[:count])
        percent = np.random.randint(0, 120)
        for q in range(count):
            i = chosen[order[q]]
            one[0] = i
            _charge(
                i,
                release,
                rounds,
                options,
                cost_at,
                way_at,
                way_option,
                gang,
                row_at,
                rows,
                units,
                free,
                price,
                percent,
                cost,
                cheapest,
            )
            best_columns(
                one,
                rounds,
                options,
                states,
                step_at,
                step,
                cost_at,
                cost,
                round_at,
                worth,
                low,
                high,
                begin,
                end,
                must,
                table,
                payoff,
                last,
                choice,
            )
            if last[i] < 0:
                continue
            value[i] = worth[round_at[i] + last[i]]
            done[i] = last[i]
            total += value[i]
            for n in range(rounds[i]):
                k = choice[round_at[i] + n]
                if k > 0:
                    way[round_at[i] + n] = cheapest[cost_at[i] + n * options[i] + k - 1]
            _count(i, release, rounds, round_at, way, gang, row_at, rows, units, -1, free)
        heat = hot * 0.001 ** (iteration / iterations)
        if total >= before or np.random.random() < np.exp((total - before) / heat):
            if total > best:
                best = total
                best_way[:] = way
                best_value[:] = value
        else:
            for q in range(count):
                i = chosen[q]
                _count(i, release, rounds, round_at, way, gang, row_at, rows, units, 1, free)
            for q in range(count):
                i = chosen[q]
                value[i] = old_value[i]
                done[i] = old_done[i]
                for p in range(round_at[i], round_at[i + 1]):
                    way[p] = old_way[p]
                _count(i, release, rounds, round_at, way, gang, row_at, rows, units, -1, free)
            total = before
        for q in range(count):
            taken[chosen[q]] = False
    way[:] = best_way
    value[:] = best_value
    return best
