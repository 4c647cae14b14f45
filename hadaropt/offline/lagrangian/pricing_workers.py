"""Threads or a cluster, as the options of a solve say, for as long as it takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from hadaropt.errors import shown
from hadaropt.exact import MAX_THREADS
from hadaropt.offline.lagrangian.dask_workers import dask_workers
from hadaropt.offline.lagrangian.workers import OneThread, Threads, Workers


def check_threads(threads: object) -> None:
    """Check a number of threads, or None.

    Raises
    ------
    ValueError
        If it is out of range.
    """
    if threads is not None and (type(threads) is not int or not 1 <= threads <= MAX_THREADS):
        rule = f"must be an integer >= 1 and <= {MAX_THREADS}"
        raise ValueError(f"threads = {shown(threads)}, {rule}")


@contextmanager
def pricing_workers(
    threads: int | None, dask: str | None, left: Callable[[], float] = lambda: math.inf
) -> Iterator[Workers]:
    """Provide who prices the jobs of a solve.

    Parameters
    ----------
    threads : int, optional
        Of this process, 1 to `MAX_THREADS`.
    dask : str, optional
        Address of a Dask cluster to use instead.
    left : callable
        () -> seconds left of the limit: no cluster is waited for longer.

    Raises
    ------
    ValueError
        If ``threads`` is out of range, or both are given.
    ClusterError
        If no cluster answers, it has no worker, or its workers have another hadaropt.
    """
    check_threads(threads)
    if dask is not None:
        if threads is not None:
            raise ValueError("threads and dask: one of them, the workers have their own threads")
        with dask_workers(dask, left) as workers:
            yield workers
    elif threads is None or threads == 1:
        yield OneThread()
    else:
        with ThreadPoolExecutor(threads - 1, "pricing") as pool:
            yield Threads(pool, threads)


__all__ = ["check_threads", "pricing_workers"]
