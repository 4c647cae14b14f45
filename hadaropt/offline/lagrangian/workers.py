"""Who prices the jobs of the dual: this thread or several; see also `dask_workers`.

Payoffs and uses are integers, and sums of integers do not depend on their order: whoever prices,
the dual has the same value and the same subgradient.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np

from hadaropt.mip.model import Ints
from hadaropt.offline.lagrangian.shard import LEAST_OPERATIONS, Pricing, Shard


class Workers(Protocol):
    """Who prices jobs."""

    def share(self, shard: Shard) -> Pricing:
        """Return a function that prices the jobs of a shard."""
        ...


class OneThread:
    """The thread that asks."""

    def share(self, shard: Shard) -> Pricing:
        """Return the pricing of the shard itself."""
        return shard.price


class Threads:
    """Threads of this process: kernels let go of the lock of the interpreter.

    Parameters
    ----------
    pool : ThreadPoolExecutor
    count : int
        Threads that price at once, with the one that asks.
    """

    def __init__(self, pool: ThreadPoolExecutor, count: int) -> None:
        self._pool, self._count = pool, count

    def share(self, shard: Shard) -> Pricing:
        """Return a function that prices parts of the shard at once."""
        if int(shard.operations().sum()) < LEAST_OPERATIONS:
            return shard.price
        return _Parts(self._pool, shard, shard.split(self._count))


class _Parts:
    """Parts of a shard that are priced at once."""

    def __init__(self, pool: ThreadPoolExecutor, whole: Shard, parts: list[Shard]) -> None:
        self._pool, self._whole, self._parts = pool, whole, parts
        self._compiled = False

    def __call__(self, units: Ints) -> tuple[int, Ints]:
        """Return what `Shard.price` returns."""
        if self._compiled:
            waiting = [self._pool.submit(part.price, units) for part in self._parts[1:]]
            found = [self._parts[0].price(units), *(future.result() for future in waiting)]
        else:  # the first call may compile: one after the other
            found = [part.price(units) for part in self._parts]
            self._compiled = True
        for part in self._parts:
            self._whole.take(part)
        return sum(total for total, _ in found), np.sum([used for _, used in found], axis=0)


__all__ = ["LEAST_OPERATIONS", "OneThread", "Pricing", "Threads", "Workers"]
