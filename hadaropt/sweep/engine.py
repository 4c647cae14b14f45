"""The sweep: what is stored is not computed, what fails is a row, what needs waits."""

from __future__ import annotations

import collections
import importlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any, Protocol

from hadaropt import dask_cluster
from hadaropt.errors import ClusterError, MissingExtraError, SweepError
from hadaropt.interrupts import held, held_while_workers_start
from hadaropt.sweep.runner import TRIES, Call, Runner, run_on_worker
from hadaropt.sweep.sources import source_hash
from hadaropt.sweep.store import Store
from hadaropt.sweep.task import Outcome, Task

ASK_SECONDS = 10.0
"""How often a cluster is asked for the number of its threads."""
CLOSE_SECONDS = 30.0
AHEAD = 2
"""Tasks at a time for each thread of a cluster: one that runs, and the next."""
Needed = Mapping[str, object] | None


class _Executor(Protocol):
    def start(self, task: Task, needed: Needed) -> None: ...
    def finished(self) -> Iterator[tuple[Task, Outcome]]: ...
    def close(self) -> None: ...


def sweep(
    tasks: Iterable[Task],
    store: Store,
    *,
    workers: int = 1,
    dask: str | None = None,
    warm: Call | None = None,
) -> Iterator[tuple[Task, Outcome]]:
    """Yield every task with its outcome: those stored first, then the others as they finish.

    An outcome is stored before it is yielded. With one worker and no cluster, tasks run one after
    another without Dask.

    Parameters
    ----------
    tasks : iterable of Task
        A task stands after the one that it needs.
    store : Store
    workers : int
        Local processes.
    dask : str, optional
        Address of a cluster to use instead.
    warm : (function, payload), optional
        What each new process calls first, outside of all limits, to compile kernels.

    Raises
    ------
    SweepError
        If no cluster answers at the address.
    OSError
        If the disk of the store is full.
    MissingExtraError
        If Dask is needed and not installed.
    """
    waiting: dict[str, list[Task]] = collections.defaultdict(list)
    ready: list[tuple[Task, Needed]] = []
    known: dict[str, Outcome] = {}
    for task in tasks:
        stored = store.get(task.key)
        if stored is not None:
            known[task.key] = stored
            yield task, stored
        elif task.needs is None:
            ready.append((task, None))
        elif task.needs not in known:
            waiting[task.needs].append(task)
        elif known[task.needs].status == "done":
            ready.append((task, known[task.needs].result))
        else:
            yield task, _skip(task, known[task.needs], store)
    del known
    if not ready:
        return
    executor = _executor(workers, dask, warm)
    try:
        for task, needed in ready:
            executor.start(task, needed)
        for task, outcome in executor.finished():
            store.put(task, outcome)
            for other in waiting.pop(task.key, ()):
                if outcome.status == "done":
                    executor.start(other, _for_others(outcome))
                else:
                    yield other, _skip(other, outcome, store)
            yield task, outcome
    finally:
        executor.close()


def _for_others(outcome: Outcome) -> Needed:
    """Return a result as the store would give it back: without its certificate."""
    assert outcome.result is not None
    return {key: value for key, value in outcome.result.items() if key != "certificate"}


def _skip(task: Task, cause: Outcome, store: Store) -> Outcome:
    outcome = Outcome("skipped", f"what it needs failed ({cause.status}): {cause.reason}")
    store.put(task, outcome)
    return outcome


def _executor(workers: int, dask: str | None, warm: Call | None) -> _Executor:
    if workers == 1 and dask is None:
        return _Serial(warm)
    return _Dask(workers, dask, warm)


class _Serial:
    """One child of this process; what has just become possible comes first."""

    def __init__(self, warm: Call | None) -> None:
        self._tasks: collections.deque[tuple[Task, Needed]] = collections.deque()
        self._next: list[tuple[Task, Needed]] = []
        self._runner = Runner(warm)

    def start(self, task: Task, needed: Needed) -> None:
        (self._tasks if needed is None else self._next).append((task, needed))

    def finished(self) -> Iterator[tuple[Task, Outcome]]:
        while self._tasks or self._next:
            task, needed = self._next.pop(0) if self._next else self._tasks.popleft()
            yield task, self._runner.run(task, needed, source_hash())

    def close(self) -> None:
        self._runner.close()


