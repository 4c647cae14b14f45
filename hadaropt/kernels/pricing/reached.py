"""Good schedules of one job, from prices of progress: what some schedule is sure to earn.

The choices of all rounds at one price of a unit of progress (`hadaropt.kernels.pricing.choices`)
are a schedule once they make enough progress; and what they gain together bounds every completion
(see `hadaropt.kernels.pricing.potential`).

Sums are made in units of ``2**shift`` keys and prices in units of ``2**-bits`` of them, with costs
rounded down and gains and worths up: they fit 64 bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.pricing.choices import Options, choose, in_rows

Ints = npt.NDArray[np.int64]

INF = np.int64(2**62)
COARSE = 3
"""Prices of the first search fall by this power of two; a smaller one finds better schedules."""
STEPS = 3
"""Steps of the search around the best of them, each half as long as the one before."""
SECANTS = 8
"""Most steps to the price of the linear relaxation."""
DROPS = 6
"""Most options that are taken out of a schedule that makes more progress than is needed."""


class Reached(NamedTuple):
    """What the choices at falling prices reach.

    Attributes
    ----------
    least : int
        Some schedule earns at least so much, or 0.
    finish : int
        Round in which the best of them completes, -1 if none does.
    stop : int
        No completion from this round on is better than it.
    price, bits, shift : int
        Its price of a unit of progress, in units of ``2**(shift - bits)`` keys.
    limit : (N,) int64
        At least the payoff of every completion, in units of ``2**shift`` keys.
    options : Options
        Those that were given, paid in units of ``2**shift`` keys.
    """

    least: int
    finish: int
    stop: int
    price: int
    bits: int
    shift: int
    limit: Ints
    options: Options


@kernel
def _try_price(
    price: int,
    bits: int,
    options: Options,
    need: int,
    value: Ints,
    stop: int,
    limit: Ints,
    gains: Ints,
    pick: Ints,
) -> tuple[int, int]:
    """Lower `limit` to what a price proves; return the round of completion, and the payoff.

    They are those of the choices, (-1, -2**62) if they do not complete before `stop`. Gains and
    choices are written into `gains` and `pick`.
    """
    choose(price, bits, options, gains[:stop], pick[:stop])
    bound = np.int64(-(price * need >> bits))
    for n in range(stop):
        bound += gains[n]
        limit[n] = min(limit[n], value[n] + bound)
    done = paid = np.int64(0)
    for n in range(stop):
        k, chosen = max(np.int64(0), pick[n]), pick[n] >= 0  # no branch that is hard to foresee
        done += options.progress[k, n] if chosen else np.int64(0)
        paid += options.paid[k, n] if chosen else np.int64(0)
        if done >= need:
            return n, int(value[n] - paid)
    return -1, -int(INF)


@kernel
def reached(start: Ints, progress: Ints, cost: Ints, need: int, worth: Ints, tie: int) -> Reached:
    """Find a payoff that some schedule reaches, by the choices at falling prices.

    Parameters as in `potential`.
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
    steepest = 0.0
    for n in range(rounds):
        last = start[n + 1] - 1
        if last >= start[n]:
            steepest = max(steepest, float(cost[last]) / float(progress[last]))
            for i in range(start[n], last):
                rise = float(cost[last] - cost[i]) / float(progress[last] - progress[i])
                steepest = max(steepest, rise)
    top = int(steepest / float(np.int64(1) << shift) * (1 + 1e-9)) + 2
    price, bits = min(dearest, np.int64(top)), 0
    room = 2**58 // max(np.int64(need), most)
    while 2 * price <= room and bits < 30:
        price, bits = 2 * price, bits + 1
    # Nothing completes before the round in which the most progress reaches the need.
    options = in_rows(start, progress, cost, shift)
    gains = np.empty(rounds, np.int64)
    pick = np.empty(rounds, np.int64)
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
            price, bits, options, need, value, stop, limit, gains, pick
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
                price, bits, options, need, value, stop, limit, gains, pick
            )  # fmt: skip
            if earned > payoff:
                chosen, finish, payoff = price, found, earned
                break
        while stop > 1 and value[stop - 1] < payoff:
            stop -= 1
    # What the keys lack of `value`, and what is cut off them, is less than this.
    least = (payoff - 2 - rounds << shift) // tie - 2 if finish >= 0 else 0
    return Reached(max(0, least), finish, stop, int(chosen), bits, shift, limit, options)


