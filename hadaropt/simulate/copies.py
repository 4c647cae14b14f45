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
    done = [0] * len(speeds)
    for speed, copies in _by_speed(speeds):
        steps = math.floor(speed * seconds)
        for i in copies:
            done[i] = steps
    return tuple(done)


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
    groups = _by_speed(speeds)
    # At t = steps / sum(speeds) fewer than len(speeds) steps are missing.
    end = steps / sum((speed * len(copies) for speed, copies in groups), Fraction(0))
    done = [0] * len(speeds)
    coming = []
    for speed, copies in groups:
        each = math.floor(speed * end)
        for i in copies:
            done[i] = each
        coming.append(((each + 1) / speed, copies[0], speed, copies))
    missing = steps - sum(done)
    heapq.heapify(coming)
    while missing:
        end, first, speed, copies = coming[0]
        for i in copies[:missing]:
            done[i] += 1
        missing -= min(missing, len(copies))
        heapq.heapreplace(coming, (end + 1 / speed, first, speed, copies))
    return tuple(done), end


def _by_speed(speeds: Sequence[Fraction]) -> list[tuple[Fraction, list[int]]]:
    """Return the copies of each speed; equal speeds that are different objects may stand apart."""
    groups: dict[int, tuple[Fraction, list[int]]] = {}
    for i, speed in enumerate(speeds):
        groups.setdefault(id(speed), (speed, []))[1].append(i)
    return list(groups.values())
