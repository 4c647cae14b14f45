"""What a schedule can still gain, from prices of progress: it keeps lists of labels short.

Let ``least[n, p]`` be the least cost of progress p in the rounds 0 .. n (see
`hadaropt.kernels.pricing.cover`) and U(n) the worth of completing in round n. For any price
``l >= 0`` of one unit of progress, with ``s[n] = max(0, max over options of l * progress - cost)``,

``least[n, need] >= l * need - (s[0] + .. + s[n])``,

so that no completion in round n earns more than ``U(n) - l * need + s[0] + .. + s[n]``, and none
that has progress p after the rounds before n, at cost c, more than
``ahead[n] - l * (need - p) - c`` with ``ahead[n] = s[n] + max(U(n), ahead[n + 1])``. These hold
whatever the price; a good one makes them sharp. The choices behind s at one price are a schedule,
which gives a payoff to compare with.

Sums are made in units of ``2**shift`` keys and prices in units of ``2**-bits`` of them, with costs
rounded down and gains and worths up: they fit 64 bits and stay upper bounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Ints = npt.NDArray[np.int64]

INF = np.int64(2**62)
COARSE = 3
"""Prices of the first search fall by this power of two; a smaller one finds better schedules."""
STEPS = 3
"""Steps of the search around the best of them, each half as long as the one before."""
DUAL_STEPS = 3
"""The same for the price that makes the bounds sharp."""
BISECTIONS = 7
DROPS = 6
"""Most options that are taken out of a schedule that makes more progress than is needed."""


class Guide(NamedTuple):
    """A payoff that is reached, and what bounds the others.

    Attributes
    ----------
    best : int
        Payoff (rounded down) that some schedule reaches, or 0.
    stop : int
        No completion from this round on reaches ``best``.
    price, bits, shift : int
        Price of a unit of progress, in units of ``2**(shift - bits)`` keys.
    ahead : (N + 1,) int64
        A label of progress p < need and key c after n rounds can only lead to a payoff of at least
        ``best`` if ``ahead[n] - (price * (need - p) >> bits) - (c >> shift)`` is at least
        ``best * tie >> shift``.
    """

    best: int
    stop: int
    price: int
    bits: int
    shift: int
    ahead: Ints


@kernel
def _best_option(
    price: int, bits: int, start: Ints, progress: Ints, cost: Ints, shift: int, n: int
) -> tuple[np.int64, int]:
    """Return s[n] at a price of progress, and the option behind it, or -1."""
    most = np.int64(0)
    chosen = -1
    for i in range(start[n], start[n + 1]):
        gain = (price * progress[i] >> bits) + 1 - (cost[i] >> shift)
        if gain > most:
            most = gain
            chosen = i
    return most, chosen


@kernel
def _try_price(
    price: int,
    bits: int,
    start: Ints,
    progress: Ints,
    cost: Ints,
    need: int,
    value: Ints,
    shift: int,
    stop: int,
    limit: Ints,
) -> tuple[int, int]:
    """Lower `limit` to what a price proves; return the round of completion, and the payoff.

    They are those of the choices behind s, (-1, -2**62) if they do not complete before `stop`.
    """
    bound = np.int64(-(price * need >> bits))
    done = paid = np.int64(0)
    finish = -1
    payoff = -int(INF)
    for n in range(stop):
        gain, chosen = _best_option(price, bits, start, progress, cost, shift, n)
        bound += gain
        limit[n] = min(limit[n], value[n] + bound)
        if chosen >= 0 and finish < 0:
            done += progress[chosen]
            paid += cost[chosen] >> shift
            if done >= need:
                finish = n
                payoff = int(value[n] - paid)
    return finish, payoff


@kernel
def _payoff_in(
    finish: int,
    price: int,
    bits: int,
    start: Ints,
    progress: Ints,
    cost: Ints,
    need: int,
    worth: Ints,
    tie: int,
    shift: int,
) -> tuple[int, int]:
    """Payoff of a good schedule that completes in round `finish` or before, and its price.

    It is between the choices at two prices, of which only the dearer one completes: those of the
    cheaper one, but in the first rounds as many of the dearer one as it takes. Then what is not
    needed is taken out, dearest first. The search for the two begins at `price`. Payoff 0 if none
    was found.
    """
    low = np.full(finish + 1, -1, np.int64)
    high = np.full(finish + 1, -1, np.int64)
    pick = np.empty(finish + 1, np.int64)
    step = price >> 1
    low_done = np.int64(0)
    found = False
    chosen = price
    for _ in range(BISECTIONS):
        done = np.int64(0)
        for n in range(finish + 1):
            _, pick[n] = _best_option(price, bits, start, progress, cost, shift, n)
            if pick[n] >= 0:
                done += progress[pick[n]]
        if done >= need:
            high, pick = pick, high
            found = True
            chosen = price
            price -= step
        else:
            low, pick = pick, low
            low_done = done
            price += step
        step >>= 1
    if not found:
        return 0, chosen
    over = low_done - need
    paid = np.int64(0)
    for n in range(finish + 1):
        if over < 0:
            if low[n] >= 0:
                over -= progress[low[n]]
            low[n] = high[n]
            if low[n] >= 0:
                over += progress[low[n]]
        if low[n] >= 0:
            paid += cost[low[n]]
    for _ in range(DROPS):
        save = np.int64(0)
        at = instead = -1
        for n in range(finish + 1):
            if low[n] < 0:
                continue
            gain, key = progress[low[n]], cost[low[n]]
            if gain <= over:
                if key > save:
                    save, at, instead = key, n, -1
            else:
                for i in range(start[n], low[n]):
                    if gain - progress[i] <= over and key - cost[i] > save:
                        save, at, instead = key - cost[i], n, i
        if at < 0:
            break
        over -= progress[low[at]]
        if instead >= 0:
            over += progress[instead]
        paid -= save
        low[at] = instead
    while finish > 0 and low[finish] < 0:
        finish -= 1
    return max(0, int(worth[finish] - paid // tie)), chosen


@kernel
def _look_ahead(
    price: int,
    bits: int,
    start: Ints,
    progress: Ints,
    cost: Ints,
    value: Ints,
    shift: int,
    stop: int,
    limit: Ints,
    floor: int,
    ahead: Ints,
) -> None:
    """Write ``ahead`` of the rounds up to `stop`; completions with ``limit < floor`` are none."""
    ahead[stop] = -INF
    for n in range(stop - 1, -1, -1):
        most = ahead[n + 1]
        if limit[n] >= floor:
            most = max(most, value[n])
        gain, _ = _best_option(price, bits, start, progress, cost, shift, n)
        ahead[n] = most if most == -INF else most + gain


@kernel
def potential(start: Ints, progress: Ints, cost: Ints, need: int, worth: Ints, tie: int) -> Guide:
    """Find a good schedule, and bounds on what the others can gain.

    Parameters
    ----------
    start, progress, cost, need, worth, tie
        As in `hadaropt.kernels.pricing.cover.dense`, with at least one round. Keys are below
        ``(worth[0] + 1) * tie``.

    Returns
    -------
    Guide
    """
    rounds = worth.shape[0]
    most = np.int64(1)
    for i in range(start[rounds]):
        most = max(most, progress[i])
    # Sums over all rounds, of worths and of gains at the dearest price, stay below 2**60.
    shift = 0
    while ((worth[0] + 1) * tie >> shift) >= 2**58 // (rounds + 2):
        shift += 1
    value = np.empty(rounds, np.int64)
    for n in range(rounds):
        value[n] = ((worth[n] * tie + tie - 1) >> shift) + 1
    # No option costs more than the worth, so no price above this one is needed; at the price `top`
    # every round makes all the progress that it can.
    dearest = value[0] // most + 1
    top = np.int64(1)
    for n in range(rounds):
        last = start[n + 1] - 1
        if last >= start[n]:
            top = max(top, (cost[last] >> shift) // progress[last] + 1)
            for i in range(start[n], last):
                rise = (cost[last] >> shift) - (cost[i] >> shift)
                top = max(top, rise // (progress[last] - progress[i]) + 1)
    price, bits = min(dearest, top), 0
    room = 2**58 // max(np.int64(need), most)
    while 2 * price <= room and bits < 30:
        price, bits = 2 * price, bits + 1
    # Nothing completes before the round in which the most progress reaches the need.
    limit = np.full(rounds, -INF, np.int64)
    done = np.int64(0)
    for n in range(rounds):
        if start[n + 1] > start[n]:
            done += progress[start[n + 1] - 1]
        if done >= need:
            limit[n] = INF
    chosen, chosen_bits, finish, payoff = price, bits, -1, -int(INF)
    stop = rounds
    while bits <= 60:
        found, earned = _try_price(
            price, bits, start, progress, cost, need, value, shift, stop, limit
        )  # fmt: skip
        if earned > payoff:
            chosen, chosen_bits, finish, payoff = price, bits, found, earned
        if found < 0:
            break
        while stop > 1 and value[stop - 1] < payoff:
            stop -= 1
        bits += COARSE
    bits = chosen_bits
    for step in range(1, STEPS + 1):
        for sign in (-1, 1):
            price = chosen + sign * (chosen >> (step if sign < 0 else step - 1))
            found, earned = _try_price(
                price, bits, start, progress, cost, need, value, shift, stop, limit
            )  # fmt: skip
            if earned > payoff:
                chosen, finish, payoff = price, found, earned
                break
        while stop > 1 and value[stop - 1] < payoff:
            stop -= 1
    best = 0
    if finish >= 0:
        around = chosen
        best, chosen = _payoff_in(
            finish, around, bits, start, progress, cost, need, worth, tie, shift
        )  # fmt: skip
        if stop - 1 > finish:
            earned, price = _payoff_in(
                stop - 1, around, bits, start, progress, cost, need, worth, tie, shift
            )  # fmt: skip
            if earned > best:
                best, chosen = earned, price
    floor = best * tie >> shift
    stop = rounds
    while stop > 0 and (worth[stop - 1] < best or limit[stop - 1] < floor):
        stop -= 1
    ahead = np.empty(rounds + 1, np.int64)
    other = np.empty(rounds + 1, np.int64)
    _look_ahead(chosen, bits, start, progress, cost, value, shift, stop, limit, floor, ahead)
    for step in range(3, 3 + DUAL_STEPS):
        for sign in (-1, 1):
            price = chosen + sign * (chosen >> step)
            _look_ahead(price, bits, start, progress, cost, value, shift, stop, limit, floor, other)
            if other[0] - (price * need >> bits) < ahead[0] - (chosen * need >> bits):
                ahead, other = other, ahead
                chosen = price
                break
    return Guide(best, stop, int(chosen), bits, shift, ahead)
