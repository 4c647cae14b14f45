"""A scheduler that is told wrong lengths of jobs, each by a factor of its own."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

from hadaropt.simulate.misinformed import MisinformedScheduler
from hadaropt.simulate.problem import RoundJob, RoundProblem
from hadaropt.simulate.view import Scheduler


class Misinformed(MisinformedScheduler):
    """Tells a scheduler that job j has f_j Q_j iterations in all.

    f_j is drawn between 1 / factor and factor, evenly in its logarithm, by the name of the job.

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
        told = tuple(_told(job, factor, seed) for job in problem.jobs)
        super().__init__(inner, replace(problem, jobs=told))


def _told(job: RoundJob, factor: float, seed: int) -> RoundJob:
    wrong = Fraction(factor ** random.Random(f"{seed}/{job.name}").uniform(-1, 1))
    iterations, value = max(1, math.floor(job.iterations * wrong)), job.value
    # Values that are counted in iterations are as wrong as these.
    return replace(job, iterations=iterations, value=lambda f: value(f) * wrong)
