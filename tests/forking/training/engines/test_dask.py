"""What the engine makes of a scheduler that does not answer; real ones are in test_cluster."""

from __future__ import annotations

import pytest

from hadaropt.forking.tracking.tickets import Ticket
from hadaropt.forking.training.copies import Order, Report
from hadaropt.forking.training.engines import dask as dask_engine
from hadaropt.forking.training.engines.dask import DaskEngine
from hadaropt.forking.training.engines.engine import Lost
from tests.forking.training.toy import Slope

ORDER = Order(Slope(), Slope().initial(0), 5, (1,))
TICKET = Ticket("slope", 0, 0, "a")


class FakeFuture:
    def __init__(self):
        self.status, self.cancelled, self.outcome, self.tell = "pending", False, None, None

    def add_done_callback(self, tell):
        self.tell = tell

    def cancel(self):
        self.cancelled = True

    def end(self, status, outcome):
        self.status, self.outcome = status, outcome
        self.tell(self)

    def exception(self):
        return self.outcome

    def result(self, timeout):
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


class FakeClient:
    """One worker, ``a``; ``answers`` says whether the scheduler does."""

    class scheduler:  # noqa: N801
        identity = "identity"

    def __init__(self):
        self.status, self.answers, self.futures, self.asked = "running", True, [], []
        self.workers = {"tcp://1": {"name": "a", "resources": {"COPY": 1}}}

    def sync(self, what, n_workers, callback_timeout):
        assert (what, n_workers) == ("identity", -1)
        if not self.answers:
            raise TimeoutError
        return {"workers": self.workers}

    def submit(self, function, order, ticket, **options):
        self.asked.append(options)
        self.futures.append(FakeFuture())
        return self.futures[-1]


@pytest.fixture
def client():
    return FakeClient()


def started(client):
    engine = DaskEngine(client)
    engine.nodes()
    engine.start(TICKET, ORDER)
    return engine


def test_a_scheduler_that_does_not_answer_keeps_its_workers_for_a_while(client, monkeypatch):
    engine = DaskEngine(client)
    assert engine.nodes() == {"a": {"COPY": 1}}
    client.answers = False
    assert engine.nodes() == {"a": {"COPY": 1}}
    monkeypatch.setattr(dask_engine, "SILENCE_SECONDS", 0.0)
    assert engine.nodes() == {}


def test_a_closed_client_has_no_workers(client):
    engine = DaskEngine(client)
    engine.nodes()
    client.status = "connecting"
    assert engine.nodes() == {"a": {"COPY": 1}}
    client.status = "closed"
    assert engine.nodes() == {}


def test_a_copy_may_run_on_its_own_worker_only(client):
    started(client)
    (options,) = client.asked
    assert (options["workers"], options["allow_other_workers"]) == (["tcp://1"], False)
    assert options["resources"] == {"COPY": 1}


class KilledWorker(Exception):  # noqa: N818
    """As Dask names it."""


@pytest.mark.parametrize(
    ("status", "outcome", "reason", "by_node"),
    [
        ("error", ValueError("no torch"), "ValueError: no torch", False),
        ("error", KilledWorker("a"), "KilledWorker: a", True),
        ("cancelled", None, "the cluster let it go (cancelled)", True),
        ("finished", TimeoutError(), "its worker died before the result was fetched", True),
    ],
)
def test_how_copies_are_lost(client, status, outcome, reason, by_node):
    engine = started(client)
    client.futures[0].end(status, outcome)
    assert engine.finished(0.0) == [(TICKET, Lost(reason, by_node))]
    assert engine.finished(0.0) == []


def test_a_worker_that_came_back_elsewhere_has_lost_its_copy(client):
    engine = started(client)
    client.workers = {"tcp://2": {"name": "a", "resources": {}}}
    assert engine.finished(0.0) == [(TICKET, Lost("its worker is gone", by_node=True))]
    assert client.futures[0].cancelled


def test_a_report_comes_once_and_not_from_a_copy_that_was_forgotten(client):
    engine = started(client)
    report = Report(5, 1, 0.0, ORDER.state)
    client.futures[0].end("finished", report)
    assert engine.finished(0.0) == [(TICKET, report)]
    engine.start(TICKET, ORDER)
    engine.forget(TICKET)
    client.futures[1].end("finished", report)
    assert engine.finished(0.0) == []
