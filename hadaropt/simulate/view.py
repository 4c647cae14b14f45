"""What a scheduler sees at the start of a round, and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from hadaropt.simulate.problem import Placement, RoundJob, RoundProblem
from hadaropt.simulate.result import RoundUse


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job that has arrived and is not complete.

    Attributes
    ----------
    index : int
        Index of the job in the problem.
    job : RoundJob
    remaining : int
        Iterations left, >= 1.
    idle_since : Fraction
        When it last stopped running (its arrival, if it never ran).
    held : Placement or None
        What it held in the round before.
    rounds, gpu_rounds : int
        Rounds in which it held GPUs, and GPUs held over all of them together. They are whole: a job
        that ends inside a round is in no queue any more.
    """

    index: int
    job: RoundJob
    remaining: int
    idle_since: Fraction
    held: Placement | None = None
    rounds: int = 0
    gpu_rounds: int = 0


@dataclass(frozen=True)
class RoundView:
    """The start of a round: never the future.

    Attributes
    ----------
    round : int
    problem : RoundProblem
        The cluster, and the jobs that have arrived: the others are not in it.
    queue : tuple of QueuedJob
        In order of (arrival, index).
    reports : tuple of RoundUse
        What the jobs did in the last round that was run.
    """

    round: int
    problem: RoundProblem
    queue: tuple[QueuedJob, ...]
    reports: tuple[RoundUse, ...] = ()

    @property
    def now(self) -> Fraction:
        """The instant, in seconds."""
        return self.round * self.problem.round_seconds

    @property
    def held(self) -> dict[int, Placement]:
        """What jobs held in the round before."""
        return {q.index: q.held for q in self.queue if q.held is not None}


class Scheduler(Protocol):
    """A round-based scheduler; it may remember rounds, so each run needs a new one.

    Every job that could run alone on the cluster completes under it, unless it has an attribute
    ``may_starve`` that is true. `hadaropt.simulate.standstill.without_standstill` makes that so.
    """

    @property
    def name(self) -> str:
        """The name by which it is chosen."""

    def plan(self, view: RoundView) -> Mapping[int, Placement]:
        """Return what each job that runs in this round holds."""
