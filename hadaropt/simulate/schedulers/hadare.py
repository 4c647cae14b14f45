"""HadarE: in every round all unfinished jobs are forked and planned again.

Source: HadarE (arXiv 2503.10918). What is optimal, and where, is in `hadaropt.forking`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from hadaropt.forking.planning.fill import Request
from hadaropt.forking.planning.planner import Objective, plan_round
from hadaropt.forking.planning.problem import ForkJob, ForkProblem
from hadaropt.forking.planning.speeds import SpeedBook
from hadaropt.simulate.copies import copies_of
from hadaropt.simulate.problem import Placement
from hadaropt.simulate.standstill import without_standstill
from hadaropt.simulate.view import QueuedJob, RoundView

FirstSpeeds = Callable[[QueuedJob], tuple[Fraction, ...]]


class HadarE:
    """Forks every job into copies on different nodes.

    Parameters
    ----------
    objective : {"jct", "makespan", "utility"}
        See `hadaropt.forking.planning.planner.plan_round`.
    first_speeds : callable, optional
        Speeds of a job by type before it has run, shape (R,); from its first round on, measured
        speeds take their place (`SpeedBook`). Without it the scheduler knows the speeds.
    probes : int
        Copies in a round whose purpose is to measure a job on a type where it has not run yet; an
        estimate that is far too low would otherwise never be tried.
    """

    def __init__(
        self,
        objective: Objective = "jct",
        *,
        first_speeds: FirstSpeeds | None = None,
        probes: int = 1,
    ) -> None:
        self.name = "hadare" if objective == "jct" else f"hadare:{objective}"
        self._objective: Objective = objective
        self._first, self._probes = first_speeds, probes
        self._book = SpeedBook()
        self._jobs: dict[int, ForkJob] = {}

    def plan(self, view: RoundView) -> dict[int, Placement]:
        """Return what each job that runs in this round holds."""
        if self._first is not None:
            self._measure(view)
        problem = view.problem
        jobs = tuple(self._job(q, view) for q in view.queue)
        fork = ForkProblem(
            problem.cluster,
            jobs,
            problem.round_seconds,
            problem.consolidation_seconds,
            problem.mixing,
        )
        held = {i: q.held for i, q in enumerate(view.queue) if q.held is not None}
        first = self._wanted(view) if self._first is not None else []
        plan = plan_round(fork, self._objective, held, first)
        placed = {view.queue[i].index: place for i, place in plan.placements.items()}
        return without_standstill(view, placed)

    def _job(self, q: QueuedJob, view: RoundView) -> ForkJob:
        job, now = q.job, view.round
        if self._first is not None or q.index not in self._jobs:
            speed = job.speed if self._first is None else self._book.speeds(q.index)
            self._jobs[q.index] = ForkJob(
                job.name,
                job.gang_size,
                q.remaining,
                speed,
                job.max_copies,
                job.spread_factor,
                job.weight,
            )
        return self._jobs[q.index].later(q.remaining, lambda d: job.value(now + d - 1))

    def _wanted(self, view: RoundView) -> list[Request]:
        """Return the measurements to be made in this round."""
        found = []
        for i, q in enumerate(view.queue):
            for r in self._book.unmeasured(q.index):
                rows = enumerate(view.problem.cluster.capacity)
                nodes = tuple(h for h, row in rows if row[r] >= q.job.gang_size)
                if nodes:
                    found.append(Request(i, r, nodes, 1))
                    break
        return found[: self._probes]

    def _measure(self, view: RoundView) -> None:
        """Book what the copies of the last round did, by the slowest type of each."""
        problem = view.problem
        for q in view.queue:
            if q.index not in self._book and self._first is not None:
                self._book.open(q.index, self._first(q))
        for use in view.reports:
            if use.job not in self._book:
                continue
            lost = problem.restart_seconds if use.restarted else Fraction(0)
            if len(use.copy_steps) > 1:
                lost += problem.consolidation_seconds
            trained = use.seconds - lost
            gangs = copies_of(use.placement, problem.jobs[use.job].gang_size)
            for gang, steps in zip(gangs, use.copy_steps, strict=True):
                if trained > 0:
                    factor = Fraction(1)
                    if len({h for h, _, _ in gang}) > 1:
                        factor = problem.jobs[use.job].spread_factor
                    types = {r for _, r, _ in gang}
                    self._book.measure(use.job, types, steps / (trained * factor))
