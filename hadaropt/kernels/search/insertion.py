"""Jobs inserted into the capacity that is left, taken out again, and made room for by ejection.

Capacity is counted on cells: type r of node h is cell ``h * R + r``; where nodes do not matter,
there is one node. A job runs by *options*: each admits some types, may have to lie inside one node,
and may be several gangs on distinct nodes. What a job holds is a list of entries (round, cell,
units) in a shared store; the entries of every cell and round are listed, so that jobs in the way
are found at once. Charges are in prices of types; worths are the integers ``>= U(d) * scale`` of
`hadaropt.kernels.pricing.lagrangian`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.gang_fill import gang_charge
from hadaropt.kernels.order import by_price
from hadaropt.kernels.pricing.lagrangian import worth
from hadaropt.kernels.pricing.relaxation import offer_first, offer_further

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]

INF = np.int64(2**62)
ROUND, CELL, UNITS, JOB, PLACE = 0, 1, 2, 3, 4


class Jobs(NamedTuple):
    """The jobs, (n,) int64 each, and their options.

    Attributes
    ----------
    release, gang, need, kind, a, b, last
        As in `hadaropt.kernels.pricing.lagrangian.relaxed`; `need` in units rounded down.
    first, final
        Options of a job: first .. final - 1, by decreasing gain.
    gain, inside, picks : (options,) int64
        Of every option: its progress in one round, whether it has to lie inside one node (1) or
        not (0), and on how many distinct nodes it has a gang.
    admitted : (options, R) bool
        Types that every option may use.
    values : int64
        Shared tables of worths.
    density : float64
        Worth per GPU-round, for the order of insertion.
    payoff : int64
        Upper bound on the payoff at the base prices.
    """

    release: Ints
    gang: Ints
    need: Ints
    kind: Ints
    a: Ints
    b: Ints
    last: Ints
    first: Ints
    final: Ints
    gain: Ints
    admitted: npt.NDArray[np.bool_]
    inside: Ints
    picks: Ints
    values: Ints
    density: npt.NDArray[np.float64]
    payoff: Ints


class Held(NamedTuple):
    """What the jobs hold, and what is free.

    Attributes
    ----------
    free, full : (T, H, R) int64
        Free units, and the capacity.
    pooled, pooled_full : (T, R) int64
        Their sums over nodes.
    base : (T, R) int64
        Base prices.
    store : (E, 5) int32
        Entries (round, cell, units, job, place in `occupants`).
    occupants : (T, H * R, most units) int32
        Entries of every cell and round.
    crowd : (T, H * R) int64
        Their number.
    start, size, finish, value, charge : (n,) int64
        Entries, flow time of completion (0: none), worth and charge at base prices of every job.
    end : (1,) int64
        Entries of the store in use.
    """

    free: Ints
    full: Ints
    pooled: Ints
    pooled_full: Ints
    base: Ints
    store: Small
    occupants: Small
    crowd: Ints
    start: Ints
    size: Ints
    finish: Ints
    value: Ints
    charge: Ints
    end: Ints


class Space(NamedTuple):
    """Work space.

    Attributes
    ----------
    table : (T + 1, pad + largest need + 1) int64
    top : (T + 1,) int64
    cost : (T, most options) int64
    choice : (T,) int64
        Option of every round of the plan found last, or -1.
    order : (R,) int64
    node_cost : (H,) int64
    price : (T, R) int64
        The prices of the next plan.
    pad : int
        Largest gain.
    """

    table: Ints
    top: Ints
    cost: Ints
    choice: Ints
    order: Ints
    node_cost: Ints
    price: Ints
    pad: int


@kernel
def _worth(jobs, j, d):
    """Return an integer >= U(d) * scale, for d within the last flow time of positive value."""
    return worth(jobs.kind[j], jobs.a[j], jobs.b[j], d, jobs.values)


@kernel
def _least(values):
    best = 0
    for h in range(1, values.shape[0]):
        if values[h] < values[best]:
            best = h
    return best


@kernel
def _round_cost(gang, admitted, inside, picks, order, price, pooled, free, node_cost):
    """Least charge of one option in one round; INF where it does not fit."""
    charge = gang_charge(gang, admitted, order, price, pooled)
    if charge >= INF or not inside or free.shape[0] == 1:
        return charge
    for h in range(free.shape[0]):
        node_cost[h] = gang_charge(gang, admitted, order, price, free[h])
    total = np.int64(0)
    for _ in range(picks):
        best = _least(node_cost)
        if node_cost[best] >= INF:
            return INF
        total += node_cost[best]
        node_cost[best] = INF
    return total


@kernel
def _price_options(j, jobs, n, pooled, free, space):
    """Write the useful options of job j in round n of its window; return the most they gain."""
    t = jobs.release[j] + n
    price = space.price[t]
    by_price(price, space.order)
    lowest = INF
    most = 0
    for i in range(jobs.first[j], jobs.final[j]):
        c = _round_cost(
            jobs.gang[j], jobs.admitted[i], jobs.inside[i], jobs.picks[i], space.order, price,
            pooled[t], free[t], space.node_cost,
        )  # fmt: skip
        # An option that costs no less than one of more progress is never needed.
        space.cost[n, i - jobs.first[j]] = c if c < lowest else INF
        if c < lowest:
            lowest = c
            most = max(most, jobs.gain[i])
    return most


@kernel
def best_plan(j, jobs, pooled, free, space):
    """Find the plan of greatest payoff of job j at ``space.price`` in the free capacity.

    Writes the option of every round of the window (or -1) into ``space.choice`` and returns the
    flow time of completion, 0 if no payoff is > 0.
    """
    need, last, first, final = jobs.need[j], jobs.last[j], jobs.first[j], jobs.final[j]
    table, top, cost, gain = space.table, space.top, space.cost, jobs.gain
    pad = space.pad
    payoff = np.int64(0)
    finish = 0
    table[0, : pad + 1] = 0
    top[0] = 0
    for n in range(last):
        prev, row = table[n], table[n + 1]
        most = _price_options(j, jobs, n, pooled, free, space)
        high = min(need, top[n] + most)
        prev[pad + top[n] + 1 : pad + high + 1] = INF
        row[: pad + 1] = 0
        x, y = pad + 1, pad + high + 1
        base = prev
        for i in range(first, final):
            c = cost[n, i - first]
            if c < INF and base is prev:
                offer_first(row[x:y], prev[x:y], prev[x - gain[i] : y - gain[i]], c)
                base = row
            elif c < INF:
                offer_further(row[x:y], prev[x - gain[i] : y - gain[i]], c)
        if most == 0:
            row[x:y] = prev[x:y]
        if high == need and row[pad + need] < INF:
            value = _worth(jobs, j, n + 1) - row[pad + need]
            if value > payoff:
                payoff = value
                finish = n + 1
        if n + 1 == last:
            break
        # A state is kept only if completing it one round later could still be better.
        cut = _worth(jobs, j, n + 2) - payoff
        if cut <= 0:
            break
        while high > 0 and row[pad + high] >= cut:
            high -= 1
        top[n + 1] = high
    p = need
    for n in range(finish - 1, -1, -1):
        space.choice[n] = -1
        if p <= 0:
            continue
        best = table[n, pad + p] if p <= top[n] else INF
        for i in range(first, final):
            q = max(0, p - gain[i])
            if cost[n, i - first] < INF and q <= top[n]:
                c = table[n, pad + q] + cost[n, i - first]
                if c < best:
                    best = c
                    space.choice[n] = i
        if space.choice[n] >= 0:
            p -= gain[space.choice[n]]
    return finish


@kernel
def _count(e, held, sign):
    """Enter an entry (sign 1) or strike it (sign -1)."""
    t, cell, units = held.store[e, ROUND], held.store[e, CELL], held.store[e, UNITS]
    types = held.pooled.shape[1]
    held.free[t, cell // types, cell % types] -= sign * units
    held.pooled[t, cell % types] -= sign * units
    if sign > 0:
        place = held.crowd[t, cell]
        held.occupants[t, cell, place] = e
        held.store[e, PLACE] = place
        held.crowd[t, cell] += 1
    else:
        held.crowd[t, cell] -= 1
        moved = held.occupants[t, cell, held.crowd[t, cell]]
        held.occupants[t, cell, held.store[e, PLACE]] = moved
        held.store[moved, PLACE] = held.store[e, PLACE]


@kernel
def _enter(j, held, sign):
    """Enter (sign 1) or strike (sign -1) all that job j holds."""
    for e in range(held.start[j], held.start[j] + held.size[j]):
        _count(e, held, sign)


@kernel
def enter_all(held):
    """Enter what all jobs hold, and compute its charges."""
    end = 0
    types = held.pooled.shape[1]
    for j in range(held.size.shape[0]):
        if held.finish[j] == 0:
            continue
        _enter(j, held, 1)
        end = max(end, held.start[j] + held.size[j])
        held.charge[j] = 0
        for e in range(held.start[j], held.start[j] + held.size[j]):
            price = held.base[held.store[e, ROUND], held.store[e, CELL] % types]
            held.charge[j] += held.store[e, UNITS] * price
    held.end[0] = end


@kernel
def _hold(j, t, h, gang, admitted, order, held):
    """Give job j a gang within node h, or over all nodes (h < 0), cheapest type first."""
    types = held.pooled.shape[1]
    left = gang
    for k in range(types):
        r = order[k]
        if not admitted[r]:
            continue
        for x in range(max(h, 0), held.free.shape[1] if h < 0 else h + 1):
            take = min(left, held.free[t, x, r])
            if take > 0:
                e = held.end[0]
                held.store[e, ROUND] = t
                held.store[e, CELL] = x * types + r
                held.store[e, UNITS] = take
                held.store[e, JOB] = j
                _count(e, held, 1)
                held.charge[j] += take * held.base[t, r]
                held.end[0] += 1
                left -= take


@kernel
def book(j, finish, jobs, held, space):
    """Give job j what the plan in ``space.choice`` needs."""
    held.start[j] = held.end[0]
    held.charge[j] = 0
    for n in range(finish):
        i = space.choice[n]
        if i < 0:
            continue
        t = jobs.release[j] + n
        gang, admitted = jobs.gang[j], jobs.admitted[i]
        by_price(space.price[t], space.order)
        if not jobs.inside[i] or held.free.shape[1] == 1:
            _hold(j, t, -1, gang, admitted, space.order, held)
            continue
        for h in range(held.free.shape[1]):
            space.node_cost[h] = gang_charge(
                gang, admitted, space.order, space.price[t], held.free[t, h]
            )
        for _ in range(jobs.picks[i]):
            h = _least(space.node_cost)
            space.node_cost[h] = INF
            _hold(j, t, h, gang, admitted, space.order, held)
    held.size[j] = held.end[0] - held.start[j]
    held.finish[j] = finish
    held.value[j] = _worth(jobs, j, finish)


@kernel
def _insert(j, jobs, held, space):
    """Insert job j at ``space.price`` if that pays; return its worth."""
    finish = best_plan(j, jobs, held.pooled, held.free, space)
    if finish == 0:
        return 0
    book(j, finish, jobs, held, space)
    return held.value[j]


@kernel
def insert_all(sequence, jobs, held, space):
    """Insert jobs one after the other at ``space.price``."""
    for j in sequence:
        _insert(j, jobs, held, space)


@kernel
def compact(held):
    """Move the entries of all jobs to the front of the store."""
    end = 0
    for j in np.argsort(held.start):
        if held.finish[j] == 0:
            continue
        begin = held.start[j]
        held.start[j] = end
        for e in range(begin, begin + held.size[j]):
            held.store[end] = held.store[e]
            held.occupants[held.store[e, ROUND], held.store[e, CELL], held.store[e, PLACE]] = end
            end += 1
    held.end[0] = end


@kernel
def _regret(j, jobs, held):
    """Return what job j falls short of its greatest payoff at base prices (>= 0, but for slack)."""
    return jobs.payoff[j] - held.value[j] + held.charge[j]


@kernel
def _take_out(j, held, chosen, old, size):
    """Strike job j, noting in row `size` what it held; return its worth."""
    value = held.value[j]
    chosen[size] = j
    old[size, 0] = held.start[j]
    old[size, 1] = held.size[j]
    old[size, 2] = held.finish[j]
    old[size, 3] = value
    old[size, 4] = held.charge[j]
    if held.finish[j] > 0:
        _enter(j, held, -1)
    held.finish[j] = 0
    held.value[j] = 0
    held.charge[j] = 0
    return value


@kernel
def _put_back(held, chosen, old, size):
    """Undo everything since the jobs were taken out."""
    for q in range(size):
        if held.finish[chosen[q]] > 0:
            _enter(chosen[q], held, -1)
    for q in range(size):
        j = chosen[q]
        held.start[j], held.size[j], held.finish[j] = old[q, 0], old[q, 1], old[q, 2]
        held.value[j], held.charge[j] = old[q, 3], old[q, 4]
        if held.finish[j] > 0:
            _enter(j, held, 1)


@kernel
def _fits(h, t, gang, admitted, free):
    """Units of the admitted types that are free in node h (or all nodes), minus the gang."""
    left = -gang
    for r in range(free.shape[2]):
        if admitted[r]:
            for x in range(max(h, 0), free.shape[1] if h < 0 else h + 1):
                left += free[t, x, r]
    return left


@kernel
def _occupant(t, h, admitted, jobs, held):
    """Return a job that holds an admitted cell of node h (or of any node), or -1.

    On the cheapest type that is held; of two random ones, that of the greater regret.
    """
    types = held.pooled.shape[1]
    nodes = held.free.shape[1]
    found = -1
    turn = np.random.randint(0, nodes)
    for r in range(types):
        if not admitted[r]:
            continue
        if found >= 0 and held.base[t, r] >= held.base[t, found % types]:
            continue
        for x in range(nodes if h < 0 else 1):
            cell = (h if h >= 0 else (turn + x) % nodes) * types + r
            if held.crowd[t, cell] > 0:
                found = cell
                break
    if found < 0:
        return -1
    crowd = held.crowd[t, found]
    one = held.store[held.occupants[t, found, np.random.randint(0, crowd)], JOB]
    two = held.store[held.occupants[t, found, np.random.randint(0, crowd)], JOB]
    return one if _regret(one, jobs, held) >= _regret(two, jobs, held) else two


@kernel
def _make_room(j, finish, jobs, held, space, chosen, old, size, most):
    """Take out jobs until the plan of job j fits; return their number, or -1 if it is too many."""
    nodes = held.free.shape[1]
    gang = jobs.gang[j]
    for n in range(finish):
        i = space.choice[n]
        if i < 0:
            continue
        t = jobs.release[j] + n
        admitted = jobs.admitted[i]
        alone = jobs.inside[i] and nodes > 1
        while True:
            target = -1
            if alone:
                # The nodes that fit count; of the others, the one that lacks least comes next.
                ready = 0
                lack = -INF
                for h in range(nodes):
                    left = _fits(h, t, gang, admitted, held.free)
                    if left >= 0:
                        ready += 1
                    elif left > lack and _fits(h, t, gang, admitted, held.full) >= 0:
                        lack = left
                        target = h
                if ready >= jobs.picks[i]:
                    break
            elif _fits(-1, t, gang, admitted, held.free) >= 0:
                break
            x = _occupant(t, target, admitted, jobs, held)
            if x < 0 or size >= most:
                return -1 - size
            _take_out(x, held, chosen, old, size)
            size += 1
    return size


@kernel
def _mark(t0, t1, factor, noise, held, space):
    """Write prices of rounds t0 .. t1 - 1: the base prices times a factor, with noise on top."""
    for t in range(t0, t1):
        for r in range(held.base.shape[1]):
            scale = factor + noise * np.random.random()
            space.price[t, r] = np.int64(held.base[t, r] * scale) + 1


@kernel
def _window(j, jobs, rounds):
    return jobs.release[j], min(rounds, jobs.release[j] + jobs.last[j])


@kernel
def _unhappy(tries, jobs, held, begin, end, taken):
    """Return the job of greatest regret among random ones whose window meets begin .. end - 1."""
    best = -1
    worst = np.int64(-1)
    for _ in range(tries):
        j = np.random.randint(0, jobs.need.shape[0])
        if taken[j] or jobs.release[j] >= end or jobs.release[j] + jobs.last[j] <= begin:
            continue
        regret = _regret(j, jobs, held)
        if regret > worst:
            worst = regret
            best = j
    return best


@kernel
def improve(
    seed, iterations, heat, tries, most, extra, reserve, jobs, held, space, taken, chosen, old, key
):  # fmt: skip
    """Ejection chains: give an unhappy job its best plan, and let those in its way find others.

    A job of great regret (the most of `tries` random ones) gets its plan of greatest payoff at
    noisy base prices in the whole capacity. The jobs in the way, and up to `extra` other unhappy
    ones, are taken out and inserted again in a random order, at base prices times a random factor.
    A worse total is kept with the probability exp(loss / heat).

    Parameters
    ----------
    most : int
        Most jobs that are taken out for one plan.
    reserve : int
        Entries that one iteration may need.
    taken : (n,) bool
        All False.
    chosen, key : (most + extra + 1,)
    old : (most + extra + 1, 5) int64
        Work space.

    Returns
    -------
    int
        Gain of the total worth.
    """
    np.random.seed(seed)
    rounds = held.base.shape[0]
    total = np.int64(0)
    for _ in range(iterations):
        if held.end[0] + reserve > held.store.shape[0]:
            compact(held)
        seed_job = _unhappy(tries, jobs, held, 0, rounds, taken)
        if seed_job < 0:
            continue
        end = held.end[0]
        begin, stop = _window(seed_job, jobs, rounds)
        gain = -_take_out(seed_job, held, chosen, old, 0)
        size = 1
        _mark(begin, stop, 1.0, 0.1, held, space)
        finish = best_plan(seed_job, jobs, held.pooled_full, held.full, space)
        if finish > 0:
            size = _make_room(seed_job, finish, jobs, held, space, chosen, old, size, most)
        if size < 0:
            _put_back(held, chosen, old, -1 - size)
            continue
        for q in range(1, size):
            gain -= old[q, 3]
        if finish > 0:
            book(seed_job, finish, jobs, held, space)
            gain += held.value[seed_job]
        for q in range(size):
            taken[chosen[q]] = True
        for _ in range(np.random.randint(0, extra + 1)):
            j = _unhappy(8, jobs, held, begin, stop, taken)
            if j >= 0:
                gain -= _take_out(j, held, chosen, old, size)
                taken[j] = True
                size += 1
        first = 1 if finish > 0 else 0
        mode = np.random.randint(0, 4)
        for q in range(first, size):
            j = chosen[q]
            if mode == 0:
                key[q] = np.random.random()
            elif mode == 1:
                key[q] = -jobs.density[j] * np.exp(0.5 * np.random.randn())
            elif mode == 2:
                key[q] = -jobs.payoff[j] * np.exp(0.5 * np.random.randn())
            else:
                key[q] = -jobs.gang[j] * np.exp(0.7 * np.random.randn())
        factor = 1.2 * np.random.random()
        for k in np.argsort(key[first:size]):
            j = chosen[first + k]
            t0, t1 = _window(j, jobs, rounds)
            _mark(t0, t1, factor, 0.0, held, space)
            gain += _insert(j, jobs, held, space)
        for q in range(size):
            taken[chosen[q]] = False
        if gain >= 0 or np.random.random() < np.exp(gain / heat):
            total += gain
        else:
            _put_back(held, chosen, old, size)
            held.end[0] = end
    return total
