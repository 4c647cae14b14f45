"""Gangs kept on one node without variables of nodes: rows for gang sizes that divide each other.

If every node holds one type, and the sizes of the gangs that may be kept together divide each
other (1, 2, 4, 8), then a set of them fits the nodes of a type iff for each size s

    sum of W over the gangs of size W >= s  <=  s * sum_h floor(c_h / s):

placed from the largest down, each leaves whole places for all smaller ones. The GPUs left over
serve any other gang, so Hall's rows over all gangs say the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from hadaropt.instance import Instance

Row = tuple[int, int, int]
"""Type r, size s, and the GPUs that gangs of at least this size may hold."""


def single_node_sizes(instance: Instance) -> tuple[int, ...]:
    """Return the sizes of the gangs that are slowed when they span nodes, increasing."""
    return tuple(
        sorted({j.gang_size for j in instance.jobs if j.gang_size > 1 and j.spread_factor < 1})
    )


def divisible_is_exact(instance: Instance) -> bool:
    """Return whether the rows of this module say exactly which gangs fit together.

    Examples
    --------
    >>> from hadaropt import Cluster, Instance, Job
    >>> from hadaropt.utility import Linear
    >>> cluster = Cluster.of({"n0": {"V100": 4}, "n1": {"V100": 4}})
    >>> jobs = [Job(f"j{w}", 0, w, 9, {"V100": 1}, Linear(3, 1), "1/2") for w in (2, 4, 6)]
    >>> divisible_is_exact(Instance(cluster, jobs[:2], 9)), divisible_is_exact(
    ...     Instance(cluster, jobs, 9))
    (True, False)
    """
    if any(instance.max_copies(j) > 1 for j in range(len(instance.jobs))):
        return False
    if any(sum(count > 0 for count in row) > 1 for row in instance.cluster.capacity):
        return False
    return all(large % small == 0 for small, large in pairwise(single_node_sizes(instance)))


def single_node_rows(instance: Instance) -> list[Row]:
    """Return the rows of one round, where they say more than the capacity of the type."""
    rows = []
    for r, total in enumerate(instance.cluster.pooled_capacity):
        for s in single_node_sizes(instance):
            limit = sum(row[r] // s for row in instance.cluster.capacity) * s
            if 0 < limit < total:
                rows.append((r, s, limit))
    return rows


def pack_on_single_nodes(
    free: Sequence[Sequence[int]], gangs: Mapping[int, tuple[int, int]]
) -> dict[int, int] | None:
    """Return the node of every gang (job -> type and size), or None if one does not fit.

    Largest first, into the first node with room: exact where sizes divide each other.
    """
    left = [list(row) for row in free]
    nodes: dict[int, int] = {}
    for j, (r, size) in sorted(gangs.items(), key=lambda item: -item[1][1]):
        node = next((h for h, row in enumerate(left) if row[r] >= size), None)
        if node is None:
            return None
        left[node][r] -= size
        nodes[j] = node
    return nodes
