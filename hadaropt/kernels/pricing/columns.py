"""Best schedules of many jobs in one call, over states of the progress that is still needed.

A *state* is an equivalence class of remaining needs: two needs are the same when the same sets of
rounds cover them. State 0 is "nothing more needed", the last state is the whole job, and
``step[s, k - 1]`` is the state that is left of state s once option k has been run. With
``least[n, s]`` the least cost of covering state s in the first n rounds of the window,

``least[n, s] = min(least[n - 1, s], min over k of least[n - 1, step[s, k - 1]] + cost[n, k])``.

Options 1 .. K of a job are its progress values by increasing progress; option 0 is to idle. In each
round the options may be limited to ``low .. high``; with low >= 1 the job has to run. Jobs whose
states are too many for a table have none: see `label_columns`.

Jobs lie one after the other in flat arrays: ``round_at[i]`` is the first entry of job i in arrays
over its rounds, ``cost_at[i]`` in arrays over rounds x options, ``step_at[i]`` over states x
options, ``way_at[i]`` over its ways.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.pricing.label_columns import cover_by_labels

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

INF = np.int64(2**62)


class Windows(NamedTuple):
    """The jobs, and where their numbers lie in the flat arrays.

    Attributes
    ----------
    release, rounds, options, states, need : (J,) int64
        First round, rounds of the window, number of options, the state of the whole job, and its
        iterations.
    round_at, cost_at, step_at, gain_at : (J + 1,) int64
        First entry of each job in arrays over rounds, rounds x options, states x options, and
        options. A job without entries of the third kind has no table.
    step : int64, flat over jobs, states and options
    gain : int64, flat over jobs and options
        Progress of each option, in iterations.
    worth : int64, flat over jobs and rounds
        Value of completing in each round of the window, non-increasing.
    """

    release: Ints
    rounds: Ints
    options: Ints
    states: Ints
    need: Ints
    round_at: Ints
    cost_at: Ints
    step_at: Ints
    gain_at: Ints
    step: Ints
    gain: Ints
    worth: Ints


class Branch(NamedTuple):
    """What the schedules may do.

    Attributes
    ----------
    low, high : int64, flat over jobs and rounds
        Options that are allowed.
    begin, end : (J,) int64
        First and last round of the window in which completion counts.
    must : (J,) bool
        Whether the job has to complete.
    """

    low: Ints
    high: Ints
    begin: Ints
    end: Ints
    must: Bools


class Best(NamedTuple):
    """The best schedules, and work space.

    Attributes
    ----------
    payoff, last : (J,) int64
        Worth less cost, and the completion round of the window (-1: does not complete). A job that
        cannot do what it must has payoff -2**62.
    choice : int64, flat over jobs and rounds
        The option in each round.
    table : (>= N + 1, >= S + 1) int64
        Work space, for the longest window and the most states.
    """

    payoff: Ints
    last: Ints
    choice: Ints
    table: Ints


class Ways(NamedTuple):
    """How jobs may be held in a round, for `improve`.

    Attributes
    ----------
    way_at : (J + 1,) int64
        Ways of job i are way_at[i] .. way_at[i + 1] - 1.
    option : (ways,) int64
        The option to which a way gives its progress, 1 .. K.
    gang : (J,) int64
    row_at : (ways + 1,) int64
    rows, units : int64
        Way w takes ``units[k]`` gangs of the rows ``rows[k]`` for k in row_at[w] ..
        row_at[w + 1] - 1.
    """

    way_at: Ints
    option: Ints
    gang: Ints
    row_at: Ints
    rows: Ints
    units: Ints


@kernel
def option_costs(
    jobs, windows, way_at, way_option, way_class, way_units, class_cost, extra_at, extra, cost
):
    """Write the least cost of every option in every round into `cost`.

    Parameters
    ----------
    jobs : (Q,) int64
        The jobs to do.
    windows : Windows
    way_at : (J + 1,) int64
        Ways of job i are way_at[i] .. way_at[i + 1] - 1.
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
        many = windows.options[i]
        first = way_at[i]
        ways = way_at[i + 1] - first
        for n in range(windows.rounds[i]):
            base = windows.cost_at[i] + n * many
            for k in range(many):
                cost[base + k] = INF
            for w in range(ways):
                each = class_cost[windows.release[i] + n, way_class[first + w]]
                if each >= INF:
                    continue
                total = each * way_units[first + w]
                if extra_at[i] >= 0:
                    total += extra[extra_at[i] + n * ways + w]
                k = way_option[first + w] - 1
                if total < cost[base + k]:
                    cost[base + k] = total


