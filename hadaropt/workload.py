"""Workloads: a cluster and jobs with real arrival seconds, and how they become instances."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from hadaropt.errors import InstanceError, unknown_accelerator
from hadaropt.exact import to_non_negative
from hadaropt.instance import Cluster, Instance, Job, Parallelism, _check_names
from hadaropt.keywords import known_fields
from hadaropt.utility import EffectiveThroughput, Utility


@known_fields
@dataclass(frozen=True)
class WorkloadJob:
    """One job with its arrival in seconds.

    Parameters
    ----------
    name : str
    submit_seconds : number
        Arrival, >= 0.
    gang_size, iterations, throughput, spread_factor, max_copies
        As for `hadaropt.Job`.
    weight : number
        Importance in weighted objectives, >= 0.
    """

    name: str
    submit_seconds: Fraction
    gang_size: int
    iterations: int
    throughput: Mapping[str, Fraction]
    spread_factor: Fraction = Fraction(1)
    max_copies: int | None = None
    weight: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        store = object.__setattr__
        store(self, "submit_seconds", to_non_negative(self.submit_seconds, "submit_seconds"))
        store(self, "weight", to_non_negative(self.weight, "weight"))
        checked = self.to_job(0, EffectiveThroughput(1))
        for name in ("gang_size", "iterations", "throughput", "spread_factor", "max_copies"):
            store(self, name, getattr(checked, name))

    def to_job(self, release: int, utility: Utility) -> Job:
        """Return the slotted job."""
        return Job(
            self.name,
            release,
            self.gang_size,
            self.iterations,
            self.throughput,
            utility,
            self.spread_factor,
            self.max_copies,
        )


@known_fields
@dataclass(frozen=True)
class Workload:
    """A cluster plus jobs with real arrivals and no horizon: what a simulator runs.

    Parameters
    ----------
    cluster : Cluster
    jobs : sequence of WorkloadJob
    name : str
    """

    cluster: Cluster
    jobs: tuple[WorkloadJob, ...]
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "jobs", tuple(self.jobs))
        _check_names([job.name for job in self.jobs], "jobs[{}].name")
        known = self.cluster.accelerators
        for j, job in enumerate(self.jobs):
            for r in job.throughput:
                if r not in known:
                    rule = unknown_accelerator(r, known)
                    raise InstanceError(f"jobs[{j}].throughput.{r}", rule)

    def to_instance(
        self,
        *,
        round_seconds: Fraction | int | str = 360,
        num_rounds: int | None = None,
        utility: Utility | None = None,
        parallelism: Parallelism = "mixed",
        consolidation_seconds: Fraction | int | str = 0,
    ) -> Instance:
        """Return the slotted instance.

        release = ceil(submit / tau). Jobs are put in order of release (stable). Jobs that cannot
        finish stay. The default utility is ``EffectiveThroughput(1)``; the default ``num_rounds``
        is the round by which FIFO completes 95 % of the jobs that it can run (`fifo_horizon`).
        """
        tau = to_non_negative(round_seconds, "round_seconds")
        if tau == 0:
            raise InstanceError("round_seconds", "must be > 0", "0")
        value = EffectiveThroughput(1) if utility is None else utility
        jobs = sorted(
            (job.to_job(math.ceil(job.submit_seconds / tau), value) for job in self.jobs),
            key=lambda job: job.release,
        )
        consolidation = to_non_negative(consolidation_seconds, "consolidation_seconds")
        instance = Instance(
            self.cluster, tuple(jobs), 1, tau, parallelism, consolidation, self.name
        )
        rounds = fifo_horizon(instance) if num_rounds is None else num_rounds
        return replace(instance, num_rounds=rounds)

    def offered_load(self) -> dict[str, Fraction]:
        """Return, per type, work offered over work possible between first and last arrival.

        Each job is charged to its fastest type: W_j * Q_j / X_jr GPU-seconds against C_r times the
        arrival span. Empty when the span is 0.
        """
        arrivals = [job.submit_seconds for job in self.jobs]
        span = max(arrivals, default=Fraction(0)) - min(arrivals, default=Fraction(0))
        if span == 0:
            return {}
        demand = dict.fromkeys(self.cluster.accelerators, Fraction(0))
        for job in self.jobs:
            if job.throughput:
                fastest = max(job.throughput, key=lambda r: job.throughput[r])
                demand[fastest] += job.gang_size * job.iterations / job.throughput[fastest]
        capacity = self.cluster.gpus_by_type
        return {r: demand[r] / (capacity[r] * span) for r in demand if capacity[r] > 0}


def fifo_horizon(instance: Instance, share: Fraction = Fraction(95, 100)) -> int:
    """Return the number of rounds by which FIFO completes ``share`` of the jobs that it can run.

    FIFO here: in order of release, each job takes W_j GPUs of the one type on which it completes
    first and keeps them until it is done (non-preemptive, pooled over nodes). At least 1.
    """
    free = [[0] * count for count in instance.cluster.pooled_capacity]
    completion = []
    for j in sorted(range(len(instance.jobs)), key=lambda j: instance.jobs[j].release):
        job = instance.jobs[j]
        best: tuple[int, int] | None = None
        for r, gain in enumerate(instance.progress(j)):
            if gain > 0 and job.gang_size <= len(free[r]):
                start = max(job.release, heapq.nsmallest(job.gang_size, free[r])[-1])
                finish = start - (-job.iterations // gain)
                best = min(best or (finish, r), (finish, r))
        if best is not None:
            finish, r = best
            for _ in range(job.gang_size):
                heapq.heappop(free[r])
            for _ in range(job.gang_size):
                heapq.heappush(free[r], finish)
            completion.append(finish)
    if not completion:
        return 1
    return max(1, sorted(completion)[math.ceil(share * len(completion)) - 1])
