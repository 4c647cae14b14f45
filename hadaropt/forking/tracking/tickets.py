"""What passes between the job tracker and whoever trains: tickets, verdicts, closed rounds."""

from __future__ import annotations

import enum
from typing import NamedTuple

from hadaropt.errors import shown


class Ticket(NamedTuple):
    """Names one copy for ever: no copy of another round or session has the same ticket."""

    job: str
    session: int
    round: int
    node: str

    @property
    def place(self) -> str:
        """Text for messages."""
        return f"jobs[{shown(self.job)}].rounds[{self.round}].copies[{shown(self.node)}]"


class Copy(NamedTuple):
    """A copy to be trained: the ticket to report with, and how many steps."""

    ticket: Ticket
    steps: int


class Verdict(enum.Enum):
    """What became of a report."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    """The same copy reported before; nothing changes."""
    LATE = "late"
    """The copy was given up, or its round closed; its steps are with others and do not count."""


class Closed(NamedTuple):
    """A closed round: the steps of each copy that counts, in order of node name.

    These are the weights of the consolidation. Without a copy that counts, the model stays.
    """

    round: int
    steps: dict[str, int]


class Book(NamedTuple):
    """What is settled of a job, for a checkpoint.

    ``speeds`` are measured, in steps per 10^6 s by node.
    """

    total: int
    done: int
    rounds: int
    speeds: dict[str, int]
