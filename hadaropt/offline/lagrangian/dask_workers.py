"""The workers of a Dask cluster price the jobs of the dual; what a lost one held goes to others."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import numpy as np

from hadaropt.dask_cluster import connected
from hadaropt.errors import ClusterError
from hadaropt.mip.model import Ints
from hadaropt.offline.lagrangian.shard import LEAST_OPERATIONS, Pricing, Shard

TRIES = 3
"""So often an evaluation is begun anew after workers were lost, before it is made here."""
LOOK_SECONDS = 1.0
"""How often it is looked whether all workers are alive, while they are waited for."""
PATIENCE_SECONDS = 5.0
"""How long a cluster without workers is waited for: one that is restarted comes back."""
ANSWER_SECONDS = 60.0
"""How long all workers are waited for at the start, while they load what they need."""


class DaskWorkers:
    """Workers of a cluster.

    Parameters
    ----------
    client : distributed.Client
    left : callable
        () -> seconds left of the limit: no worker is waited for longer.
    """

    def __init__(self, client: Any, left: Callable[[], float] = lambda: math.inf) -> None:
        self._client, self._left = client, left

    def share(self, shard: Shard) -> Pricing:
        """Hand parts of the shard to all workers; return a function that lets them price."""
        if int(shard.operations().sum()) < LEAST_OPERATIONS:
            return shard.price
        return _Shared(self._client, shard, self._left)


class _Shared:
    """The parts of one shard, on the workers."""

    def __init__(self, client: Any, shard: Shard, left: Callable[[], float]) -> None:
        self._client, self._shard, self._left = client, shard, left
        self._held: dict[str, Any] = {}
        self._alone = False

    def __call__(self, units: Ints) -> tuple[int, Ints]:
        """Return what `Shard.price` returns."""
        trouble = "no worker is left"
        for _ in range(0 if self._alone else TRIES):
            try:
                if not self._held:
                    self._hand_out()
                if not self._held:
                    break
                return self._priced(units)
            except Exception as error:  # of Dask, of its transport, or memory of a worker
                self._held = {}
                if self._left() <= 0:
                    return self._shard.price(units)  # the last evaluation
                trouble = " ".join(f"{type(error).__name__}: {error}".split())
        if not self._alone:
            self._alone = True
            warnings.warn(
                f"the cluster prices no jobs ({trouble}); this process goes on alone",
                RuntimeWarning,
                stacklevel=2,
            )
        return self._shard.price(units)

    def _hand_out(self) -> None:
        """Give every worker a part; none is held where no worker comes back."""
        workers = _workers(self._client, PATIENCE_SECONDS)
        parts = self._shard.split(len(workers))
        for address, part in zip(workers, parts, strict=False):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # that a part is large
                self._held[address] = self._client.submit(
                    held_here, part, workers=[address], pure=False
                )

    def _priced(self, units: Ints) -> tuple[int, Ints]:
        futures = [
            self._client.submit(price_part, part, units, workers=[address], pure=False)
            for address, part in self._held.items()
        ]
        self._wait(futures)
        found = self._client.gather(futures)
        return sum(total for total, _ in found), np.sum([used for _, used in found], axis=0)

    def _wait(self, futures: list[Any]) -> None:
        """Wait for all; a part of a lost worker would be waited for without end."""
        from distributed import wait

        while True:
            try:
                with self._client.as_current():
                    wait(futures, timeout=LOOK_SECONDS)
                return
            except TimeoutError:
                lost = self._held.keys() - set(_workers(self._client, 0))
            if lost:
                raise ClusterError(f"workers are lost: {', '.join(sorted(lost))}")
            if self._left() <= 0:
                raise ClusterError("no answer within the limit of time")


def held_here(part: Shard) -> Shard:
    """Return a part on the worker that is to hold it; nobody waits for that."""
    return part


def price_part(part: Shard, units: Ints) -> tuple[int, Ints]:
    """Price a part on the worker that holds it."""
    total, used = part.price(units)
    return total, used.copy()


def facts_of_worker() -> tuple[str, str | None]:
    """Return the version of hadaropt, and what compiled kernels depend on."""
    from hadaropt.kernels.cache import source_key

    return version("hadaropt"), source_key()


def _workers(client: Any, patience: float) -> list[str]:
    """Return the addresses of all workers; wait for the first, but not longer than that."""
    end = time.monotonic() + patience
    while True:
        found = sorted(client.nthreads())
        if found or time.monotonic() >= end:
            return found
        time.sleep(0.1)


@contextmanager
def dask_workers(
    address: str, left: Callable[[], float] = lambda: math.inf
) -> Iterator[DaskWorkers]:
    """Provide the workers of the cluster at an address.

    Raises
    ------
    ClusterError
        If nobody answers there, there is no worker, a worker hangs, or has no hadaropt or another
        one.
    MissingExtraError
        If ``distributed`` is not installed.
    """
    with connected(address, "sweep") as client:
        if not _workers(client, PATIENCE_SECONDS):
            raise ClusterError(f"the Dask cluster at {address} has no worker")
        ours = facts_of_worker()
        try:
            found = client.run(facts_of_worker, callback_timeout=ANSWER_SECONDS)
        except TimeoutError:
            rule = f"do not all answer within {ANSWER_SECONDS:g} s: end those that hang"
            raise ClusterError(f"the workers at {address} {rule}") from None
        except Exception as error:
            what = " ".join(f"{type(error).__name__}: {error}".split())
            raise ClusterError(f"the workers at {address} cannot run hadaropt: {what}") from error
        for worker, theirs in sorted(found.items()):
            if theirs != ours:
                raise ClusterError(
                    f"worker {worker} runs hadaropt {theirs[0]}, kernels and Python {theirs[1]}; "
                    f"here are {ours[0]} and {ours[1]}: install the same on all"
                )
        yield DaskWorkers(client, left)


__all__ = ["DaskWorkers", "dask_workers", "facts_of_worker", "price_part"]
