"""Least sums of completions on one pool, by trying everything: independent of what is tested."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import permutations

Asked = tuple[int, int, int]
"""Release, service and gang."""
FAR = 40
"""From here on the GPUs change no more."""


def least_in_one_piece(jobs: list[Asked], gpus: int | Callable[[int], int]) -> int:
    """Return the least sum without preemption; GPUs may change at whole times.

    Some optimum starts every job, in some order, as early as it fits, none before the one before
    it in that order (order an optimum by its starts).
    """
    there = gpus if callable(gpus) else lambda time: gpus
    best: int | None = None
    for order in permutations(range(len(jobs))):
        running: list[tuple[int, int, int]] = []
        now = total = 0
        for j in order:
            release, service, gang = jobs[j]
            now = max(now, release)
            while any(
                sum(w for start, end, w in running if start <= time < end) + gang > there(time)
                for time in range(now, now + service)
            ):
                now += 1
            running.append((now, now + service, gang))
            total += now + service
        best = total if best is None else min(best, total)
    assert best is not None
    return best


def least_with_preemption(jobs: list[Asked], gpus: int | Callable[[int], int]) -> int:
    """Return the least sum when jobs may be paused at whole times."""
    room = gpus if callable(gpus) else lambda time: gpus

    @cache
    def rest(now: int, left: tuple[int, ...]) -> int:
        if not any(left):
            return 0
        there = [j for j, own in enumerate(left) if own and jobs[j][0] <= now]
        if not there:
            return rest(min(jobs[j][0] for j, own in enumerate(left) if own), left)
        best: int | None = None
        for chosen in range(1, 1 << len(there)):
            own = [j for i, j in enumerate(there) if chosen >> i & 1]
            if sum(jobs[j][2] for j in own) > room(now):
                continue
            after = tuple(x - (j in own) for j, x in enumerate(left))
            done = sum(left[j] == 1 for j in own)
            value = done * (now + 1) + rest(now + 1, after)
            best = value if best is None else min(best, value)
        idle = rest(now + 1, left) if callable(gpus) and now < FAR else None
        return min(value for value in (best, idle) if value is not None)

    return rest(0, tuple(job[1] for job in jobs))
