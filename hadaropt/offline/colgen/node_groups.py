"""Equal nodes as one group, and whether gangs that stay on one node can be packed on its nodes.

Nodes of equal GPUs of one type are interchangeable. In a linear program of schedules, any solution
may be averaged over their permutations: so one price per group proves as much as one per node, and
the program does not grow with the number of equal nodes. What it says of whole gangs is that their
GPUs suffice; whether they can be packed is a bin packing problem, solved here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from hadaropt.instance import Instance
from hadaropt.mip.highs import HighsModel
from hadaropt.mip.model import Entries, linear_program

MAX_PATTERNS = 2000
"""Most ways to fill a node for which packing is decided by an integer program; beyond them, gangs
that are not packed at once pass for too many."""


def node_groups(instance: Instance, *, together: bool = True) -> tuple[tuple[int, ...], ...]:
    """Return the nodes of every group; each node alone if not together, or if jobs may fork.

    Examples
    --------
    >>> from hadaropt import Cluster, Instance
    >>> nodes = {"a": {"V100": 8}, "b": {"K80": 8}, "c": {"V100": 8}, "d": {"V100": 4}}
    >>> node_groups(Instance(Cluster.of(nodes), (), 9))
    ((0, 2), (1,), (3,))
    """
    rows = instance.cluster.capacity
    if not together or any(instance.max_copies(j) > 1 for j in range(len(instance.jobs))):
        return tuple((h,) for h in range(len(rows)))
    groups: dict[object, list[int]] = {}
    for h, row in enumerate(rows):
        alone = sum(count > 0 for count in row) > 1
        groups.setdefault((row, h if alone else -1), []).append(h)
    return tuple(map(tuple, groups.values()))


def pack(gangs: Sequence[int], nodes: int, room: int) -> list[int] | None:
    """Return the node (0, 1, ...) of every gang, or None if they do not fit.

    Largest first, into the fullest node with room; where that fails, by an integer program over
    the ways to fill a node.

    Parameters
    ----------
    gangs : sequence of int
        Sizes >= 1.
    nodes, room : int
        Number of nodes, and GPUs of each.

    Examples
    --------
    >>> pack([3, 3, 2, 2, 2], 2, 6), pack([4, 4, 4], 2, 6)
    ([0, 0, 1, 1, 1], None)
    """
    found = _best_fit(gangs, nodes, room)
    if found is not None or sum(gangs) > nodes * room or max(gangs, default=0) > room:
        return found
    fills = _fills(tuple(sorted(Counter(gangs).items())), nodes, room)
    if fills is None:
        return None
    places: dict[int, list[int]] = {}
    for h, fill in enumerate(fills):
        for size, many in fill:
            places.setdefault(size, []).extend([h] * many)
    return [places[size].pop() for size in gangs]


def _best_fit(gangs: Sequence[int], nodes: int, room: int) -> list[int] | None:
    left = [room] * nodes
    found = [-1] * len(gangs)
    for k in sorted(range(len(gangs)), key=lambda k: -gangs[k]):
        fits = [h for h in range(nodes) if left[h] >= gangs[k]]
        if not fits:
            return None
        found[k] = min(fits, key=lambda h: (left[h], h))
        left[found[k]] -= gangs[k]
    return found


@lru_cache(maxsize=4096)
def _fills(
    counts: tuple[tuple[int, int], ...], nodes: int, room: int
) -> list[tuple[tuple[int, int], ...]] | None:
    """Return how to fill the nodes, as (size, gangs) pairs for each, or None."""
    sizes = [size for size, _ in counts]
    patterns = _patterns(counts, room)
    if patterns is None:
        return None
    entries = Entries()
    for k in range(len(sizes)):
        column = np.array([pattern[k] for pattern in patterns])
        (some,) = column.nonzero()
        entries.add(np.full(len(some), k), some, column[some])
    entries.add(np.full(len(patterns), len(sizes)), np.arange(len(patterns)), 1)
    lower = np.array([*(many for _, many in counts), -np.inf], float)
    upper = np.array([np.inf] * len(sizes) + [nodes], float)
    whole = np.ones(len(patterns), np.bool_)
    cost = np.ones(len(patterns))
    box = np.zeros(len(patterns)), np.full(len(patterns), float(nodes))
    model = linear_program(cost, box, (lower, upper), entries, maximise=False)
    x = HighsModel(replace(model, integer=whole), background=False).run().x
    if x is None:
        return None
    left = dict(counts)
    fills = []
    for pattern, many in zip(patterns, np.rint(x).astype(int).tolist(), strict=True):
        for _ in range(many):
            fill = []
            for size, held in zip(sizes, pattern, strict=True):
                taken = min(held, left[size])
                left[size] -= taken
                fill.append((size, taken))
            fills.append(tuple(fill))
    return fills if len(fills) <= nodes and not any(left.values()) else None


def _patterns(counts: Sequence[tuple[int, int]], room: int) -> list[tuple[int, ...]] | None:
    """Return the ways to fill a node to which no gang can be added; None if they are too many."""
    smallest = min(size for size, _ in counts)
    open_ways: list[tuple[tuple[int, ...], int]] = [((), room)]
    for size, most in sorted(counts):
        open_ways = [
            ((*held, many), left - many * size)
            for held, left in open_ways
            for many in range(min(most, left // size) + 1)
        ]
        if len(open_ways) > 20 * MAX_PATTERNS:
            return None
    found = [
        held
        for held, left in open_ways
        if left < smallest
        or all(many == most or size > left for many, (size, most) in zip(held, counts, strict=True))
    ]
    return found if len(found) <= MAX_PATTERNS else None


__all__ = ["node_groups", "pack"]
