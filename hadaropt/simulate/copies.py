"""The copies of a forked job in one round, in exact arithmetic."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from fractions import Fraction

from hadaropt.simulate.problem import Placement


def copies_of(placement: Placement, gang_size: int) -> tuple[Placement, ...]:
    """Return the gangs of a placement: itself, or one on each node if it holds more than W GPUs."""
    if sum(count for _, _, count in placement) <= gang_size:
        return (placement,)
    nodes: dict[int, list[tuple[int, int, int]]] = {}
    for entry in placement:
        nodes.setdefault(entry[0], []).append(entry)
    return tuple(tuple(nodes[h]) for h in sorted(nodes))


def steps_within(speeds: Sequence[Fraction], seconds: Fraction) -> tuple[int, ...]:
    """Return floor(speed * seconds) of each copy."""
    known: dict[Fraction, int] = {}
    for speed in speeds:
        if speed not in known:
            known[speed] = math.floor(speed * seconds)
    return tuple(known[speed] for speed in speeds)


def steps_to_the_end(speeds: Sequence[Fraction], steps: int) -> tuple[tuple[int, ...], Fraction]:
    """Return the steps of each copy until they are enough together, and the seconds of that.

    The first instant t at which sum floor(speed t) >= steps; of copies that finish a step at that
    very instant the later ones are stopped, so that the sum is exact.

    Examples
    --------
    >>> steps_to_the_end([Fraction(2), Fraction(1)], 4)
    ((3, 1), Fraction(3, 2))
    """
    if len(speeds) == 1:
        return (steps,), steps / speeds[0]
    # At t = steps / sum(speeds) fewer than len(speeds) steps are missing.
    start = Fraction(steps) / sum(speeds)
    done = list(steps_within(speeds, start))
    missing = steps - sum(done)
    end = start
    coming = [((done[i] + 1) / speed, i) for i, speed in enumerate(speeds)] if missing else []
    heapq.heapify(coming)
    for _ in range(missing):
        end, i = coming[0]
        done[i] += 1
        heapq.heapreplace(coming, ((done[i] + 1) / speeds[i], i))
    return tuple(done), end
