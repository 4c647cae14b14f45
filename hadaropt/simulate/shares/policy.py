"""Gavel's policies by name, with the memory that finish-time fairness needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hadaropt.errors import InstanceError, shown
from hadaropt.mip.model import Floats
from hadaropt.names import known_name
from hadaropt.simulate.shares.model import SOLVERS, ShareProblem, Shares, Solver
from hadaropt.simulate.shares.programs import (
    finish_time_fairness,
    max_min_fairness,
    max_sum_throughput,
    min_total_duration,
    min_total_duration_searched,
)
from hadaropt.simulate.shares.rules import fifo, isolated

Solve = Callable[[ShareProblem], Shares]

POLICIES: Mapping[str, Solve] = {
    "max_min_fairness": max_min_fairness,
    "max_min_fairness_perf": max_min_fairness,
    "max_sum_throughput_perf": max_sum_throughput,
    "min_total_duration": min_total_duration,
    "min_total_duration_perf": min_total_duration,
    "finish_time_fairness": finish_time_fairness,
    "finish_time_fairness_perf": finish_time_fairness,
    "isolated": isolated,
    "fifo_perf": fifo,
}
"""What each policy optimises; `BLIND` ones take every speed to be 1."""

BLIND = ("max_min_fairness", "min_total_duration", "finish_time_fairness")

BY_PRICES = (
    "max_min_fairness_perf",
    "max_sum_throughput_perf",
    "min_total_duration_perf",
    "finish_time_fairness_perf",
)
"""Policies with a program that column generation over prices solves too."""

SEARCHED = dict.fromkeys(
    ("min_total_duration", "min_total_duration_perf"), min_total_duration_searched
)


@dataclass(frozen=True)
class Candidate:
    """One job as a policy sees it.

    Attributes
    ----------
    key : int
        Identity of the job over the run.
    gang : int
    speed : sequence of float
        Steps per second of the whole gang by type.
    weight, remaining, age : float
        Priority, steps left, seconds since arrival.
    """

    key: int
    gang: int
    speed: Sequence[float]
    weight: float
    remaining: float
    age: float


class SharePolicy:
    """A named policy over the solves of one run.

    Parameters
    ----------
    name : str
        One of `POLICIES`.
    as_reference : bool
        Stop the search for the shortest duration where the reference stops (5 % early), and let
        `BLIND` policies count time on types where a job cannot run.

    solver : {"interior", "prices"}
        See `ShareProblem`. Optimal shares are not unique: an interior point spreads them over the
        jobs, column generation gives nearly every job the time of one or two types.

    Raises
    ------
    InstanceError
        If there is no policy or solver of this name.
    """

    def __init__(
        self, name: str, *, as_reference: bool = False, solver: Solver = "interior"
    ) -> None:
        name = known_name("policy", name, POLICIES)
        if solver not in SOLVERS:
            raise InstanceError("solver", f"must be one of {', '.join(SOLVERS)}", shown(solver))
        self.name = name
        self._solve = SEARCHED.get(name, POLICIES[name]) if as_reference else POLICIES[name]
        self._as_reference, self._solver = as_reference, solver
        self._speed_is_known = name not in BLIND
        self._weighs = name.startswith("max_min_fairness")
        self._isolated: dict[int, float] = {}
        self._last: dict[int, tuple[float, float]] = {}

    def shares(self, jobs: Sequence[Candidate], counts: Sequence[int]) -> dict[int, Floats]:
        """Return the share of time of each job on each type; 0 where it runs nowhere."""
        problem, able = self.problem(jobs, counts)
        zero = np.zeros(len(counts))
        x = self._solve(problem).x if able else np.zeros((0, len(counts)))
        found = {job.key: row for job, row in zip(able, x, strict=True)}
        return {job.key: found.get(job.key, zero) for job in jobs}

    def problem(
        self, jobs: Sequence[Candidate], counts: Sequence[int]
    ) -> tuple[ShareProblem, list[Candidate]]:
        """Return the program's data and the jobs in it: those that can run somewhere.

        Where shares are in proportion to weights, jobs of weight 0 are not in it either.

        Books what each job has done since the last call at its isolated speed of then.
        """
        there = np.array(counts, float) > 0
        able = [
            job
            for job in jobs
            if (np.array(job.speed, float)[there] > 0).any() and (job.weight or not self._weighs)
        ]
        speed = np.array([job.speed for job in able], float).reshape(len(able), len(counts))
        if not self._speed_is_known:
            speed = np.ones_like(speed) if self._as_reference else (speed > 0).astype(float)
        for job in able:
            if job.key in self._last:
                before, pace = self._last[job.key]
                spent = self._isolated.get(job.key, 0.0) + (before - job.remaining) / pace
                self._isolated[job.key] = spent
        problem = ShareProblem(
            np.array(counts, float),
            np.array([job.gang for job in able], float),
            speed * there,
            np.array([job.weight for job in able], float),
            np.array([job.remaining for job in able], float),
            np.array([job.age for job in able], float),
            np.array([self._isolated.get(job.key, 0.0) for job in able], float),
            self._solver,
        )
        self._last = {
            job.key: (job.remaining, float(pace))
            for job, pace in zip(able, problem.isolated_speed if able else (), strict=True)
        }
        return problem, able