@kernel
def chosen_ways(
    windows,
    way_at,
    way_option,
    way_class,
    way_units,
    class_cost,
    extra_at,
    extra,
    cost,
    choice,
    way,
):
    """Write the way of the option that every job has in every round into `way`.

    It is the first one that costs what the option costs. -1 where the option is 0, or none does:
    where several copies are cheaper.

    Parameters
    ----------
    choice, way : int64, flat over jobs and rounds
        Option (0 .. K), and the result.

    The other parameters are those of `option_costs`.
    """
    for i in range(windows.rounds.shape[0]):
        first = way_at[i]
        ways = way_at[i + 1] - first
        for n in range(windows.rounds[i]):
            at = windows.round_at[i] + n
            way[at] = -1
            if choice[at] == 0:
                continue
            target = cost[windows.cost_at[i] + n * windows.options[i] + choice[at] - 1]
            for w in range(ways):
                each = class_cost[windows.release[i] + n, way_class[first + w]]
                if way_option[first + w] != choice[at] or each >= INF:
                    continue
                total = each * way_units[first + w]
                if extra_at[i] >= 0:
                    total += extra[extra_at[i] + n * ways + w]
                if total == target:
                    way[at] = first + w
                    break


@kernel
def _one_copy_more(before, class_cost, classes, step, after):
    """Write into `after` the least cost of every state once a node may hold a copy too."""
    after[:] = before
    for s in range(step.shape[0]):
        if before[s] >= INF:
            continue
        for i in range(step.shape[1]):
            if classes[i] < 0 or step[s, i] < 0:
                continue
            each = class_cost[classes[i]]
            if each < INF and before[s] + each < after[step[s, i]]:
                after[step[s, i]] = before[s] + each


@kernel
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
    states = step.shape[0]
    cost = np.full((rounds, states), INF, np.int64)
    before = np.empty(states, np.int64)
    for n in range(rounds):
        cost[n, 0] = 0
        for h in range(classes.shape[0]):
            before[:] = cost[n]
            _one_copy_more(before, class_cost[n], classes[h], step, cost[n])
    return cost


@kernel
def copy_use(class_cost, classes, step, target):
    """Level of the copy on each node, (H,) or -1, in a cheapest set of copies of one state.

    `class_cost` is the (C,) row of the round. All -1 when the state cannot be reached.
    """
    nodes, levels = classes.shape
    states = step.shape[0]
    cost = np.full((nodes + 1, states), INF, np.int64)
    chosen = np.full(nodes, -1, np.int64)
    cost[0, 0] = 0
    for h in range(nodes):
        _one_copy_more(cost[h], class_cost, classes[h], step, cost[h + 1])
    if cost[nodes, target] >= INF:
        return chosen
    s = target
    for h in range(nodes - 1, -1, -1):
        paid = cost[h + 1, s]
        # No copy here, if that costs the same; else the lowest state, and the lowest level.
        before = s if cost[h, s] == paid else 0
        while chosen[h] < 0 and cost[h, s] != paid:
            for i in range(levels):
                if chosen[h] < 0 and classes[h, i] >= 0 and step[before, i] == s:
                    each = class_cost[classes[h, i]]
                    if each < INF and cost[h, before] + each == paid:
                        chosen[h] = i
            if chosen[h] < 0:
                before += 1
        s = before
    return chosen


