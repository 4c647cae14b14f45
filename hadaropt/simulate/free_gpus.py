"""The free GPUs of a round's cluster, with nodes that have the same free GPUs kept together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush

from hadaropt.instance import Cluster
from hadaropt.simulate.problem import Placement

Row = tuple[int, ...]
"""Free GPUs of each type on one node, shape (R,)."""


class FreeGpus:
    """Free GPUs on nodes, (H, R), with the first node of every distinct row at hand.

    A cluster has few kinds of nodes, so a search looks at the distinct rows and not at the nodes:
    its time does not grow with the number of equal nodes.

    Parameters
    ----------
    cluster : Cluster
        All of it is free at first.

    Attributes
    ----------
    rows : list of tuple of int
        What is free on each node now.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.rows: list[Row] = list(cluster.capacity)
        # Heaps; a node that has moved on to another row is dropped when it comes to the top.
        self._groups = {row: list(nodes) for row, nodes in cluster.equal_nodes.items()}

    def take(self, placement: Placement, *, back: bool = False) -> None:
        """Take the GPUs of a placement; with ``back`` give them back."""
        for h, r, count in placement:
            row = self.rows[h]
            changed = (*row[:r], row[r] + (count if back else -count), *row[r + 1 :])
            self.rows[h] = changed
            heappush(self._groups.setdefault(changed, []), h)

    def first(self, key: Callable[[Row], int | None]) -> int | None:
        """Return the node of the least key, the first of equals; rows of key None are left out."""
        best: tuple[int, int] | None = None
        for row, h in self._heads():
            value = key(row)
            if value is not None and (best is None or (value, h) < best):
                best = (value, h)
        return None if best is None else best[1]

    def _heads(self) -> Iterator[tuple[Row, int]]:
        """Yield every distinct row with the first node that has it."""
        for row, nodes in self._groups.items():
            while nodes and self.rows[nodes[0]] != row:
                heappop(nodes)
            if nodes:
                yield row, nodes[0]
