"""Best schedule of one job whose sums of progress are too many for a table, from Pareto labels.

A label is the progress of some rounds and its cost; kept are the undominated ones that can still
become a schedule of more payoff. With a price l of progress, what is missing costs at least

``l (need - progress) - sum over the rounds left of max(0, max over options of l gain - cost)``.

This bound is a float, made smaller by `SAFE` of its terms: it only drops labels. Payoffs are exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.pricing.pareto import merge

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

INF = np.int64(2**62)
SAFE = 1e-9
"""Relative; above all rounding errors of the float bound."""
STEPS = 30
"""Halvings of the interval in which the price of progress is searched."""


class Options(NamedTuple):
    """What is worth running, by round.

    Attributes
    ----------
    start : (N + 1,) int64
        Options of round n are start[n] .. start[n + 1] - 1, by decreasing progress and cost.
    gain, cost, number : int64
        Progress, cost, and which of the options 1 .. K.
    """

    start: Ints
    gain: Ints
    cost: Ints
    number: Ints


@kernel
def _undominated(gain: Ints, cost: Ints, low: Ints, high: Ints, stop: int) -> Options:
    """Return the options that are allowed, cheaper than all of more progress."""
    many = gain.shape[0]
    start = np.zeros(stop + 1, np.int64)
    found = np.empty((3, stop * many), np.int64)
    size = 0
    for n in range(stop):
        least = INF
        for k in range(high[n], max(low[n], 1) - 1, -1):
            c = cost[n * many + k - 1]
            if c < least:
                least = c
                found[0, size], found[1, size], found[2, size] = gain[k - 1], c, k
                size += 1
        start[n + 1] = size
    return Options(start, found[0], found[1], found[2])


@kernel
def _saved(price: float, options: Options) -> Floats:
    """By round, what all rounds from it on gain at most at a price of progress."""
    start, gain, cost, _ = options
    stop = start.shape[0] - 1
    saved = np.zeros(stop + 1)
    for n in range(stop - 1, -1, -1):
        most = 0.0
        for i in range(start[n], start[n + 1]):
            most = max(most, price * gain[i] - cost[i])
        saved[n] = saved[n + 1] + most
    return saved


@kernel
def _best_price(options: Options, need: int) -> float:
    """Return about the price of progress at which the bound of the whole job is largest."""
    start, gain, cost, _ = options
    under, over = 0.0, 0.0
    for i in range(start[-1]):
        over = max(over, cost[i] / gain[i])
    if over == 0:
        return over
    for _ in range(STEPS):
        price = 0.5 * (under + over)
        made = 0
        for n in range(start.shape[0] - 1):
            most, best = 0.0, 0
            for i in range(start[n], start[n + 1]):
                if price * gain[i] - cost[i] > most:
                    most, best = price * gain[i] - cost[i], gain[i]
            made += min(need, best)
        if made < need:
            under = price
        else:
            over = price
    return over


@kernel
def _read(points: Ints, paid: Ints, begin: int, end: int, p: int) -> int:
    """Least cost of progress >= p among labels begin .. end - 1; 2**62 if there is none."""
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if points[middle] >= p:
            low = middle + 1
        else:
            high = middle
    return int(paid[low - 1]) if low > begin else int(INF)


@kernel
def cover_by_labels(
    gain: Ints,
    need: int,
    cost: Ints,
    worth: Ints,
    low: Ints,
    high: Ints,
    begin: int,
    end: int,
    most: int,
    choice: Ints,
) -> tuple[int, int]:
    """Find the schedule of one job that completes at the largest payoff above ``most``.

    Parameters
    ----------
    gain : (K,) int64
        Progress of options 1 .. K, increasing.
    need : int
    cost : (N * K,) int64
        Of every option in every round; 2**62 where it is impossible.
    worth : (N,) int64
        Of completing in each round, non-increasing.
    low, high : (N,) int64
        Options that are allowed; the job has to run where low >= 1.
    begin, end : int
        First and last round in which completion counts.
    most : int
    choice : (N,) int64
        Result: the option in each round up to the completion, where there is one.

    Returns
    -------
    most, at : int
        The payoff, and the round of completion (-1: none is above ``most``).
    """
    stop = min(worth.shape[0], end + 1)
    while stop > 0 and worth[stop - 1] <= most:
        stop -= 1
    at, target = -1, 0
    if stop <= begin:
        return most, at
    options = _undominated(gain, cost, low, high, stop)
    rest = np.zeros(stop + 1, np.int64)
    for n in range(stop - 1, -1, -1):
        rest[n] = rest[n + 1]
        if options.start[n] < options.start[n + 1]:
            rest[n] += min(need, options.gain[options.start[n]])
    if rest[0] < need:
        return most, at
    price = _best_price(options, need)
    saved = _saved(price, options)
    least = price * (1 - SAFE)
    first = np.zeros(stop + 2, np.int64)
    first[1] = 1
    points = np.zeros(256, np.int64)
    paid = np.zeros(256, np.int64)
    new_points = np.empty(256, np.int64)
    new_paid = np.empty(256, np.int64)
    old_points = np.empty(256, np.int64)
    old_paid = np.empty(256, np.int64)
    n = -1
    while n + 1 < stop:
        n += 1
        start, size = first[n], first[n + 1]
        room = (size - start) * (options.start[n + 1] - options.start[n] + 1)
        if room > new_points.shape[0]:
            new_points = np.empty(2 * room, np.int64)
            new_paid = np.empty(2 * room, np.int64)
            old_points = np.empty(2 * room, np.int64)
            old_paid = np.empty(2 * room, np.int64)
        m = 0
        if low[n] <= 0:
            m = size - start
            new_points[:m] = points[start:size]
            new_paid[:m] = paid[start:size]
        for i in range(options.start[n], options.start[n + 1]):
            old_points, new_points = new_points, old_points
            old_paid, new_paid = new_paid, old_paid
            m = merge(
                old_points, old_paid, m, points[start:size], paid[start:size], size - start,
                options.gain[i], options.cost[i], need, new_points, new_paid,
            )  # fmt: skip
        if n >= begin and m > 0 and new_points[0] == need and worth[n] - new_paid[0] > most:
            most = worth[n] - new_paid[0]
            at, target = n, int(new_paid[0])
            while stop > n + 1 and worth[stop - 1] <= most:
                stop -= 1
        if size + m > points.shape[0]:
            wider = np.empty((2, 2 * (size + m)), np.int64)
            wider[0, :size] = points[:size]
            wider[1, :size] = paid[:size]
            points, paid = wider[0], wider[1]
        # Kept are the labels that the rounds before `stop` can make better than the best schedule.
        kept = size
        if n + 1 < stop:
            cut = worth[max(n + 1, begin)] - most
            reach = need - (rest[n + 1] - rest[stop])
            spare = (saved[n + 1] - saved[stop]) * (1 + SAFE) + SAFE * saved[0]
            for k in range(m):
                p, c = new_points[k], new_paid[k]
                if (
                    p >= reach
                    and c < cut
                    and (p < need or n < begin)
                    and c * (1 - SAFE) + least * (need - p) - spare < cut
                ):
                    points[kept], paid[kept] = p, c
                    kept += 1
        first[n + 2] = kept
        if kept == size:
            break
    if at < 0:
        return most, at
    p = need
    for n in range(at, -1, -1):
        choice[n] = 0
        if low[n] <= 0 and _read(points, paid, first[n], first[n + 1], p) == target:
            continue
        for i in range(options.start[n + 1] - 1, options.start[n] - 1, -1):
            q = max(0, p - options.gain[i])
            before = _read(points, paid, first[n], first[n + 1], q)
            if before < INF and before + options.cost[i] == target:
                choice[n] = options.number[i]
                p, target = q, before
                break
    return most, at
