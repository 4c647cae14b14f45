"""Best schedules of many jobs in one call, over states of the progress that is still needed.

A *state* is an equivalence class of remaining needs: two needs are the same when the same sets of
rounds cover them. State 0 is "nothing more needed", the last state is the whole job, and
``step[s, k - 1]`` is the state that is left of state s once option k has been run. With
``least[n, s]`` the least cost of covering state s in the first n rounds of the window,

``least[n, s] = min(least[n - 1, s], min over k of least[n - 1, step[s, k - 1]] + cost[n, k])``.

Options 1 .. K of a job are its progress values by increasing progress; option 0 is to idle. In each
round the options may be limited to ``low .. high``; with low >= 1 the job has to run.

Jobs lie one after the other in flat arrays: ``round_at[i]`` is the first entry of job i in arrays
over its rounds, ``cost_at[i]`` in arrays over rounds x options, ``step_at[i]`` over states x
options, ``way_at[i]`` over its ways.
"""

import numpy as np
from numba import njit

INF = np.int64(2**62)


@njit(cache=True)
def option_costs(
    jobs,
    release,
    rounds,
    options,
    cost_at,
    way_at,
    way_option,
    way_class,
    way_units,
    class_cost,
    extra_at,
    extra,
    cost,
):
    """Write the least cost of every option in every round into `cost`.

    Parameters
    ----------
    jobs : (Q,) int64
        The jobs to do.
    way_option, way_class, way_units : (ways,) int64
        A way is one class of GPUs that gives an option its progress; it costs
        ``way_units * class_cost[t, way_class]``.
    class_cost : (T, C) int64
        2**62 where the class cannot be used.
    extra_at, extra : int64
        Further cost of each (round, way) of a job, flat; ``extra_at[i] = -1`` for none.
    cost : int64, flat over jobs, rounds and options
    """
    for q in range(jobs.shape[0]):
        i = jobs[q]
        many = options[i]
        first = way_at[i]
        ways = way_at[i + 1] - first
        for n in range(rounds[i]):
            base = cost_at[i] + n * many
            for k in range(many):
                cost[base + k] = INF
            for w in range(ways):
                each = class_cost[release[i] + n, way_class[first + w]]
                if each >= INF:
                    continue
                total = each * way_units[first + w]
                if extra_at[i] >= 0:
                    total += extra[extra_at[i] + n * ways + w]
                k = way_option[first + w] - 1
                if total < cost[base + k]:
                    cost[base + k] = total


@njit(cache=True)
def copy_costs(class_cost, classes, step):
    """Least cost of every state of a set of copies in every round.

    Parameters
    ----------
    class_cost : (N, C) int64
        Cost of one copy in each class, in each round of the window; 2**62 where impossible.
    classes : (H, L) int64
        Class of one copy on each node at each level, or -1.
    step : (M, L) int64
        State after one more copy at that level, or -1; state 0 is no copy.

    Returns
    -------
    cost : (N, M) int64
        2**62 for states that cannot be reached.
    """
    rounds = class_cost.shape[0]
    states, levels = step.shape
    cost = np.full((rounds, states), INF, np.int64)
    grown = np.empty(states, np.int64)
    for n in range(rounds):
        row = cost[n]
        row[0] = 0
        for h in range(classes.shape[0]):
            grown[:] = row
            for s in range(states):
                if row[s] >= INF:
                    continue
                for i in range(levels):
                    if classes[h, i] < 0 or step[s, i] < 0:
                        continue
                    each = class_cost[n, classes[h, i]]
                    if each < INF and row[s] + each < grown[step[s, i]]:
                        grown[step[s, i]] = row[s] + each
            row[:] = grown
    return cost


