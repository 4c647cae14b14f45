"""Jobs in continuous time on one pool of GPUs, each at prices that are constant between edges.

Times are integers (ticks), prices integers in units of 2**-shift. Interval i is from edges[i] to
edges[i + 1]; after the last edge the price is 0, and no job is released before the first.
Everything is rounded so that what is returned is never above the true minimum.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Ints = npt.NDArray[np.int64]

FAR = np.int64(2**41)
"""Later than every time, which are below 2**28."""
LARGEST = np.int64(2**62)


@kernel
def _rent(work: np.int64, price: np.int64, shift: np.int64) -> np.int64:
    """Return floor(work * price / 2**shift), or FAR where that is larger."""
    if work > 0 and price > LARGEST // work:
        return FAR
    return min(FAR, (work * price) >> shift)


@kernel
def _room(
    until: np.int64,
    release: np.int64,
    first: np.int64,
    work: np.int64,
    edges: Ints,
    price: Ints,
    shift: np.int64,
) -> np.int64:
    """Return the length of {t >= release: t + work * price(t) <= until}."""
    total = np.int64(0)
    for i in range(first, price.shape[0]):
        left = max(edges[i], release)
        if left >= until:
            return np.int64(total)
        total += min(edges[i + 1], max(left, until - _rent(work, price[i], shift))) - left
    total += max(np.int64(0), until - max(edges[-1], release))
    return np.int64(total)


@kernel
def least_with_preemption(
    release: Ints, service: Ints, gang: Ints, edges: Ints, price: Ints, shift: np.int64
) -> tuple[Ints, Ints]:
    """Return twice the least completion plus rent of each job that may be paused or slowed.

    A job runs at a speed 0 <= x(t) <= 1 from its release on, integral of x = service, and pays the
    price for gang * x(t) GPUs. Its completion is at least the integral of t x(t) / service, plus
    service / 2. The minimum fills the times of least t + service * gang * price(t).

    Parameters
    ----------
    release, service, gang : (J,) int64
        0 <= release < 2**28, 0 <= service < 2**28, 1 <= gang < 2**12.
    edges : (K + 1,) int64
        Ascending.
    price : (K,) int64
        Each >= 0.
    shift : int64
        0 <= shift <= 20.

    Returns
    -------
    least : (J,) int64
    used : (K,) int64
        GPU-ticks that the minima take in each interval (a direction of search, of no proof).
    """
    least = np.zeros(release.shape[0], np.int64)
    used = np.zeros(price.shape[0], np.int64)
    for j in range(release.shape[0]):
        a, p, w = release[j], service[j], gang[j]
        if p == 0:
            least[j] = 2 * a
            continue
        work = p * w
        first = max(0, np.searchsorted(edges, a, side="right") - 1)
        low, high = a + p, max(edges[-1], a) + p
        reach = p
        while a + p + reach < high:
            if _room(a + p + reach, a, first, work, edges, price, shift) >= p:
                high = a + p + reach
                break
            low = a + p + reach
            reach *= 2
        while low < high:
            middle = (low + high) // 2
            if _room(middle, a, first, work, edges, price, shift) >= p:
                high = middle
            else:
                low = middle + 1
        # Any level gives a bound: 2 level - (twice the integral of what lies below it) / p + p.
        level, below, over = low, np.int64(0), np.int64(-p)
        for i in range(first, price.shape[0] + 1):
            left = max(edges[i], a)
            if left >= level:
                break
            last = i == price.shape[0]
            top = level if last else level - _rent(work, price[i], shift)
            right = level if last else edges[i + 1]
            if top <= left:
                continue
            end = min(right, top)
            below += (end - left) * (2 * top - left - end)
            over += end - left
            if not last:
                used[i] += w * (end - left - (over if over > 0 else 0))
            if over > 0:
                over = np.int64(0)
        least[j] = 2 * level + p - (below + p - 1) // p
    return least, used


@kernel
def least_without_preemption(
    release: Ints, service: Ints, gang: Ints, edges: Ints, price: Ints, shift: np.int64
) -> tuple[Ints, Ints]:
    """Return twice the least completion plus rent of each job that runs in one piece.

    The cost of a start s, s + service + gang * (integral of the price over the run), is linear
    between the starts at which s or s + service is an edge, so the least lies at one of them or at
    the release. Parameters and returns are as in `least_with_preemption`; gang times the integral
    of the price over all time is below 2**62.
    """
    least = np.zeros(release.shape[0], np.int64)
    used = np.zeros(price.shape[0], np.int64)
    paid = np.zeros(edges.shape[0], np.int64)
    for i in range(price.shape[0]):
        paid[i + 1] = paid[i] + price[i] * (edges[i + 1] - edges[i])
    for j in range(release.shape[0]):
        a, p, w = release[j], service[j], gang[j]
        best, start = LARGEST, a
        first = np.searchsorted(edges, a, side="right") - 1
        for at_end in range(2):
            k = max(0, first)
            while k <= edges.shape[0]:
                if k == max(0, first):
                    s = a
                else:
                    s = edges[k - 1] - (p if at_end == 1 else 0)
                k += 1
                if s < a:
                    continue
                if s + p >= best:
                    break
                rent = (
                    w * (_paid(s + p, edges, price, paid) - _paid(s, edges, price, paid))
                ) >> shift
                if s + p + rent < best:
                    best, start = s + p + rent, s
        least[j] = 2 * best
        i = max(0, np.searchsorted(edges, start, side="right") - 1)
        while i < price.shape[0] and edges[i] < start + p:
            used[i] += w * (min(edges[i + 1], start + p) - max(edges[i], start))
            i += 1
    return least, used


@kernel
def _paid(time: np.int64, edges: Ints, price: Ints, paid: Ints):
    """Return the integral of the price up to a time."""
    if time >= edges[-1]:
        return paid[-1]
    i = np.searchsorted(edges, time, side="right") - 1
    return paid[i] + price[i] * (time - edges[i])
