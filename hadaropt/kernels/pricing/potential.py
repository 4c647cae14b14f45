"""What a schedule can still gain, from prices of progress: it keeps lists of labels short.

Let ``least[n, p]`` be the least key of progress p in the rounds 0 .. n (see
`hadaropt.kernels.pricing.cover`) and U(n) the worth of completing in round n. For any price
``l >= 0`` of one unit of progress, with ``s[n] = max(0, max over options of l * progress - cost)``,

``least[n, need] >= l * need - (s[0] + .. + s[n])``.

Say that some schedule completes in round f, is charged c and earns ``best``. The first of the best
schedules then has at most the key ``room[n]`` if it completes in round n: what a payoff of ``best``
leaves, and after f a charge below c, since U does not rise and the earlier of equals is better. So
a schedule that has progress p after the rounds before n, at key k, is of use only if

``k <= ahead[n] - l * (need - p)``  with  ``ahead[n] = s[n] + max(room[n], ahead[n + 1])``,

where rounds count as completions only if a price leaves them room; and an option of round n is of
use only if what it loses against s[n] is no more than the room that is left. All this holds
whatever the price; that of the linear relaxation of completing in round f makes it sharp. The
choices behind s at one price are a schedule, which gives a payoff to compare with.

Sums are made in units of ``2**(shift - fine)`` keys and prices in units of ``2**-bits`` of them,
rounded so that they stay bounds: they fit 64 bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.pricing.reached import Reached, most_promising, payoff_in

Ints = npt.NDArray[np.int64]

INF = np.int64(2**62)
FURTHER = 3
"""Most rounds of completion that are tried because a bound is largest there."""
NEAR = 7
"""Bounds that exceed a payoff by at most its charge over this power of two are near it."""
FINE = 20
"""Most bits of a key beyond the point."""


class Guide(NamedTuple):
    """A payoff that is reached, and what bounds the others.

    Attributes
    ----------
    best : int
        Payoff (rounded down) that some schedule reaches, or 0.
    stop : int
        The first of the best schedules completes before this round.
    need : int
        Progress that a schedule makes if it makes enough: a multiple of the common divisor.
    price, bits, fine, shift : int
        Price of a unit of progress, in units of ``2**(shift - fine - bits)`` keys.
    ahead : (N + 1,) int64
        A label of progress p < need and key k after n rounds can only lead to the first of the best
        schedules if ``(k << fine) >> shift`` is at most
        ``ahead[n] - (price * (need - p) >> bits)``.
    start, progress, cost : int64
        The options that may be part of it.
    """

    best: int
    stop: int
    need: int
    price: int
    bits: int
    fine: int
    shift: int
    ahead: Ints
    start: Ints
    progress: Ints
    cost: Ints


@kernel
def _look_ahead(
    price: int,
    bits: int,
    fine: int,
    shift: int,
    start: Ints,
    progress: Ints,
    cost: Ints,
    need: int,
    least: int,
    room: Ints,
    gains: Ints,
    ahead: Ints,
) -> int:
    """Write s and `ahead`; completions without room get ``room[n] = -1``. Return the new stop.

    `least` is a key that no completion is below.
    """
    left = np.int64(price * need >> bits)
    stop = 0
    for n in range(room.shape[0]):
        most = np.int64(0)
        for i in range(start[n], start[n + 1]):
            most = max(most, -(-price * progress[i] >> bits) - (cost[i] << fine >> shift))
        gains[n] = most
        left -= most
        if room[n] >= 0:
            if least > room[n] or left > room[n] << fine >> shift:
                room[n] = -1
            else:
                stop = n + 1
    most = -INF
    ahead[stop] = most
    for n in range(stop - 1, -1, -1):
        if room[n] >= 0:
            most = max(most, room[n] << fine >> shift)
        most += gains[n]
        ahead[n] = most
    return stop


@kernel
def _keep_useful(
    price: int,
    bits: int,
    fine: int,
    shift: int,
    need: int,
    gains: Ints,
    ahead: Ints,
    stop: int,
    start: Ints,
    progress: Ints,
    cost: Ints,
) -> int:
    """Drop options that no schedule of use has; return the common divisor of the others."""
    left = np.int64(price * need >> bits)
    divisor = np.int64(0)
    size = 0
    for n in range(stop):
        spare = ahead[n] - gains[n] - left
        left -= gains[n]
        begin, end = start[n], start[n + 1]
        start[n] = size
        for i in range(begin, end):
            gain = -(-price * progress[i] >> bits) - (cost[i] << fine >> shift)
            if spare + gain >= 0:
                progress[size], cost[size] = progress[i], cost[i]
                size += 1
                if divisor != 1:
                    a, b = progress[i], divisor
                    while b > 0:
                        a, b = b, a % b
                    divisor = a
    start[stop:] = size
    return int(divisor)


@kernel
def potential(
    start: Ints, progress: Ints, cost: Ints, need: int, worth: Ints, tie: int, found: Reached
) -> Guide:
    """Find a good schedule, and bounds on what the others can gain.

    Parameters
    ----------
    start, progress, cost, need, worth, tie
        As in `hadaropt.kernels.pricing.cover.dense`, with at least one round. Keys are below
        ``(worth[0] + 1) * tie``.
    found : Reached

    Returns
    -------
    Guide
    """
    rounds = worth.shape[0]
    least, finish, stop, chosen, bits, shift, limit, options = found
    best, charge = 0, int(INF)
    if finish >= 0:
        around, at = bits, finish
        best, finish, chosen, bits = payoff_in(
            at, chosen, around, options, start, cost, need, worth, tie, shift
        )  # fmt: skip
        price, new_bits = chosen, bits
        for _ in range(FURTHER):
            last = most_promising(
                price, new_bits, options, need, worth, tie, shift, stop, limit
            )  # fmt: skip
            near = (int(worth[finish]) - best) * tie >> shift + NEAR
            if last == at or limit[last] - (best * tie >> shift) <= near:
                break
            at = last
            earned, later, price, new_bits = payoff_in(
                at, price, new_bits, options, start, cost, need, worth, tie, shift
            )  # fmt: skip
            if earned > best:
                best, finish, chosen, bits = earned, later, price, new_bits
        charge = int(worth[finish]) - best
        if best < least:
            best, charge = least, int(INF)
    # What any completion may be charged is left, in the finest units that fit.
    floor = best * tie >> shift
    room = np.full(rounds, -1, np.int64)
    largest = np.int64(1)
    for n in range(rounds):
        if worth[n] >= best and limit[n] >= floor:
            room[n] = (worth[n] - best) * tie + tie - 1
            if best > 0 and n > finish and charge < INF:
                room[n] = min(room[n], charge * tie - 1)
            largest = max(largest, room[n] + 1)
    first = np.zeros(rounds + 1, np.int64)
    gained = np.empty(start[rounds], np.int64)
    keys = np.empty(start[rounds], np.int64)
    size = 0
    most = np.int64(1)
    for n in range(rounds):
        for i in range(start[n], start[n + 1]):
            if cost[i] < largest:
                gained[size], keys[size] = progress[i], cost[i]
                most = max(most, progress[i])
                size += 1
        first[n + 1] = size
    fine, coarse = 0, 0
    while fine < FINE and (largest << fine + 1) < 2**58 // (rounds + 2):
        fine += 1
    while (largest >> coarse) >= 2**58 // (rounds + 2):
        coarse += 1
    # The price in these units: at most `largest` for the most progress of a round.
    price, wanted = chosen, bits - (fine - coarse) - shift
    highest = 2**60 // max(np.int64(need) + most, most * (rounds + 2))
    while wanted > 0 and (price > highest or wanted > 60):
        price, wanted = price >> 1, wanted - 1
    while wanted < 0:
        price, wanted = min(2 * price, int(highest)), wanted + 1
    price, bits = min(price, int(highest)), wanted
    gains = np.empty(rounds, np.int64)
    ahead = np.empty(rounds + 1, np.int64)
    stop = _look_ahead(
        price, bits, fine, coarse, first, gained, keys, need, int(np.int64(0)), room, gains, ahead
    )  # fmt: skip
    divisor = _keep_useful(
        price, bits, fine, coarse, need, gains, ahead, stop, first, gained, keys
    )  # fmt: skip
    if divisor > 0:
        enough = -(-need // divisor) * divisor
        most, cheapest = np.int64(1), INF
        for i in range(first[stop]):
            most = max(most, gained[i])
            cheapest = min(cheapest, keys[i])
        runs = -(-need // most)
        floor_key = runs * cheapest if cheapest < largest // runs + 1 else largest
        stop = _look_ahead(
            price, bits, fine, coarse, first[: stop + 1], gained, keys, enough, int(floor_key),
            room[:stop], gains, ahead,
        )  # fmt: skip
        _keep_useful(
            price, bits, fine, coarse, enough, gains, ahead, stop, first, gained, keys
        )  # fmt: skip
    else:
        enough, stop = need, 0
    return Guide(
        best, stop, enough, int(price), bits, fine, coarse, ahead, first[: stop + 1],
        gained[: first[stop]], keys[: first[stop]],
    )  # fmt: skip
