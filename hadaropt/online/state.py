"""What an online algorithm has sold so far: free GPUs per round, and placements on nodes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from hadaropt.instance import Instance
from hadaropt.modes import is_pooled
from hadaropt.pricing import PricedSchedule
from hadaropt.results import Pool
from hadaropt.schedule import Allocation

Ints = NDArray[np.int64]


class Occupancy:
    """Free GPUs of every round, on nodes and on types.

    Attributes
    ----------
    on_nodes : ndarray, shape (T, H, R)
    on_types : ndarray, shape (T, R)
    """

    def __init__(self, instance: Instance) -> None:
        cluster = instance.cluster
        shape = (len(cluster.nodes), len(cluster.accelerators))
        capacity = np.array(cluster.capacity, np.int64).reshape(shape)
        self.on_nodes: Ints = np.repeat(capacity[None], instance.num_rounds, axis=0)
        self.on_types: Ints = self.on_nodes.sum(axis=1)
        self._pooled = [is_pooled(instance, j) for j in range(len(instance.jobs))]

    def free(self, j: int, pool: Pool) -> Ints:
        """Return the free GPUs in the form that pricing job j needs: on types if it may."""
        return self.on_types if pool == "type" and self._pooled[j] else self.on_nodes

    def take(self, schedule: PricedSchedule) -> tuple[Allocation, ...]:
        """Take the GPUs of a schedule and return where they are.

        Units given by type only go to nodes in order of their index: any placement is feasible.
        """
        return tuple(
            self.place(choice.round, np.array(choice.use, np.int64), copies=choice.copies)
            for choice in schedule.rounds
        )

    def give_back(self, allocations: Iterable[Allocation]) -> None:
        """Free GPUs that were taken."""
        for allocation in allocations:
            for h, r, count in allocation.gpus:
                self.on_nodes[allocation.round, h, r] += count
                self.on_types[allocation.round, r] += count

    def place(self, t: int, held: Ints, *, copies: bool = False) -> Allocation:
        """Take GPUs of round t, given as (R,) or (H, R) counts, and return where they are."""
        free = self.on_nodes[t]
        if held.ndim == 1:
            before = np.cumsum(free, axis=0) - free
            held = np.clip(held[None] - before, 0, free)
        free -= held
        self.on_types[t] -= held.sum(axis=0)
        if free.min(initial=0) < 0:
            raise AssertionError(f"round {t} is oversold")
        places = tuple(
            (int(h), int(r), int(held[h, r])) for h, r in zip(*held.nonzero(), strict=True)
        )
        return Allocation(t, places, copies)
