"""A scheduler that is told wrong lengths of jobs."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from hadaropt.simulate.problem import Placement, RoundJob, RoundProblem
from hadaropt.simulate.view import QueuedJob, RoundView, Scheduler


class Misinformed:
    """Tells a scheduler that job j has f_j Q_j iterations in all.

    f_j is drawn between 1 / factor and factor, evenly in its logarithm, by the name of the job. A
    job that has done all that it was said to have still has one iteration left.

    Parameters
    ----------
    inner : Scheduler
    problem : RoundProblem
        The true one.
    factor : float
        > 1.
    seed : int
    """

    def __init__(
        self, inner: Scheduler, problem: RoundProblem, factor: float, seed: int = 0
    ) -> None:
        self._inner, self.name = inner, f"misinformed:{inner.name}"
        self._told = replace(problem, jobs=tuple(_told(job, factor, seed) for job in problem.jobs))

    def plan(self, view: RoundView) -> Mapping[int, Placement]:
        queue = tuple(self._as_told(q) for q in view.queue)
        return self._inner.plan(RoundView(view.round, self._told, queue))

    def _as_told(self, q: QueuedJob) -> QueuedJob:
        told = self._told.jobs[q.index]
        done = q.job.iterations - q.remaining
        return replace(q, job=told, remaining=max(1, told.iterations - done))


def _told(job: RoundJob, factor: float, seed: int) -> RoundJob:
    wrong = Fraction(factor ** random.Random(f"{seed}/{job.name}").uniform(-1, 1))
    iterations, value = max(1, math.floor(job.iterations * wrong)), job.value
    # Values that are counted in iterations are as wrong as these.
    return replace(job, iterations=iterations, value=lambda f: value(f) * wrong)
