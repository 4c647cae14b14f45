"""Copies on the workers of a Dask cluster, one node per worker."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hadaropt.errors import MissingExtraError
from hadaropt.forking.tracking.tickets import Ticket
from hadaropt.forking.training.copies import Order, Report, run_copy
from hadaropt.forking.training.engines.engine import COPY, Lost, Outcome

TOPIC = "hadaropt-progress"
SILENCE_SECONDS = 15.0
"""A scheduler that does not answer for so long is taken for dead, and its workers with it."""
ANSWER_SECONDS = 5.0
_FETCH_SECONDS = 30.0


class _Started(NamedTuple):
    future: Any
    address: str


class DaskEngine:
    """Runs each copy as a task that only the worker of that node may take.

    A worker's name is its node's name. A worker with the resource ``COPY=1`` runs one copy at a
    time; ``SPEED=x`` is its relative speed before it is measured. The workers need hadaropt with
    the extra ``train``.

    Parameters
    ----------
    client : distributed.Client
    paces : mapping of str to float, optional
        Steps per second that a node is held back to: for demonstrations on one machine.
    on_progress : callable, optional
        Called with a ticket and the steps that its copy has made, from another thread.
    """

    def __init__(
        self,
        client: Any,
        *,
        paces: Mapping[str, float] | None = None,
        on_progress: Callable[[Ticket, int], None] | None = None,
    ) -> None:
        self._client = client
        self._paces = dict(paces or {})
        self._started: dict[Ticket, _Started] = {}
        self._ended: queue.SimpleQueue[Ticket] = queue.SimpleQueue()
        self._addresses: dict[str, str] = {}
        self._offers: dict[str, dict[str, float]] = {}
        self._heard = time.monotonic()
        if on_progress is not None:
            client.subscribe_topic(TOPIC, _teller(on_progress))

    def nodes(self) -> Mapping[str, Mapping[str, float]]:
        """Return the workers that the scheduler knows now.

        While it does not answer, those that it named last; none after some seconds of silence.
        """
        try:
            workers = workers_of(self._client)
        except (OSError, TimeoutError):
            closed = self._client.status in ("closing", "closed")  # it will not come back
            if not closed and time.monotonic() - self._heard < SILENCE_SECONDS:
                return self._offers
            workers = {}
        else:
            self._heard = time.monotonic()
        self._addresses = {str(facts["name"]): address for address, facts in workers.items()}
        self._offers = {str(facts["name"]): dict(facts["resources"]) for facts in workers.values()}
        return self._offers

    def start(self, ticket: Ticket, order: Order) -> None:
        """Submit a copy to its node's worker."""
        address = self._addresses[ticket.node]
        needs = {COPY: 1} if COPY in self._offers[ticket.node] else None
        future = self._client.submit(
            _on_worker,
            order._replace(pace=self._paces.get(ticket.node)),
            tuple(ticket),
            workers=[address],
            allow_other_workers=False,
            resources=needs,
            pure=False,
            retries=0,
        )
        self._started[ticket] = _Started(future, address)
        future.add_done_callback(lambda _: self._ended.put(ticket))

    def finished(self, timeout: float) -> list[tuple[Ticket, Outcome]]:
        """Return the copies that ended, and those whose worker is gone."""
        ended: list[tuple[Ticket, Outcome]] = []
        until = time.monotonic() + timeout
        while not ended:
            try:
                ticket = self._ended.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                break
            if ticket in self._started:  # not forgotten
                ended.append((ticket, self._outcome(ticket)))
        ended += self._orphans()
        return ended

    def forget(self, ticket: Ticket) -> None:
        """Cancel a copy; one that runs already runs on, and nobody hears of it."""
        started = self._started.pop(ticket, None)
        if started is not None:
            started.future.cancel()

    def _outcome(self, ticket: Ticket) -> Outcome:
        future = self._started.pop(ticket).future
        if future.status == "error":
            error = future.exception()
            killed = type(error).__name__ == "KilledWorker"
            return Lost(f"{type(error).__name__}: {error}", by_node=killed)
        if future.status != "finished":
            return Lost(f"the cluster let it go ({future.status})", by_node=True)
        try:
            report: Report = future.result(timeout=_FETCH_SECONDS)
        except (OSError, TimeoutError):
            # A worker that dies with the result in its memory leaves nobody to ask.
            future.cancel()
            return Lost("its worker died before the result was fetched", by_node=True)
        return report

    def _orphans(self) -> list[tuple[Ticket, Outcome]]:
        """Give up the copies of workers that are gone: no other worker may run them."""
        self.nodes()
        alive = set(self._addresses.values())
        gone = [ticket for ticket, own in self._started.items() if own.address not in alive]
        for ticket in gone:
            self.forget(ticket)
        return [(ticket, Lost("its worker is gone", by_node=True)) for ticket in gone]


def workers_of(client: Any) -> dict[str, dict[str, Any]]:
    """Return what the scheduler knows of each worker, by address.

    ``client.scheduler_info()`` will not do: it reads a field that a timer of the client overwrites
    with an answer that lists no workers.

    Raises
    ------
    OSError, TimeoutError
        If the scheduler does not answer.
    """
    if client.status != "running":
        raise ConnectionError(f"the client is {client.status}")
    answer = client.sync(client.scheduler.identity, n_workers=-1, callback_timeout=ANSWER_SECONDS)
    found: dict[str, dict[str, Any]] = answer["workers"]
    return found


def connect(address: str, timeout: float = 10.0) -> Any:
    """Return a client of the cluster at an address such as ``tcp://host:8786``.

    Raises
    ------
    MissingExtraError
        If distributed is not installed.
    OSError
        If nobody answers there in time.
    ValueError
        For an address that is none.
    """
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("train", "distributed") from None
    return Client(address, timeout=timeout, set_as_default=False)


def _on_worker(order: Order, ticket: tuple[str, int, int, str]) -> Report:
    """Run a copy on a worker, and tell its progress to whoever subscribed."""
    from distributed import get_worker

    worker = get_worker()

    def tell(steps: int) -> None:
        worker.log_event(TOPIC, {"ticket": list(ticket), "steps": steps})

    return run_copy(order, tell)


def _teller(on_progress: Callable[[Ticket, int], None]) -> Callable[[Any], None]:
    def heard(event: tuple[float, dict[str, Any]]) -> None:
        job, session, round, node = event[1]["ticket"]
        on_progress(Ticket(job, session, round, node), event[1]["steps"])

    return heard
