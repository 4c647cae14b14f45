"""What pricing knows of one job: its candidates, and their progress in units.

A candidate is a level (the slowest type that the gang uses), inside one node or over several. Its
progress in iterations is divided by the greatest common divisor of all, which is exact, or by a
larger quantum with rounding down (sufficient, for schedules) or up (necessary, for bounds).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from hadaropt.instance import Instance

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Rounding = Literal["exact", "down", "up"]


@dataclass(frozen=True)
class Levels:
    """Candidates of a gang or of a copy, by non-decreasing progress.

    Attributes
    ----------
    progress : tuple of int
        Iterations in one round, >= 1.
    admitted : (L, R) bool
        Types that each candidate may use.
    spread : (L,) bool
        Whether the candidate may span nodes.
    """

    progress: tuple[int, ...]
    admitted: Bools
    spread: Bools


@dataclass(frozen=True)
class Units:
    """Progress in units of `quantum` iterations; `need` units or more complete the job."""

    quantum: int
    need: int
    gang: Ints
    copies: Ints


@dataclass(frozen=True)
class JobModel:
    """One job as the kernels see it.

    Attributes
    ----------
    pooled : bool
        Its units of a type are interchangeable across nodes: rho_j = 1 or W_j = 1, one copy.
    release, gang_size, iterations, max_copies : int
        a_j, W_j, Q_j, and the most copies in one round.
    gang, copy : Levels
        Candidates as one gang and as one of several copies (empty unless forked).
    alone, across, copied : tuple of int
        Iterations in one round by slowest type: inside a node, over nodes, as one of the copies.
    """

    pooled: bool
    release: int
    gang_size: int
    iterations: int
    max_copies: int
    gang: Levels
    copy: Levels
    alone: tuple[int, ...]
    across: tuple[int, ...]
    copied: tuple[int, ...]

    @cached_property
    def divisor(self) -> int:
        """Greatest common divisor of the progress of all candidates that take several rounds."""
        parts = [p for p in (*self.gang.progress, *self.copy.progress) if p < self.iterations]
        return math.gcd(*parts) or self.iterations

    def units(self, quantum: int, rounding: Rounding) -> Units:
        """Return the progress in units; ``exact`` requires a quantum that divides `divisor`."""
        need = -(-self.iterations // quantum)
        up = quantum - 1 if rounding == "up" else 0
        gang = to_units(self.gang.progress, self.iterations, quantum, up)
        copies = to_units(self.copy.progress, self.iterations, quantum, up)
        return Units(quantum, need, gang, copies)


def to_units(progress: tuple[int, ...], whole: int, quantum: int, up: int = 0) -> Ints:
    """Return non-decreasing progress in units of `quantum`, rounded down after adding `up`.

    What completes a job of `whole` iterations at once becomes its need and above, in the same
    order, however the numbers divide.
    """
    need = -(-whole // quantum)
    beyond = sorted({p for p in progress if p >= whole})
    rank = {p: need + i for i, p in enumerate(beyond)}
    return np.array([rank[p] if p >= whole else (p + up) // quantum for p in progress], np.int64)


def is_pooled(instance: Instance, j: int | None = None) -> bool:
    """Whether prices and capacity per type are exact, for job j or for all jobs.

    True iff no gang is slowed by spanning nodes (rho_j = 1 or W_j = 1) and none may run as copies;
    then a placement over types is always a placement on nodes.
    """
    if j is None:
        return all(is_pooled(instance, i) for i in range(len(instance.jobs)))
    job = instance.jobs[j]
    return (job.spread_factor == 1 or job.gang_size == 1) and instance.max_copies(j) < 2


SpeedKey = tuple[tuple[Fraction, ...], Fraction, bool]
Known = dict[SpeedKey, tuple[Levels, Levels, tuple[int, ...], tuple[int, ...], tuple[int, ...]]]


def job_model(instance: Instance, j: int, known: Known) -> JobModel:
    """Return the model of job j; `known` keeps what jobs of equal speeds share."""
    job, copies = instance.jobs[j], instance.max_copies(j)
    slowed = job.spread_factor != 1 and job.gang_size > 1
    key = instance.throughput[j], job.spread_factor if slowed else Fraction(1), copies > 1
    if key not in known:
        alone = instance.progress(j)
        across = instance.progress(j, spread=True) if slowed else alone
        copied = instance.progress(j, copies=True)
        # Without a slow-down the single-node candidates are special cases of the spread ones.
        gang = [(across, True), (alone, False)] if slowed else [(alone, True)]
        copy = [(copied, False)] if copies > 1 else []
        levels = job_levels(instance, j, gang), job_levels(instance, j, copy)
        known[key] = *levels, alone, across, copied
    speeds = known[key]
    return JobModel(
        is_pooled(instance, j), job.release, job.gang_size, job.iterations, copies, *speeds
    )


def job_levels(instance: Instance, j: int, parts: list[tuple[tuple[int, ...], bool]]) -> Levels:
    """Return the candidates of positive progress: by progress, then inside a node first, then type.

    `parts` holds pairs of progress by slowest type, (R,), and whether the gang may span nodes.
    """
    single = instance.parallelism == "single_type"
    types = len(instance.cluster.accelerators)
    found = sorted(
        (progress, spread, r)
        for row, spread in parts
        for r, progress in enumerate(row)
        if progress > 0
    )
    admitted = np.zeros((len(found), types), np.bool_)
    for i, (_, _, r) in enumerate(found):
        admitted[i, [r] if single else list(instance.admitted(j, r))] = True
    return Levels(
        tuple(progress for progress, _, _ in found),
        admitted,
        np.array([spread for _, spread, _ in found], np.bool_),
    )
