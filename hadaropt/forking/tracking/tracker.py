"""The job tracker: which copy trains which steps, and which steps count.

Integers only. A step counts when, and only when, the parameters that it changed enter the
consolidated model: at the close of its round, once. At every moment and for every job

    total = done + reported + outstanding + waiting,

where *reported* steps wait for their round to close, *outstanding* ones are with running copies and
*waiting* ones are with nobody. Whatever happens to a copy before the close (its node leaves, it
fails, its parameters are refused) returns its steps to *waiting*, to be forked again.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from hadaropt.errors import TrackerError, shown
from hadaropt.forking.tracking.tickets import Book, Closed, Copy, Ticket, Verdict

SPEED_UNIT = 1_000_000
"""Speeds are whole numbers of steps per 10^6 seconds."""
_NANOSECONDS = 1_000_000_000 * SPEED_UNIT


class _State(enum.Enum):
    RUNNING = enum.auto()
    REPORTED = enum.auto()
    GIVEN_UP = enum.auto()


@dataclass
class _Copy:
    issued: int
    state: _State = _State.RUNNING
    steps: int = 0


@dataclass
class _Job:
    total: int
    done: int = 0
    rounds: int = 0
    open: bool = False
    copies: dict[str, _Copy] = field(default_factory=dict)
    speeds: dict[str, int] = field(default_factory=dict)

    def sum_issued(self) -> int:
        return sum(c.issued for c in self.copies.values() if c.state is _State.RUNNING)

    def sum_reported(self) -> int:
        return sum(c.steps for c in self.copies.values() if c.state is _State.REPORTED)


class Tracker:
    """Keeps the books of forked jobs.

    Parameters
    ----------
    jobs : mapping of str to int
        Steps of each job, >= 1.

    Raises
    ------
    TrackerError
        For a job of less than one step.

    Examples
    --------
    >>> tracker = Tracker({"digits": 100})
    >>> tracker.join("fast"); tracker.join("slow")
    >>> fast, slow = tracker.fork("digits", {"fast": 60, "slow": 40})
    >>> tracker.report(fast.ticket, steps=60, nanoseconds=3_000_000_000).value
    'accepted'
    >>> tracker.leave("slow") == (slow.ticket,)
    True
    >>> tracker.report(slow.ticket, steps=40, nanoseconds=3_000_000_000).value
    'late'
    >>> tracker.close("digits")
    Closed(round=0, steps={'fast': 60})
    >>> tracker.remaining("digits"), tracker.speed("digits", "fast") // SPEED_UNIT
    (40, 20)
    """

    def __init__(self, jobs: Mapping[str, int]) -> None:
        for name, total in jobs.items():
            if total < 1:
                raise TrackerError(f"jobs[{shown(name)}].steps", "must be >= 1", shown(total))
        self._jobs = {name: _Job(total) for name, total in jobs.items()}
        self._nodes: dict[str, None] = {}
        self._session = 0

    # Facts

    @property
    def jobs(self) -> tuple[str, ...]:
        """Names of the jobs."""
        return tuple(self._jobs)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the nodes that are there, in order of joining."""
        return tuple(self._nodes)

    @property
    def session(self) -> int:
        """How often the books were reopened from a checkpoint."""
        return self._session

    def total(self, job: str) -> int:
        """Return the steps of a job."""
        return self._job(job).total

    def done(self, job: str) -> int:
        """Return the steps that count."""
        return self._job(job).done

    def remaining(self, job: str) -> int:
        """Return the steps that do not count yet: total - done."""
        own = self._job(job)
        return own.total - own.done

    def outstanding(self, job: str) -> int:
        """Return the steps that running copies hold."""
        return self._job(job).sum_issued()

    def waiting(self, job: str) -> int:
        """Return the steps that nobody holds, which can be forked."""
        own = self._job(job)
        return own.total - own.done - own.sum_issued() - own.sum_reported()

    def rounds(self, job: str) -> int:
        """Return how many rounds were closed."""
        return self._job(job).rounds

    def finished(self) -> bool:
        """Return whether every job is done."""
        return all(job.done == job.total for job in self._jobs.values())

    def running(self, job: str) -> tuple[Ticket, ...]:
        """Return the tickets of the running copies."""
        own = self._job(job)
        return tuple(
            self._ticket(job, node)
            for node, copy in own.copies.items()
            if copy.state is _State.RUNNING
        )

    def speed(self, job: str, node: str) -> int | None:
        """Return the measured speed in steps per 10^6 s; None before the first report."""
        return self._job(job).speeds.get(node)

    # Nodes

    def join(self, node: str) -> None:
        """Add a node.

        Raises
        ------
        TrackerError
            If it is there already.
        """
        if node in self._nodes:
            raise TrackerError("node", "must not be there already", shown(node))
        self._nodes[node] = None

    def leave(self, node: str) -> tuple[Ticket, ...]:
        """Remove a node and give up the copies that run on it.

        What a copy reported before counts; measured speeds are kept for its return.

        Raises
        ------
        TrackerError
            If the node is not there.
        """
        if node not in self._nodes:
            raise TrackerError("node", "must be there", shown(node))
        del self._nodes[node]
        lost = tuple(t for job in self._jobs for t in self.running(job) if t.node == node)
        for ticket in lost:
            self.give_up(ticket)
        return lost

    # Rounds

    def fork(self, job: str, steps: Mapping[str, int]) -> tuple[Copy, ...]:
        """Open a round of a job with one copy per node.

        Parameters
        ----------
        job : str
        steps : mapping of str to int
            Steps of the copy on each node, >= 1; in total at most ``waiting(job)``.

        Raises
        ------
        TrackerError
            If a round is open, a node is not there, or the steps break a rule. Nothing changes.
        """
        own = self._job(job)
        place = f"jobs[{shown(job)}]"
        if own.open:
            raise TrackerError(f"{place}.rounds[{own.rounds}]", "must be closed before a new one")
        if not steps:
            raise TrackerError(f"{place}.copies", "must be >= 1", "0")
        for node, share in steps.items():
            copy_place = f"{place}.copies[{shown(node)}]"
            if node not in self._nodes:
                raise TrackerError(copy_place, "must be on a node that is there")
            if share < 1:
                raise TrackerError(f"{copy_place}.steps", "must be >= 1", shown(share))
        if sum(steps.values()) > self.waiting(job):
            rule = f"must be <= {self.waiting(job)}, the steps that nobody holds"
            raise TrackerError(f"{place}.steps", rule, shown(sum(steps.values())))
        own.open = True
        own.copies = {node: _Copy(steps[node]) for node in sorted(steps)}
        return tuple(
            Copy(self._ticket(job, node), copy.issued) for node, copy in own.copies.items()
        )

    def report(self, ticket: Ticket, steps: int, nanoseconds: int) -> Verdict:
        """Take the report of a copy: how many steps it made, in what time.

        A copy may have made fewer steps than it was to make; the others wait again. An accepted
        report updates the measured speed v of the node: v := (v + new) / 2.

        Raises
        ------
        TrackerError
            For an unknown ticket, steps outside 1..issued, or a time < 1. Nothing changes.
        """
        copy = self._find(ticket)
        if copy is None or copy.state is _State.GIVEN_UP:
            return Verdict.LATE
        if copy.state is _State.REPORTED:
            return Verdict.DUPLICATE
        if not 1 <= steps <= copy.issued:
            rule = f"must be between 1 and {copy.issued}, the steps issued"
            raise TrackerError(f"{ticket.place}.steps", rule, shown(steps))
        if nanoseconds < 1:
            raise TrackerError(f"{ticket.place}.nanoseconds", "must be >= 1", shown(nanoseconds))
        copy.state, copy.steps = _State.REPORTED, steps
        speeds = self._jobs[ticket.job].speeds
        new = max(1, steps * _NANOSECONDS // nanoseconds)
        speeds[ticket.node] = (speeds.get(ticket.node, new) + new + 1) // 2
        return Verdict.ACCEPTED

    def give_up(self, ticket: Ticket) -> bool:
        """Give up a copy of an open round, running or reported; its steps wait again.

        Returns
        -------
        bool
            False if it was given up before or its round is closed: nothing changes.

        Raises
        ------
        TrackerError
            For a ticket that was never issued.
        """
        copy = self._find(ticket)
        if copy is None or copy.state is _State.GIVEN_UP:
            return False
        copy.state, copy.steps = _State.GIVEN_UP, 0
        return True

    def close(self, job: str) -> Closed:
        """Close the round: the reported steps count from now on.

        Raises
        ------
        TrackerError
            If no round is open, or a copy still runs.
        """
        own = self._job(job)
        place = f"jobs[{shown(job)}].rounds[{own.rounds}]"
        if not own.open:
            raise TrackerError(place, "must be open to be closed")
        if self.running(job):
            names = ", ".join(ticket.node for ticket in self.running(job))
            raise TrackerError(place, f"must have no running copy (there are: {names})")
        steps = {n: c.steps for n, c in own.copies.items() if c.state is _State.REPORTED}
        closed = Closed(own.rounds, steps)
        own.done += sum(steps.values())
        own.rounds += 1
        own.open = False
        own.copies = {}
        return closed

    # Checkpoints

    def books(self) -> dict[str, Book]:
        """Return what is settled of each job; an open round is not, as if never opened."""
        return {n: Book(j.total, j.done, j.rounds, {**j.speeds}) for n, j in self._jobs.items()}

    @classmethod
    def reopen(cls, session: int, books: Mapping[str, Book]) -> Tracker:
        """Return a tracker without nodes that goes on from what was settled.

        Reports with tickets of an earlier session are late.

        Parameters
        ----------
        session : int
            Must be above the session that wrote the books.
        books : mapping of str to Book
        """
        own = cls({name: book.total for name, book in books.items()})
        own._session = session
        for name, book in books.items():
            own._jobs[name] = _Job(book.total, book.done, book.rounds, speeds={**book.speeds})
        return own

    def _ticket(self, job: str, node: str) -> Ticket:
        return Ticket(job, self._session, self._jobs[job].rounds, node)

    def _job(self, job: str) -> _Job:
        if job not in self._jobs:
            raise TrackerError("job", f"must be one of {', '.join(self._jobs)}", shown(job))
        return self._jobs[job]

    def _find(self, ticket: Ticket) -> _Copy | None:
        """Return the copy; None if its round or session is over.

        Raises
        ------
        TrackerError
            For a ticket that was never issued.
        """
        own = self._job(ticket.job)
        if (ticket.session, ticket.round) < (self._session, own.rounds):
            return None
        now = own.open and (ticket.session, ticket.round) == (self._session, own.rounds)
        if not now or ticket.node not in own.copies:
            raise TrackerError(ticket.place, "must have been issued")
        return own.copies[ticket.node]
