"""What a simulated run gave, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from hadaropt.frozen import FrozenDict
from hadaropt.schedule import Allocation, Schedule
from hadaropt.simulate.problem import Placement, RoundProblem


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a job.

    Attributes
    ----------
    instant : Fraction
        Seconds.
    kind : str
        ``arrive``, ``start``, ``resume``, ``move``, ``pause``, ``finish`` or ``unschedulable``.
    job : int
    placement : Placement
        What it holds from now on, for the kinds that give it GPUs.
    """

    instant: Fraction
    kind: str
    job: int
    placement: Placement


@dataclass(frozen=True, slots=True)
class RoundUse:
    """One job in one round.

    Attributes
    ----------
    round, job : int
    placement : Placement
    steps : int
        Iterations done.
    seconds : Fraction
        How long it held its GPUs, restart included.
    restarted : bool
        Whether the restart cost was charged.
    copy_steps : tuple of int
        Iterations done by each copy, in order of node; one entry for a job that is not forked.
    """

    round: int
    job: int
    placement: Placement
    steps: int
    seconds: Fraction
    restarted: bool
    copy_steps: tuple[int, ...]


@dataclass(frozen=True)
class SimulatedRun:
    """A run that has ended.

    Attributes
    ----------
    scheduler : str
    problem : RoundProblem
    finish : dict of int to Fraction
        Completion instant, inside the round, of each job that completes.
    start : dict of int to Fraction
        Instant at which a job first held GPUs.
    unschedulable : dict of int to str
        Jobs that never complete, each with the reason; jobs cut off by a horizon are not here.
    uses : tuple of RoundUse
    events : tuple of Event
        In order of time.
    """

    scheduler: str
    problem: RoundProblem
    finish: Mapping[int, Fraction]
    start: Mapping[int, Fraction]
    unschedulable: Mapping[int, str]
    uses: tuple[RoundUse, ...]
    events: tuple[Event, ...]

    def __post_init__(self) -> None:
        for name in ("finish", "start", "unschedulable"):
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))

    @cached_property
    def jct(self) -> Mapping[int, Fraction]:
        """Completion instant minus arrival of each completed job, in seconds."""
        jobs = self.problem.jobs
        return FrozenDict({j: end - jobs[j].arrival for j, end in self.finish.items()})

    def schedule(self) -> Schedule:
        """Return the rounds as a schedule (with restart costs, more rounds than it needs)."""
        jobs: list[list[Allocation]] = [[] for _ in self.problem.jobs]
        for use in self.uses:
            copies = len(use.copy_steps) > 1
            jobs[use.job].append(Allocation(use.round, use.placement, copies))
        return Schedule(tuple(tuple(rounds) for rounds in jobs))
