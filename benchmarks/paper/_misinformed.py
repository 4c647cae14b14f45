"""A scheduler that is told wrong lengths of jobs, or guesses instead of lengths."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from statistics import median

from hadaropt.simulate.misinformed import MisinformedScheduler
from hadaropt.simulate.problem import Placement, RoundJob, RoundProblem
from hadaropt.simulate.view import QueuedJob, RoundView, Scheduler

Tell = Callable[[RoundJob, int], Fraction]
"""(job, iterations done) -> iterations that it is said to have in all."""
TOLD = ("0.5 to 2", "half x 0.5", "half x 2", "half x 10", "median", "attained")
"""What may be told, as `telling` says it."""


def telling(rule: str, problem: RoundProblem, seed: int = 0) -> Tell:
    """Return what is told about lengths.

    Parameters
    ----------
    rule : str
        - ``LOW to HIGH``: Q_j f_j, f_j drawn between them evenly in its logarithm, by the name of
          the job;
        - ``half x F``: every second job, drawn by its name, has Q_j F, the others have Q_j;
        - ``median``: every job takes as long as the median job, each alone on its fastest type, so
          that lengths are not known but for that one number;
        - ``attained``: a job has as much left as it has done, and a round of work before its
          first: nothing is known.
    problem : RoundProblem
        The true one.
    seed : int
    """
    if rule == "median":
        usual = median(job.iterations / max(job.speed) for job in problem.jobs)
        return lambda job, _: usual * max(job.speed)
    if rule == "attained":
        return lambda job, done: max(2 * Fraction(done), max(job.speed) * problem.round_seconds)
    drawn, _, factor = rule.partition(" x ")
    if drawn == "half" and factor:
        wrong = Fraction(factor)
        return lambda job, _: (
            job.iterations * (wrong if _draw(job.name, seed) < 0.5 else Fraction(1))
        )
    low, _, high = rule.partition(" to ")
    if not high:
        raise ValueError(
            f"rule = {rule!r}, must be one of {', '.join(TOLD)}, or with other numbers"
        )
    first, ratio = float(low), float(high) / float(low)
    return lambda job, _: job.iterations * Fraction(first * ratio ** _draw(job.name, seed))


@cache
def _draw(name: str, seed: int) -> float:
    return random.Random(f"{seed}/{name}").random()


class Misinformed(MisinformedScheduler):
    """Tells a scheduler other lengths than the true ones, which may change with what is done.

    Parameters
    ----------
    inner : Scheduler
    problem : RoundProblem
        The true one.
    tell : Tell
    counted : bool
        Whether the values of jobs are counted in iterations, and so are as wrong as these.
    """

    def __init__(
        self, inner: Scheduler, problem: RoundProblem, tell: Tell, *, counted: bool
    ) -> None:
        super().__init__(inner, problem)
        self._tell, self._counted = tell, counted

    def plan(self, view: RoundView) -> Mapping[int, Placement]:
        known = {q.index: self._declared(q) for q in view.queue}
        if any(self._told.jobs[j] is not job for j, job in known.items()):
            jobs = tuple(known.get(j, job) for j, job in enumerate(self._told.jobs))
            self._told = replace(self._told, jobs=jobs)
        return super().plan(view)

    def _declared(self, q: QueuedJob) -> RoundJob:
        total = max(1, int(self._tell(q.job, q.job.iterations - q.remaining)))
        told = self._told.jobs[q.index]
        if told.iterations == total:
            return told
        told = replace(q.job, iterations=total)
        if not self._counted:
            return told
        value, wrong = q.job.value, Fraction(total, q.job.iterations)
        return replace(told, value=lambda f: value(f) * wrong)