class _Dask:
    """Local worker processes under Dask's nannies, or a cluster that exists."""

    def __init__(self, workers: int, address: str | None, warm: Call | None) -> None:
        try:
            with held():
                distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise MissingExtraError("sweep", "distributed") from None
        self._warm, self._cluster = warm, None
        self._client: Any = None
        self._tasks: dict[Any, tuple[Task, Needed, int]] = {}
        config = importlib.import_module("dask").config
        config.set({"distributed.scheduler.allowed-failures": 0})  # retries are ours to count
        if address is None:
            with closing(Runner(warm)) as first:  # into the cache on disk, once for all workers
                first.warm_up()
            # Also for workers that replace a dead one: not the folder one works in.
            os.environ.setdefault("PYTHONSAFEPATH", "1")
            try:
                with held_while_workers_start():
                    self._cluster = distributed.LocalCluster(
                        n_workers=workers,
                        threads_per_worker=1,
                        processes=True,
                        dashboard_address=":0",
                        silence_logs="CRITICAL",
                        preload=["hadaropt.sweep.preload"],
                    )
                    self._client = distributed.Client(
                        self._cluster, timeout=dask_cluster.CONNECT_SECONDS
                    )
            except BaseException:
                self.close()
                raise
        else:
            try:
                self._client = dask_cluster.connect(address, "sweep", default=True)
            except ClusterError as bad:
                raise SweepError(str(bad)) from None
        self._waiting: collections.deque[tuple[Task, Needed]] = collections.deque()
        self._suspects: collections.deque[tuple[Task, Needed, int]] = collections.deque()
        self._done = distributed.as_completed()
        self._threads, self._asked = 1, -ASK_SECONDS

    def start(self, task: Task, needed: Needed) -> None:
        if needed is None:
            self._waiting.append((task, needed))
        else:  # finish an instance before the next is begun
            self._waiting.appendleft((task, needed))

    def _submit(self) -> None:
        """Hand over so much that no thread waits: what is in a worker's queue dies with it."""
        if time.monotonic() - self._asked > ASK_SECONDS:
            self._threads = max(1, sum(self._client.nthreads().values()))
            self._asked = time.monotonic()
        while self._waiting and len(self._tasks) < AHEAD * self._threads:
            self._hand_over(*self._waiting.popleft(), 1)
        if self._suspects and not self._tasks:  # alone: no other can be blamed for its death
            self._hand_over(*self._suspects.popleft())

    def _hand_over(self, task: Task, needed: Needed, tries: int) -> None:
        arguments = (task, needed, source_hash(), self._warm)
        key = f"{task.key}-{tries}"
        future = self._client.submit(run_on_worker, *arguments, key=key, pure=False)
        self._tasks[future] = (task, needed, tries)
        self._done.add(future)

    def finished(self) -> Iterator[tuple[Task, Outcome]]:
        self._submit()
        while self._tasks:
            future = next(self._done)
            task, needed, tries = self._tasks.pop(future)
            error = future.exception()
            died = type(error).__name__ == "KilledWorker"
            if died and tries < TRIES and self._cluster is not None:
                self._suspects.append((task, needed, tries + 1))
            elif died:
                ours = f"its worker died, {tries} times"
                reason = str(error) if self._cluster is None else ours
                yield task, Outcome("crash", reason, detail=str(error), tries=tries)
            elif error is not None:  # of the cluster: what a cell raises is in its outcome
                what = " ".join(f"{type(error).__name__}: {error}".split())
                raise SweepError(f"the cluster cannot run cells: {what}")
            else:
                outcome = future.result()
                yield task, replace(outcome, tries=outcome.tries + tries - 1)
            future.release()
            self._submit()

    @held()
    def close(self) -> None:
        with suppress(Exception):  # the cluster may be gone already
            if self._cluster is None:
                self._client.cancel(list(self._tasks))
            self._client.close(timeout=5)
        if self._cluster is not None:
            with suppress(TimeoutError):  # a worker that is being restarted; it ends with us
                self._cluster.close(timeout=CLOSE_SECONDS)
