"""Two preemptive problems on one machine, in integers; each has an optimal greedy rule."""

from __future__ import annotations

import heapq
from collections.abc import Sequence


def shortest_remaining_first(work: Sequence[int], release: Sequence[int]) -> int:
    """Return the least sum of completion times, jobs being preemptive.

    Always serving the released job with the least work left is optimal (L. Schrage, 1968), also
    against schedules that share the machine: between two successive releases or completions a
    sharing schedule can serve its jobs one after the other, each with the work that it got there,
    and no completion moves later. The value does not decrease in any work or release.

    Examples
    --------
    >>> shortest_remaining_first([4, 1], [0, 1])
    7
    """
    return sum(shortest_remaining_completions(work, release))


def shortest_remaining_completions(work: Sequence[int], release: Sequence[int]) -> list[int]:
    """Return the completions, ascending, of always serving the job with the least work left.

    At every time no schedule has completed more jobs (L. Schrage, 1968): the k-th completion is the
    earliest possible k-th completion, for every k.
    """
    order = sorted(range(len(work)), key=lambda j: release[j])
    waiting: list[int] = []
    ends: list[int] = []
    now = i = 0
    while i < len(order) or waiting:
        if not waiting:
            now = max(now, release[order[i]])
        while i < len(order) and release[order[i]] <= now:
            heapq.heappush(waiting, work[order[i]])
            i += 1
        left = heapq.heappop(waiting)
        until = release[order[i]] if i < len(order) else now + left
        if now + left <= until:
            now += left
            ends.append(now)
        else:
            heapq.heappush(waiting, left - (until - now))
            now = until
    return ends


def mean_busy_times(work: Sequence[int], release: Sequence[int]) -> list[int]:
    """Return the mean busy times, rounded down, of the schedule that minimises their sum.

    M_j = (1 / p_j) * integral of t z_j(t), z_j the speed at which j is served, sum_j z_j <= 1, z_j
    = 0 before the release, integral of z_j = p_j >= 1. A unit of j's work at time t costs t / p_j.
    Wherever an idle machine or a job with the larger p_i could serve j earlier, exchanging the two
    units costs nothing or gains; so the released job with the least p_j, as a whole and not what is
    left of it, is always served (M. X. Goemans, 1997). The minimum does not decrease in any p_j
    (scale z_j down to a smaller p_j: M_j stays) or release.

    Examples
    --------
    >>> mean_busy_times([4, 2], [0, 1])
    [3, 2]
    """
    order = sorted(range(len(work)), key=lambda j: release[j])
    left, twice = list(work), [0] * len(work)
    waiting: list[tuple[int, int]] = []
    now = i = 0
    while i < len(order) or waiting:
        if not waiting:
            now = max(now, release[order[i]])
        while i < len(order) and release[order[i]] <= now:
            heapq.heappush(waiting, (work[order[i]], order[i]))
            i += 1
        j = waiting[0][1]
        until = now + left[j]
        if i < len(order):
            until = min(until, release[order[i]])
        twice[j] += until * until - now * now
        left[j] -= until - now
        if left[j] == 0:
            heapq.heappop(waiting)
        now = until
    return [total // (2 * p) for total, p in zip(twice, work, strict=True)]