@njit(cache=True)
def copy_use(class_cost, classes, step, target):
    """Level of the copy on each node, (H,) or -1, in a cheapest set of copies of one state.

    `class_cost` is the (C,) row of the round. All -1 when the state cannot be reached.
    """
    nodes, levels = classes.shape
    states = step.shape[0]
    cost = np.full((nodes + 1, states), INF, np.int64)
    before = np.full((nodes + 1, states), -1, np.int64)
    level = np.full((nodes + 1, states), -1, np.int64)
    chosen = np.full(nodes, -1, np.int64)
    cost[0, 0] = 0
    for h in range(nodes):
        for s in range(states):
            cost[h + 1, s] = cost[h, s]
            before[h + 1, s] = s
        for s in range(states):
            if cost[h, s] >= INF:
                continue
            for i in range(levels):
                if classes[h, i] < 0 or step[s, i] < 0:
                    continue
                each = class_cost[classes[h, i]]
                to = step[s, i]
                if each < INF and cost[h, s] + each < cost[h + 1, to]:
                    cost[h + 1, to] = cost[h, s] + each
                    before[h + 1, to] = s
                    level[h + 1, to] = i
    if cost[nodes, target] >= INF:
        return chosen
    s = target
    for h in range(nodes, 0, -1):
        chosen[h - 1] = level[h, s]
        s = before[h, s]
    return chosen


@njit(cache=True)
def best_columns(
    jobs,
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
):
    """Find the schedule of maximum payoff of every job, within limits.

    Parameters
    ----------
    jobs : (Q,) int64
        The jobs to do.
    states : (J,) int64
        The whole-job state of each job (states are 0 .. states[i]).
    worth : int64, flat over rounds
        Value of completing in each round of the window, non-increasing.
    low, high : int64, flat over rounds
        Options that are allowed.
    begin, end : (J,) int64
        First and last round of the window in which completion counts.
    must : (J,) bool
        Whether the job has to complete.
    table : (>= N + 1, >= S + 1) int64
        Work space.
    payoff, last : (J,) int64
        Result: worth - cost and the completion round (-1: does not complete). A job that cannot
        satisfy its limits has payoff -2**62.
    choice : int64, flat over rounds
        Result: the option in each round.
    """
    for q in range(jobs.shape[0]):
        i = jobs[q]
        many = options[i]
        whole = states[i]
        base = round_at[i]
        # Not to complete costs the rounds in which the job has to run anyway.
        idle = np.int64(0)
        for n in range(rounds[i]):
            choice[base + n] = 0
            if low[base + n] > 0:
                least = INF
                for k in range(low[base + n], high[base + n] + 1):
                    c = cost[cost_at[i] + n * many + k - 1]
                    if c < least:
                        least = c
                        choice[base + n] = k
                idle = min(INF, idle + least)
        best = -INF
        if not must[i] and idle < INF:
            best = -idle
        at = -1
        for s in range(1, whole + 1):
            table[0, s] = INF
        table[0, 0] = 0
        for n in range(min(rounds[i], end[i] + 1)):
            if worth[base + n] <= best:
                break
            prev = table[n]
            row = table[n + 1]
            lowest, highest = low[base + n], high[base + n]
            if lowest > 0:
                for s in range(whole + 1):
                    row[s] = INF
            else:
                for s in range(whole + 1):
                    row[s] = prev[s]
            least = INF
            for k in range(highest, max(lowest, 1) - 1, -1):
                c = cost[cost_at[i] + n * many + k - 1]
                # An option that costs no less than one of more progress is never needed.
                if c >= least:
                    continue
                least = c
                for s in range(whole + 1):
                    value = prev[step[step_at[i] + s * many + k - 1]] + c
                    if value < row[s]:
                        row[s] = value
            if n >= begin[i] and row[whole] < INF:
                value = worth[base + n] - row[whole]
                if value > best:
                    best = value
                    at = n
        payoff[i] = best
        last[i] = at
        if at < 0:
            continue
        for n in range(at + 1, rounds[i]):
            choice[base + n] = 0
        s = whole
        for n in range(at, -1, -1):
            target = table[n + 1, s]
            choice[base + n] = 0
            if low[base + n] == 0 and table[n, s] == target:
                continue
            for k in range(max(low[base + n], 1), high[base + n] + 1):
                to = step[step_at[i] + s * many + k - 1]
                c = cost[cost_at[i] + n * many + k - 1]
                if table[n, to] < INF and table[n, to] + c == target:
                    choice[base + n] = k
                    s = to
                    break