@kernel
def _pick(
    price: int, bits: int, options: Options, gains: Ints, pick: Ints
) -> tuple[np.int64, np.int64]:
    """Write the choices of the first rounds into `pick`; return their progress and cost."""
    choose(price, bits, options, gains, pick)
    done = paid = np.int64(0)
    for n in range(pick.shape[0]):
        k, chosen = max(np.int64(0), pick[n]), pick[n] >= 0
        done += options.progress[k, n] if chosen else np.int64(0)
        paid += options.paid[k, n] if chosen else np.int64(0)
    return done, paid


@kernel
def payoff_in(
    finish: int,
    price: int,
    bits: int,
    options: Options,
    start: Ints,
    cost: Ints,
    need: int,
    worth: Ints,
    tie: int,
    shift: int,
) -> tuple[int, int, int, int]:
    """Payoff of a good schedule that completes in round `finish` or before, its round, its price.

    It is between the choices at two prices next to that of the linear relaxation, of which only the
    dearer one completes: those of the cheaper one, but in the first rounds as many of the dearer
    one as it takes. Then what is not needed is taken out, dearest first. The search for the two
    begins at `price`. Payoff 0 if none was found.
    """
    low = np.full(finish + 1, -1, np.int64)
    high = np.empty(finish + 1, np.int64)
    pick = np.empty(finish + 1, np.int64)
    gains = np.empty(finish + 1, np.int64)
    low_done = low_paid = np.int64(0)
    high_done, high_paid = _pick(price, bits, options, gains, high)
    while high_done < need and bits >= COARSE:
        bits -= COARSE
        high_done, high_paid = _pick(price, bits, options, gains, high)
    if high_done < need:
        return 0, finish, price, bits
    chosen = low_price = 0
    high_price = price
    for _ in range(SECANTS):
        # Where the two lines done * price - paid meet.
        slope = float(high_paid - low_paid) / float(max(np.int64(1), high_done - low_done))
        between = int(slope * float(1 << bits))
        chosen = max(low_price, min(high_price, between))
        if chosen in (low_price, high_price):
            break
        done, paid = _pick(chosen, bits, options, gains, pick)
        if done >= need:
            if done == high_done and paid == high_paid:
                break
            high, pick = pick, high
            high_done, high_paid, high_price = done, paid, chosen
        else:
            if done == low_done and paid == low_paid:
                break
            low, pick = pick, low
            low_done, low_paid, low_price = done, paid, chosen
    over = low_done - need
    spent = np.int64(0)
    for n in range(finish + 1):
        if over < 0:
            if low[n] >= 0:
                over -= options.progress[low[n], n]
            low[n] = high[n]
            if low[n] >= 0:
                over += options.progress[low[n], n]
        if low[n] >= 0:
            spent += options.paid[low[n], n]
    if spent > (worth[0] + 1) * tie >> shift:  # it earns nothing, and the sum may be too large
        return 0, finish, chosen, bits
    paid = np.int64(0)
    for n in range(finish + 1):
        if low[n] >= 0:
            paid += cost[start[n] + low[n]]
    for _ in range(DROPS):
        save = np.int64(0)
        at = instead = -1
        for n in range(finish + 1):
            if low[n] < 0:
                continue
            gain, key = options.progress[low[n], n], cost[start[n] + low[n]]
            if gain <= over:
                if key > save:
                    save, at, instead = key, n, -1
            else:
                for k in range(low[n]):
                    less = key - cost[start[n] + k]
                    if gain - options.progress[k, n] <= over and less > save:
                        save, at, instead = less, n, k
        if at < 0:
            break
        over -= options.progress[low[at], at]
        if instead >= 0:
            over += options.progress[instead, at]
        paid -= save
        low[at] = instead
    while finish > 0 and low[finish] < 0:
        finish -= 1
    return max(0, int(worth[finish] - paid // tie)), finish, chosen, bits


@kernel
def most_promising(
    price: int,
    bits: int,
    options: Options,
    need: int,
    worth: Ints,
    tie: int,
    shift: int,
    stop: int,
    limit: Ints,
) -> int:
    """Return the round before `stop` of the largest bound at a price, and lower `limit` to it."""
    gains = np.empty(stop, np.int64)
    choose(price, bits, options, gains, np.empty(stop, np.int64))
    bound = np.int64(-(price * need >> bits))
    most = -INF
    at = 0
    for n in range(stop):
        bound += gains[n]
        limit[n] = min(limit[n], ((worth[n] * tie + tie - 1) >> shift) + 1 + bound)
        if limit[n] > most:
            most = limit[n]
            at = n
    return at