@kernel
def _cover_by_table(i, windows, cost, branch, most, table, choice):
    """Find the schedule of job i that completes at the largest payoff above `most`.

    Returns
    -------
    most, at : int
        The payoff, and the round of completion (-1: none is above `most`). Then `choice` says what
        runs up to that round.
    """
    step, worth, low, high = windows.step, windows.worth, branch.low, branch.high
    many, whole = windows.options[i], windows.states[i]
    base, first, entry = windows.round_at[i], windows.cost_at[i], windows.step_at[i]
    at = -1
    for s in range(1, whole + 1):
        table[0, s] = INF
    table[0, 0] = 0
    for n in range(min(windows.rounds[i], branch.end[i] + 1)):
        if worth[base + n] <= most:
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
            c = cost[first + n * many + k - 1]
            # An option that costs no less than one of more progress is never needed.
            if c >= least:
                continue
            least = c
            for s in range(whole + 1):
                value = prev[step[entry + s * many + k - 1]] + c
                if value < row[s]:
                    row[s] = value
        if n >= branch.begin[i] and row[whole] < INF:
            value = worth[base + n] - row[whole]
            if value > most:
                most = value
                at = n
    s = whole
    for n in range(at, -1, -1):
        target = table[n + 1, s]
        choice[base + n] = 0
        if low[base + n] == 0 and table[n, s] == target:
            continue
        for k in range(max(low[base + n], 1), high[base + n] + 1):
            to = step[entry + s * many + k - 1]
            c = cost[first + n * many + k - 1]
            if table[n, to] < INF and table[n, to] + c == target:
                choice[base + n] = k
                s = to
                break
    return most, at


@kernel
def best_columns(jobs, windows, cost, branch, best):
    """Find the schedule of maximum payoff of every job.

    Parameters
    ----------
    jobs : (Q,) int64
        The jobs to do.
    windows : Windows
    cost : int64, flat over jobs, rounds and options
        2**62 where an option is impossible.
    branch : Branch
    best : Best
        Result.
    """
    rounds, options, worth = windows.rounds, windows.options, windows.worth
    low, high, table, choice = branch.low, branch.high, best.table, best.choice
    for q in range(jobs.shape[0]):
        i = jobs[q]
        many = options[i]
        base = windows.round_at[i]
        first = windows.cost_at[i]
        # Not to complete costs the rounds in which the job has to run anyway.
        idle = np.int64(0)
        for n in range(rounds[i]):
            choice[base + n] = 0
            if low[base + n] > 0:
                least = INF
                for k in range(low[base + n], high[base + n] + 1):
                    c = cost[first + n * many + k - 1]
                    if c < least:
                        least = c
                        choice[base + n] = k
                idle = INF if least >= INF or idle >= INF else min(INF, idle + least)
        most = -int(INF)
        if not branch.must[i] and idle < INF:
            most = -int(idle)
        if windows.step_at[i] == windows.step_at[i + 1]:
            most, at = cover_by_labels(
                windows.gain[windows.gain_at[i] : windows.gain_at[i + 1]],
                windows.need[i],
                cost[first : first + rounds[i] * many],
                worth[base : base + rounds[i]],
                low[base : base + rounds[i]],
                high[base : base + rounds[i]],
                branch.begin[i],
                branch.end[i],
                most,
                choice[base : base + rounds[i]],
            )
        else:
            most, at = _cover_by_table(i, windows, cost, branch, most, table, choice)
        best.payoff[i] = most
        best.last[i] = at
        if at >= 0:
            choice[base + at + 1 : base + rounds[i]] = 0


# Ruin and recreate on schedules: take a few jobs out, put them back one after the other.
#
# Capacity is kept per round and *row*; a way fits iff all its rows have room (Hall's condition,
# when the rows are the sets of cells that include a class).


