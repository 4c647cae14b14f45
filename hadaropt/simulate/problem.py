"""What a round simulator runs: a workload or an instance, on one grid of rounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Literal, cast, get_args, overload

from hadaropt.errors import InstanceError
from hadaropt.exact import Exact, to_non_negative, to_text
from hadaropt.instance import Cluster, Instance
from hadaropt.names import known_name
from hadaropt.utility import Utility
from hadaropt.workload import Workload, WorkloadJob

Objective = Literal["effective_throughput", "slowdown", "jct"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)

Placement = tuple[tuple[int, int, int], ...]
"""GPUs held in one round: (node, type, count), ascending, counts >= 1.

W_j in all: one gang. k W_j in all with W_j on each of k >= 2 nodes: k copies of a forked job.
"""


@dataclass(frozen=True)
class PerRound:
    """The value at_once / d of completing after d rounds.

    Attributes
    ----------
    at_once : Fraction
        Value of completing in the first round, >= 0.
    release : int
    """

    at_once: Fraction
    release: int

    def __call__(self, f: int) -> Fraction:
        """Return the value of completing in round f."""
        return self.at_once / (f - self.release + 1)


@dataclass(frozen=True)
class UntilHorizon:
    """The value of a job of an instance: its utility, and 0 from the horizon on.

    Attributes
    ----------
    utility : Utility
    release, iterations : int
    round_seconds : Fraction
    horizon : int
    """

    utility: Utility
    release: int
    iterations: int
    round_seconds: Fraction
    horizon: int

    def __call__(self, f: int) -> Fraction:
        """Return the value of completing in round f."""
        if f >= self.horizon:
            return Fraction(0)
        return self.utility.value(f - self.release + 1, self.iterations, self.round_seconds)


@dataclass(frozen=True)
class RoundJob:
    """One job.

    Attributes
    ----------
    name : str
    arrival : Fraction
        Seconds.
    release : int
        First round that starts at or after the arrival.
    gang_size, iterations : int
    speed : tuple of Fraction, shape (R,)
        Iterations per second of the whole gang when r is the slowest type used; 0: cannot run.
    spread_factor : Fraction
        Multiplier on the speed of a gang that spans nodes.
    weight : Fraction
    value : callable
        Value of completing in a given round, >= 0, non-increasing.
    max_copies : int
        Most copies at a time; 1: cannot be forked.
    """

    name: str
    arrival: Fraction
    release: int
    gang_size: int
    iterations: int
    speed: tuple[Fraction, ...]
    spread_factor: Fraction
    weight: Fraction
    value: Callable[[int], Fraction]
    max_copies: int = 1


class ArrivedJobs(Sequence[RoundJob]):
    """The jobs that have arrived, by their index in the whole problem.

    Looking up any other raises IndexError: it is not there. Iteration is over those that are.

    Parameters
    ----------
    jobs : mapping of int to RoundJob
        May grow.
    """

    def __init__(self, jobs: Mapping[int, RoundJob]) -> None:
        self._jobs = MappingProxyType(jobs)

    @overload
    def __getitem__(self, index: int) -> RoundJob: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RoundJob]: ...
    def __getitem__(self, index: int | slice) -> RoundJob | Sequence[RoundJob]:
        if isinstance(index, slice):
            raise TypeError("jobs that have arrived are looked up one by one")
        if index not in self._jobs:
            raise IndexError(f"no job {index} has arrived")
        return self._jobs[index]

    def __iter__(self) -> Iterator[RoundJob]:
        return iter(self._jobs.values())

    def __len__(self) -> int:
        return len(self._jobs)


@dataclass(frozen=True)
class RoundProblem:
    """Jobs on a cluster in rounds [t tau, (t + 1) tau), t = 0, 1, ...

    Attributes
    ----------
    cluster : Cluster
    jobs : sequence of RoundJob
        All of them; those that have arrived, in what a scheduler sees.
    round_seconds : Fraction
        tau, > 0.
    restart_seconds : Fraction
        Lost at the start of each round in which a job runs with an allocation that it did not
        hold in the round before; less than tau.
    horizon : int or None
        Number of rounds, if the simulation ends there.
    mixing : bool
        Whether a gang may mix types.
    consolidation_seconds : Fraction
        Lost by each copy in a round in which a job runs as two or more.
    """

    cluster: Cluster
    jobs: Sequence[RoundJob]
    round_seconds: Fraction
    restart_seconds: Fraction = Fraction(0)
    horizon: int | None = None
    mixing: bool = True
    consolidation_seconds: Fraction = Fraction(0)
    _per_round: dict[tuple[int, bool], tuple[int, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _most: dict[tuple[int, ...], int] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _usable: dict[int, tuple[bool, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def of_workload(
        cls,
        workload: Workload,
        *,
        round_seconds: Exact = 360,
        restart_seconds: Exact = 0,
        mixing: bool = True,
        objective: Objective = "effective_throughput",
        consolidation_seconds: Exact = 0,
    ) -> RoundProblem:
        """Return the problem of a workload.

        A job that completes after d rounds is worth, times its weight, Q_j / (d tau) under
        ``effective_throughput``, Q_j / (max_r X_jr d tau) under ``slowdown``, and 1 / d under
        ``jct``. Iterations of different models do not compare: the first favours models with many
        short ones, the last the jobs that can complete soonest.

        Raises
        ------
        InstanceError
            If the round is not > 0, the restart or the consolidation is not in [0, tau), or there
            is no such objective.
        """
        tau = to_non_negative(round_seconds, "round_seconds")
        restart = to_non_negative(restart_seconds, "restart_seconds")
        consolidation = to_non_negative(consolidation_seconds, "consolidation_seconds")
        if tau == 0:
            raise InstanceError("round_seconds", "must be > 0", "0")
        for name, lost in (("restart", restart), ("consolidation", consolidation)):
            if lost >= tau:
                rule = f"must be less than round_seconds = {to_text(tau)}"
                raise InstanceError(f"{name}_seconds", rule, to_text(lost))
        valued = cast(Objective, known_name("objective", objective, OBJECTIVES))
        jobs = tuple(_of_workload_job(job, tau, workload.cluster, valued) for job in workload.jobs)
        return cls(workload.cluster, jobs, tau, restart, None, mixing, consolidation)

    @classmethod
    def of_instance(cls, instance: Instance) -> RoundProblem:
        """Return the problem of an instance: its horizon, its utilities, no restart cost."""
        tau = instance.round_seconds
        jobs = tuple(
            RoundJob(
                job.name,
                job.release * tau,
                job.release,
                job.gang_size,
                job.iterations,
                instance.throughput[j],
                job.spread_factor,
                Fraction(1),
                UntilHorizon(job.utility, job.release, job.iterations, tau, instance.num_rounds),
                instance.max_copies(j),
            )
            for j, job in enumerate(instance.jobs)
        )
        mixing = instance.parallelism != "single_type"
        forked = instance.parallelism == "forked"
        lost = min(instance.consolidation_seconds, tau) if forked else Fraction(0)
        return cls(instance.cluster, jobs, tau, Fraction(0), instance.num_rounds, mixing, lost)

    def seen(self, jobs: Mapping[int, RoundJob]) -> RoundProblem:
        """Return the problem with these jobs only, by their index; the mapping may grow."""
        return replace(self, jobs=ArrivedJobs(jobs))

    def speed(self, j: int, placement: Placement) -> Fraction:
        """Return iterations per second: the slowest type used, slower again over nodes."""
        job = self.jobs[j]
        if len(placement) == 1:
            return job.speed[placement[0][1]]
        slowest = min(job.speed[r] for _, r, _ in placement)
        spans = len({h for h, _, _ in placement}) > 1
        return slowest * job.spread_factor if spans else slowest

    def per_round(self, j: int, *, spread: bool = False) -> tuple[int, ...]:
        """Return the iterations of one whole round by slowest type, shape (R,)."""
        key = (j, spread)
        if key not in self._per_round:
            job = self.jobs[j]
            factor = self.round_seconds * (job.spread_factor if spread else 1)
            self._per_round[key] = tuple(math.floor(x * factor) for x in job.speed)
        return self._per_round[key]

    def usable(self, j: int) -> tuple[bool, ...]:
        """Return on which types alone the gang makes at least one iteration in a round."""
        if j not in self._usable:
            gang = self.jobs[j].gang_size
            self._usable[j] = tuple(
                gang <= count and self.per_round(j, spread=self._widest((r,)) < gang)[r] > 0
                for r, count in enumerate(self.cluster.pooled_capacity)
            )
        return self._usable[j]

    def unschedulable(self, j: int) -> str | None:
        """Return why job j could not run even alone on the cluster, in words, or None."""
        job = self.jobs[j]
        if not any(job.speed):
            return "its throughput is zero on every type"
        counts = self.cluster.pooled_capacity
        open_to = [c if x > 0 else 0 for c, x in zip(counts, job.speed, strict=True)]
        most = sum(open_to) if self.mixing else max(open_to)
        if job.gang_size > most:
            return f"its gang of {job.gang_size} exceeds the {most} GPUs that it could hold at once"
        if not any(self.gain(j, r) and self._fits(j, r) for r in range(len(counts))):
            return "it makes less than one iteration in a round"
        return None

    def gain(self, j: int, r: int) -> int:
        """Return the iterations of a round when r is the slowest type.

        On one node where one can take the gang from the types that are as fast, else over nodes.
        """
        spread = self._widest(tuple(self.admitted(j, r))) < self.jobs[j].gang_size
        return self.per_round(j, spread=spread)[r]

    def _widest(self, types: tuple[int, ...]) -> int:
        """Return the GPUs of some types on the node that has most of them."""
        if types not in self._most:
            self._most[types] = max(sum(row[q] for q in types) for row in self.cluster.equal_nodes)
        return self._most[types]

    def admitted(self, j: int, r: int) -> list[int]:
        """Return the types that a gang may use whose slowest type is r."""
        speed = self.jobs[j].speed
        return [q for q, x in enumerate(speed) if x >= speed[r]] if self.mixing else [r]

    def _fits(self, j: int, r: int) -> bool:
        pooled = self.cluster.pooled_capacity
        return self.jobs[j].gang_size <= sum(pooled[q] for q in self.admitted(j, r))


def _of_workload_job(
    job: WorkloadJob, tau: Fraction, cluster: Cluster, objective: Objective
) -> RoundJob:
    nodes = len(cluster.nodes)
    release = math.ceil(job.submit_seconds / tau)
    at_once = job.weight
    if objective != "jct":
        at_once = at_once * job.iterations / tau
    if objective == "slowdown" and job.throughput:
        at_once /= max(job.throughput.values())

    return RoundJob(
        job.name,
        job.submit_seconds,
        release,
        job.gang_size,
        job.iterations,
        tuple(job.throughput.get(r, Fraction(0)) for r in cluster.accelerators),
        job.spread_factor,
        job.weight,
        PerRound(at_once, release),
        nodes if job.max_copies is None else min(job.max_copies, nodes),
    )
