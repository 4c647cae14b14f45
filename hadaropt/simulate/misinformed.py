"""A scheduler that is told wrong iterations of the jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hadaropt.simulate.problem import Placement, RoundJob, RoundProblem
from hadaropt.simulate.view import QueuedJob, RoundView, Scheduler


class MisinformedScheduler:
    """Shows a scheduler the jobs as they are declared, while the engine runs the true ones.

    What a job has done is known. A job that has done all that was declared, and is not complete,
    has one iteration left as far as is known.

    Parameters
    ----------
    inner : Scheduler
        A new one.
    told : RoundProblem
        The problem as it is declared: as the true one, but for iterations and values.
    """

    def __init__(self, inner: Scheduler, told: RoundProblem) -> None:
        self._inner, self._told, self.name = inner, told, f"misinformed:{inner.name}"
        self.may_starve = bool(getattr(inner, "may_starve", False))
        self._arrived: dict[int, RoundJob] = {}
        self._seen = told.seen(self._arrived)

    def plan(self, view: RoundView) -> Mapping[int, Placement]:
        """Return what the scheduler plans for the jobs as they are declared."""
        queue = tuple(self._as_told(q) for q in view.queue)
        self._arrived.update((q.index, q.job) for q in queue)
        return self._inner.plan(RoundView(view.round, self._seen, queue, view.reports))

    def _as_told(self, q: QueuedJob) -> QueuedJob:
        told = self._told.jobs[q.index]
        done = q.job.iterations - q.remaining
        return replace(q, job=told, remaining=max(1, told.iterations - done))