@kernel
def _count(i, windows, ways, way, sign, free):
    """Give back (sign 1) or take (sign -1) what job i holds."""
    for n in range(windows.rounds[i]):
        w = way[windows.round_at[i] + n]
        if w >= 0:
            for k in range(ways.row_at[w], ways.row_at[w + 1]):
                free[windows.release[i] + n, ways.rows[k]] += sign * ways.gang[i] * ways.units[k]


@kernel
def _charge(i, windows, ways, free, price, percent, cost, cheapest):
    """Cost of every option of job i on what is free, and its cheapest way."""
    many = windows.options[i]
    gang, rows, units = ways.gang[i], ways.rows, ways.units
    for n in range(windows.rounds[i]):
        base = windows.cost_at[i] + n * many
        t = windows.release[i] + n
        for k in range(many):
            cost[base + k] = INF
            cheapest[base + k] = -1
        for w in range(ways.way_at[i], ways.way_at[i + 1]):
            k = ways.option[w] - 1
            total = price[t, w] // 100 * percent + gang
            if total >= cost[base + k]:
                continue
            fits = True
            for x in range(ways.row_at[w], ways.row_at[w + 1]):
                if free[t, rows[x]] < gang * units[x]:
                    fits = False
                    break
            if fits:
                cost[base + k] = total
                cheapest[base + k] = w


@kernel
def improve(seed, iterations, most, windows, ways, free, price, way, value):
    """Improve a schedule in place by ruin and recreate with annealing.

    Parameters
    ----------
    seed, iterations, most : int
        At most `most` jobs are taken out at a time.
    windows : Windows
    ways : Ways
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
    release, rounds, states = windows.release, windows.rounds, windows.states
    round_at, cost_at, worth, gang = windows.round_at, windows.cost_at, windows.worth, ways.gang
    jobs = rounds.shape[0]
    widest = 0
    for i in range(jobs):
        widest = max(widest, states[i] + 1)
    cost = np.empty(cost_at[jobs], np.int64)
    cheapest = np.empty(cost_at[jobs], np.int64)
    low = np.zeros(round_at[jobs], np.int64)
    high = np.empty(round_at[jobs], np.int64)
    for i in range(jobs):
        high[round_at[i] : round_at[i + 1]] = windows.options[i]
    nobody = np.zeros(jobs, np.bool_)
    branch = Branch(low, high, np.zeros(jobs, np.int64), rounds - 1, nobody)
    last = np.zeros(jobs, np.int64)
    choice = np.zeros(round_at[jobs], np.int64)
    table = np.empty((rounds.max() + 1, widest), np.int64)
    found = Best(np.zeros(jobs, np.int64), last, choice, table)
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
            _count(i, windows, ways, way, 1, free)
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
            _charge(i, windows, ways, free, price, percent, cost, cheapest)
            best_columns(one, windows, cost, branch, found)
            if last[i] < 0:
                continue
            value[i] = worth[round_at[i] + last[i]]
            done[i] = last[i]
            total += value[i]
            for n in range(rounds[i]):
                k = choice[round_at[i] + n]
                if k > 0:
                    way[round_at[i] + n] = cheapest[cost_at[i] + n * windows.options[i] + k - 1]
            _count(i, windows, ways, way, -1, free)
        heat = hot * 0.001 ** (iteration / iterations)
        if total >= before or np.random.random() < np.exp((total - before) / heat):
            if total > best:
                best = total
                best_way[:] = way
                best_value[:] = value
        else:
            for q in range(count):
                i = chosen[q]
                _count(i, windows, ways, way, 1, free)
            for q in range(count):
                i = chosen[q]
                value[i] = old_value[i]
                done[i] = old_done[i]
                for p in range(round_at[i], round_at[i + 1]):
                    way[p] = old_way[p]
                _count(i, windows, ways, way, -1, free)
            total = before
        for q in range(count):
            taken[chosen[q]] = False
    way[:] = best_way
    value[:] = best_value
    return best
