"""What a run of the reference gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hadaropt.frozen import FrozenDict
from hadaropt.simulate.schedulers.gavel_reference.inputs import ReferenceJob
from hadaropt.simulate.schedulers.gavel_reference.mechanism import Mechanism, RoundPick


@dataclass(frozen=True)
class ReferenceRun:
    """A finished run; jobs that are neither finished nor dropped have starved.

    Attributes
    ----------
    jobs : tuple of ReferenceJob
        In order of arrival; the keys of `finish` and `dropped` index it.
    finish : dict of int to float
        Instant at which each completed job finished.
    dropped : dict of int to float
        Instant at which a job was given up after five failures in a row.
    picks : tuple of RoundPick
    makespan_s : float
        Final clock, counted from 0.
    utilization : float
        Mean over GPUs of busy time / final clock, as the reference counts it (idle gaps included).
    rounds, policy_solves : int
    """

    jobs: tuple[ReferenceJob, ...]
    finish: Mapping[int, float]
    dropped: Mapping[int, float]
    picks: tuple[RoundPick, ...]
    makespan_s: float
    utilization: float
    rounds: int
    policy_solves: int

    def __post_init__(self) -> None:
        for name in ("finish", "dropped"):
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))

    @classmethod
    def of(cls, ended: Mechanism) -> ReferenceRun:
        """Return the facts of a mechanism that has run."""
        shares = [busy / ended.now if ended.now > 0 else 0.0 for busy in ended.busy]
        return cls(
            ended.jobs,
            dict(sorted(ended.finish.items())),
            dict(sorted(ended.dropped.items())),
            tuple(ended.picks),
            ended.now,
            float(np.mean(shares)) if shares else 0.0,
            ended.rounds,
            ended.solves,
        )

    @cached_property
    def jct_s(self) -> dict[int, float]:
        """Finish minus arrival of each completed job, in seconds."""
        return {job: finish - self.jobs[job].arrival for job, finish in self.finish.items()}

    @property
    def avg_jct_s(self) -> float | None:
        """Mean JCT over the completed jobs; None if there is none."""
        return float(np.mean(list(self.jct_s.values()))) if self.jct_s else None

    @property
    def waiting(self) -> tuple[int, ...]:
        """Jobs that neither completed nor were dropped: they never get to run."""
        ended = self.finish.keys() | self.dropped.keys()
        return tuple(job for job in range(len(self.jobs)) if job not in ended)
