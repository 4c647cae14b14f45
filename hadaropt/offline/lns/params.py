"""What can be tuned in large-neighbourhood search: insertion in batches, and ejection chains."""

from __future__ import annotations

from dataclasses import dataclass, field

from hadaropt.keywords import known_fields


@known_fields
@dataclass(frozen=True)
class Effort:
    """How often, and how well, the prices of one pass of insertion are corrected.

    Attributes
    ----------
    share : float
        Of the remaining jobs, in one batch. More: fewer batches.
    evaluations : int
        Of the dual of the remaining jobs, after every batch. More: better prices, slower.
    """

    share: float
    evaluations: int

    def cost(self) -> float:
        """Return the evaluations, counted in those of the whole instance."""
        return self.evaluations / self.share


@known_fields
@dataclass(frozen=True)
class BatchParams:
    """Parameters of insertion in batches.

    Attributes
    ----------
    efforts : tuple of Effort
        Of one pass after the other, ever more.
    more_passes : int
        Passes of greatest effort after the one that ``efforts`` has. More: better schedules of
        large instances, later.
    drop : float
        How far below the value of the prices of the last batch the first level of the next one
        lies, relative to it. More: prices change more from batch to batch.
    least_batch : int
        Jobs of the smallest batch. More: fewer corrections for the last jobs.
    noise : float
        Standard deviation of the noise on the logarithm of the keys by which jobs are ordered.
        More: passes that differ more.
    """

    efforts: tuple[Effort, ...] = (
        Effort(0.2, 4),
        Effort(0.1, 6),
        Effort(0.05, 8),
        Effort(0.03, 10),
    )
    more_passes: int = 8
    drop: float = 0.004
    least_batch: int = 2
    noise: float = 0.5


@known_fields
@dataclass(frozen=True)
class ChainParams:
    """Parameters of ejection chains, which accept losses as simulated annealing does.

    The *heat* is the loss that is accepted about once in e trials, in units of the median value
    of a job.

    Attributes
    ----------
    hottest : float
        Heat at the beginning, for up to a thousand jobs. More: the start is forgotten.
    coolest : float
        Least heat at the beginning, however many jobs there are.
    cooling : float
        Heat at the end, as a share of that at the beginning.
    heat_per_gap : float
        Heat at the beginning for each unit of relative gap, after insertion in batches: good
        schedules are not to be destroyed.
    least_gap : float
        Gap that is assumed at least in that. More: more heat for schedules close to the bound.
    tries : int
        Jobs drawn, of which the one of greatest regret begins a chain. More: chains look ever more
        where the schedule is worst.
    jobs_per_try : int
        There is at most one try for so many jobs.
    ejected : int
        Jobs that one chain takes out. More: larger neighbourhoods, slower chains.
    also_ejected : int
        Jobs that it takes out on top, where those leave no room.
    many_jobs : int
        Jobs above which every pass over them counts: greedy insertion makes only one.
    export_sample : int
        Allocations of the sample on which the making of a schedule is timed.
    export_slack : float
        Safety factor on that time. More: search ends earlier before a time limit.
    chunk_seconds : float
        Seconds between two looks at the clock. More: limits are exceeded by more.
    first_chunk : int
        Chains before the first such look.
    """

    hottest: float = 1.0
    coolest: float = 0.02
    cooling: float = 0.01
    heat_per_gap: float = 10.0
    least_gap: float = 1e-4
    tries: int = 256
    jobs_per_try: int = 8
    ejected: int = 30
    also_ejected: int = 6
    many_jobs: int = 5000
    export_sample: int = 10_000
    export_slack: float = 1.3
    chunk_seconds: float = 0.25
    first_chunk: int = 50


@known_fields
@dataclass(frozen=True)
class LnsParams:
    """Parameters of large-neighbourhood search.

    Attributes
    ----------
    batches : BatchParams
    chains : ChainParams
    """

    batches: BatchParams = field(default_factory=BatchParams)
    chains: ChainParams = field(default_factory=ChainParams)


__all__ = ["BatchParams", "ChainParams", "Effort", "LnsParams"]
