"""What runs copies: the interface, and an engine in this process with simulated speeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from hadaropt.errors import HadaroptError
from hadaropt.forking.tracking.tickets import Ticket
from hadaropt.forking.training.copies import Order, Report, run_copy

COPY, SPEED = "COPY", "SPEED"
"""Resources of a node: how many copies it may run at once, and its speed before it is measured,
relative to the others. Any other name is what a job may require (`TrainingJob.requires`)."""


class Lost(NamedTuple):
    """The copy is gone with its worker, or failed; ``by_node`` says which of the two."""

    reason: str
    by_node: bool


Outcome = Report | Lost


class Engine(Protocol):
    """Runs copies on nodes."""

    def nodes(self) -> Mapping[str, Mapping[str, float]]:
        """Return the nodes that are there now, with their resources."""
        ...

    def start(self, ticket: Ticket, order: Order) -> None:
        """Start a copy on ``ticket.node``; what becomes of it is told by `finished`."""
        ...

    def finished(self, timeout: float) -> list[tuple[Ticket, Outcome]]:
        """Return what ended since the last call, waiting at most ``timeout`` seconds for it."""
        ...

    def forget(self, ticket: Ticket) -> None:
        """Stop a copy if that is possible; its outcome is of no interest any more."""
        ...


class SimulatedNodes:
    """Trains the copies one after another in this process, by a simulated clock.

    Parameters
    ----------
    speeds : mapping of str to int
        Steps per second of each node, >= 1. The time reported is steps / speed exactly, so plans
        do not depend on this machine.

    Attributes
    ----------
    nanoseconds : int
        The simulated clock: each call of `finished` adds the longest of the times it returns.
    """

    def __init__(self, speeds: Mapping[str, int]) -> None:
        self.speeds = dict(speeds)
        self.nanoseconds = 0
        self._started: list[tuple[Ticket, Order]] = []

    def nodes(self) -> Mapping[str, Mapping[str, float]]:
        """Return the nodes; their speed is known beforehand."""
        return {node: {COPY: 1, SPEED: speed} for node, speed in self.speeds.items()}

    def start(self, ticket: Ticket, order: Order) -> None:
        """Note the order; it is carried out by `finished`."""
        self._started.append((ticket, order._replace(pace=None, stop_after=None)))

    def finished(self, timeout: float) -> list[tuple[Ticket, Outcome]]:
        """Train all that was started; ``timeout`` does not matter."""
        started, self._started = self._started, []
        ended: list[tuple[Ticket, Outcome]] = []
        longest = 0
        for ticket, order in started:
            try:
                report = run_copy(order)
            except HadaroptError as error:
                ended.append((ticket, Lost(str(error), by_node=False)))
                continue
            taken = report.steps * 1_000_000_000 // self.speeds[ticket.node]
            longest = max(longest, taken)
            ended.append((ticket, report._replace(nanoseconds=max(1, taken))))
        self.nanoseconds += longest
        return ended

    def forget(self, ticket: Ticket) -> None:
        """Drop the order if it was not carried out."""
        self._started = [(own, order) for own, order in self._started if own != ticket]
