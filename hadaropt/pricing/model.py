"""What pricing knows of one job: its candidates, and their progress in units.

A candidate is a level (the slowest type that the gang uses), inside one node or over several. Its
progress in iterations is divided by the greatest common divisor of all, which is exact, or by a
larger quantum with rounding down (sufficient, for schedules) or up (necessary, for bounds).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from hadaropt.instance import Instance
from hadaropt.modes import Mode, by_progress, copy_modes, gang_modes, is_pooled, is_slowed

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


SpeedKey = tuple[tuple[Fraction, ...], Fraction, bool]
Known = dict[SpeedKey, tuple[Levels, Levels, tuple[int, ...], tuple[int, ...], tuple[int, ...]]]


def job_model(instance: Instance, j: int, known: Known) -> JobModel:
    """Return the model of job j; `known` keeps what jobs of equal speeds share."""
    job, copies, slowed = instance.jobs[j], instance.max_copies(j), is_slowed(instance, j)
    key = instance.throughput[j], job.spread_factor if slowed else Fraction(1), copies > 1
    if key not in known:
        alone = instance.progress(j)
        across = instance.progress(j, spread=True) if slowed else alone
        copied = instance.progress(j, copies=True)
        copy = _levels(instance, copy_modes(instance, j))
        known[key] = gang_levels(instance, j), copy, alone, across, copied
    speeds = known[key]
    return JobModel(
        is_pooled(instance, j), job.release, job.gang_size, job.iterations, copies, *speeds
    )


def gang_levels(instance: Instance, j: int) -> Levels:
    """Return the candidates of job j as one gang."""
    return _levels(instance, gang_modes(instance, j))


def _levels(instance: Instance, modes: Sequence[Mode]) -> Levels:
    """Return modes as arrays, by progress."""
    found = by_progress(modes)
    admitted = np.zeros((len(found), len(instance.cluster.accelerators)), np.bool_)
    for i, mode in enumerate(found):
        admitted[i, list(mode.types)] = True
    return Levels(
        tuple(mode.iterations for mode in found),
        admitted,
        np.array([mode.reach == "anywhere" for mode in found], np.bool_),
    )
