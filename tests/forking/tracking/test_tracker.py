"""Whatever happens in whatever order, each step counts once."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hadaropt.errors import TrackerError
from hadaropt.forking import Ticket, Tracker, Verdict, split_steps
from hadaropt.forking.tracking.checkpoint import read_tracker_document, tracker_document

JOBS = {"a": 7, "b": 40}
NODES = ("n0", "n1", "n2", "n3")


class Books(RuleBasedStateMachine):
    """The tracker beside a ledger that only lists what was consolidated.

    The ledger knows nothing of states: an entry is made from what a close returns, and compared
    with what the machine itself reported.
    """

    def __init__(self):
        super().__init__()
        self.tracker = Tracker(JOBS)
        self.issued: dict[Ticket, int] = {}
        self.reported: dict[Ticket, int] = {}
        self.dead: set[Ticket] = set()
        self.counted: dict[Ticket, int] = {}
        self.open: dict[str, tuple[Ticket, ...]] = {}

    def living(self, job):
        return [t for t in self.open.get(job, ()) if t not in self.dead]

    @rule(node=st.sampled_from(NODES))
    def join(self, node):
        if node in self.tracker.nodes:
            with pytest.raises(TrackerError, match="must not be there"):
                self.tracker.join(node)
        else:
            self.tracker.join(node)

    @rule(node=st.sampled_from(NODES))
    def leave(self, node):
        if node not in self.tracker.nodes:
            with pytest.raises(TrackerError, match="must be there"):
                self.tracker.leave(node)
            return
        lost = self.tracker.leave(node)
        mine = {
            t
            for job in self.open
            for t in self.living(job)
            if t.node == node and t not in self.reported
        }
        assert set(lost) == mine
        self.dead |= mine

    @rule(job=st.sampled_from(list(JOBS)), data=st.data())
    def fork(self, job, data):
        nodes = self.tracker.nodes
        waiting = self.tracker.waiting(job)
        if job in self.open or not nodes or waiting == 0:
            with pytest.raises(TrackerError):
                self.tracker.fork(job, dict.fromkeys(nodes, 1))
            return
        chosen = data.draw(st.lists(st.sampled_from(nodes), min_size=1, unique=True))
        speeds = {node: data.draw(st.integers(1, 5)) for node in chosen}
        shares = split_steps(data.draw(st.integers(1, waiting)), speeds)
        copies = self.tracker.fork(job, {n: s for n, s in shares.items() if s})
        assert not {c.ticket for c in copies} & set(self.issued)
        self.issued |= {c.ticket: c.steps for c in copies}
        self.open[job] = tuple(c.ticket for c in copies)

    @precondition(lambda self: self.issued)
    @rule(data=st.data())
    def report(self, data):
        """Any ticket that was ever issued: on time, twice, late, from an earlier session."""
        ticket = data.draw(st.sampled_from(sorted(self.issued)))
        steps = data.draw(st.integers(1, self.issued[ticket]))
        verdict = self.tracker.report(ticket, steps, data.draw(st.integers(1, 10**10)))
        if ticket not in self.open.get(ticket.job, ()) or ticket in self.dead:
            assert verdict is Verdict.LATE
        elif ticket in self.reported:
            assert verdict is Verdict.DUPLICATE
        else:
            assert verdict is Verdict.ACCEPTED
            self.reported[ticket] = steps

    @precondition(lambda self: any(self.living(job) for job in JOBS))
    @rule(data=st.data(), excess=st.integers(1, 3), low=st.booleans())
    def report_too_much_or_nothing(self, data, excess, low):
        ticket = data.draw(st.sampled_from([t for job in JOBS for t in self.living(job)]))
        if ticket not in self.reported:
            steps = 1 - excess if low else self.issued[ticket] + excess
            with pytest.raises(TrackerError, match="must be between 1 and"):
                self.tracker.report(ticket, steps, 1)

    @precondition(lambda self: self.issued)
    @rule(data=st.data())
    def give_up(self, data):
        ticket = data.draw(st.sampled_from(sorted(self.issued)))
        lives = ticket in self.living(ticket.job)
        assert self.tracker.give_up(ticket) == lives
        if lives:
            self.dead.add(ticket)
            self.reported.pop(ticket, None)

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def close(self, data):
        job = data.draw(st.sampled_from(sorted(self.open)))
        if any(t not in self.reported for t in self.living(job)):
            with pytest.raises(TrackerError, match="no running copy"):
                self.tracker.close(job)
            return
        closed = self.tracker.close(job)
        expected = {t.node: self.reported[t] for t in self.living(job)}
        assert closed.steps == expected
        assert list(closed.steps) == sorted(closed.steps)
        for ticket in self.living(job):
            assert ticket not in self.counted
            self.counted[ticket] = closed.steps[ticket.node]
        del self.open[job]

    @rule()
    def restart(self):
        """What was not closed is lost; whoever still trains is late."""
        self.tracker = read_tracker_document(tracker_document(self.tracker))
        self.open = {}
        assert self.tracker.nodes == ()

    @invariant()
    def every_step_is_in_one_place(self):
        for job, total in JOBS.items():
            own = self.tracker
            done = sum(s for t, s in self.counted.items() if t.job == job)
            running = [t for t in self.living(job) if t not in self.reported]
            reported = sum(self.reported[t] for t in self.living(job) if t in self.reported)
            assert own.done(job) == done <= total == own.total(job)
            assert own.outstanding(job) == sum(self.issued[t] for t in running)
            assert set(own.running(job)) == set(running)
            assert own.waiting(job) == total - done - own.outstanding(job) - reported >= 0
            assert own.remaining(job) == total - done

    def teardown(self):
        """From wherever it stands, training can be finished, and the count is exact."""
        own = self.tracker
        if not own.nodes:
            own.join(NODES[0])
        for job in JOBS:
            for ticket in own.running(job):
                own.give_up(ticket)
            if job in self.open:
                own.close(job)
            if own.remaining(job):
                (copy,) = own.fork(job, {own.nodes[0]: own.remaining(job)})
                own.report(copy.ticket, copy.steps, 1)
                own.close(job)
            assert own.done(job) == JOBS[job]
        assert own.finished()


Books.TestCase.settings = settings(max_examples=50, stateful_step_count=40, deadline=None)
TestBooks = Books.TestCase


def forked(**steps: int):
    tracker = Tracker({"a": 100})
    for node in steps:
        tracker.join(node)
    return tracker, {copy.ticket.node: copy.ticket for copy in tracker.fork("a", steps)}


def test_a_node_that_comes_back_does_not_bring_its_old_copy():
    tracker, tickets = forked(n0=60, n1=40)
    assert tracker.leave("n1") == (tickets["n1"],)
    tracker.join("n1")
    assert tracker.report(tickets["n1"], 40, 1) is Verdict.LATE
    assert tracker.report(tickets["n0"], 60, 1) is Verdict.ACCEPTED
    assert tracker.close("a").steps == {"n0": 60}
    assert tracker.waiting("a") == 40


def test_what_a_node_reported_before_it_left_counts():
    tracker, tickets = forked(n0=60, n1=40)
    tracker.report(tickets["n1"], 40, 1)
    assert tracker.leave("n1") == ()
    tracker.give_up(tickets["n0"])
    assert tracker.close("a").steps == {"n1": 40}


def test_a_round_in_which_every_copy_fails_changes_nothing_but_its_number():
    tracker, tickets = forked(n0=60)
    tracker.give_up(tickets["n0"])
    assert tracker.close("a") == (0, {})
    assert (tracker.done("a"), tracker.rounds("a"), tracker.waiting("a")) == (0, 1, 100)


def test_the_measured_speed_replaces_and_smooths():
    tracker, tickets = forked(n0=60)
    assert tracker.speed("a", "n0") is None
    tracker.report(tickets["n0"], 60, 2_000_000_000)
    assert tracker.speed("a", "n0") == 30_000_000
    tracker.close("a")
    (copy,) = tracker.fork("a", {"n0": 40})
    tracker.report(copy.ticket, 40, 4_000_000_000)
    assert tracker.speed("a", "n0") == 20_000_000


def test_a_refused_fork_changes_nothing():
    tracker = Tracker({"a": 10})
    tracker.join("n0")
    bad = [
        ({}, 'jobs["a"].copies = 0, must be >= 1'),
        ({"n9": 1}, 'jobs["a"].copies["n9"], must be on a node that is there'),
        ({"n0": 0}, 'jobs["a"].copies["n0"].steps = 0, must be >= 1'),
        ({"n0": 11}, 'jobs["a"].steps = 11, must be <= 10, the steps that nobody holds'),
    ]
    for steps, message in bad:
        with pytest.raises(TrackerError) as error:
            tracker.fork("a", steps)
        assert str(error.value) == message
    assert tracker.waiting("a") == 10
    assert tracker.fork("a", {"n0": 10})[0].steps == 10


def test_tickets_that_were_never_issued_are_errors():
    tracker, tickets = forked(n0=60)
    real = tickets["n0"]
    for ticket in (real._replace(node="n9"), real._replace(round=1), real._replace(session=1)):
        with pytest.raises(TrackerError, match="must have been issued"):
            tracker.report(ticket, 1, 1)
        with pytest.raises(TrackerError, match="must have been issued"):
            tracker.give_up(ticket)
    with pytest.raises(TrackerError, match=r'job = "b", must be one of a'):
        tracker.report(real._replace(job="b"), 1, 1)
    with pytest.raises(TrackerError, match=r"nanoseconds = 0, must be >= 1"):
        tracker.report(real, 1, 0)
    with pytest.raises(TrackerError, match=r'jobs\["a"\].steps = 0, must be >= 1'):
        Tracker({"a": 0})
