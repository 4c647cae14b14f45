"""Schedulers of this package, round by round on the nodes of the cluster, on the jobs of a log."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.auditing.log import Log, LoggedJob
from hadaropt.instance import Cluster
from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import make_scheduler
from hadaropt.workload import Workload, WorkloadJob


@dataclass(frozen=True)
class InRounds:
    """A run in rounds: completions in ticks (rounded up), None if a job did not complete."""

    scheduler: str
    completions: list[int] | None


def in_rounds(
    log: Log,
    jobs: Sequence[LoggedJob],
    scheduler: str,
    round_seconds: Fraction,
    ratios: Sequence[Mapping[str, Fraction]] | None = None,
) -> InRounds:
    """Run a scheduler on jobs; a spread gang is as fast as any.

    At recorded speeds jobs keep their pools; of one pool, every type is equally fast. With
    ``ratios`` (see `hadaropt.auditing.assumed.Assumed`) each runs on every type, so many times as
    fast as on its own. Restarts cost nothing, which is what the bounds assume too.
    """
    cluster = log.cluster
    if cluster is None:
        cluster = Cluster.of({pool: {pool: size} for pool, size in log.pools.items()})
    kinds, ticks = cluster.accelerators, Fraction(log.ticks)
    if ratios is None:
        own = [dict.fromkeys(kinds if log.common else (job.pool,), ticks) for job in jobs]
    else:
        own = [{kind: ticks * ratio for kind, ratio in row.items()} for row in ratios]
    workload = Workload(
        cluster,
        tuple(
            WorkloadJob(
                f"{i}",
                log.seconds(job.submit),
                job.gang,
                max(1, job.service),
                speeds,
            )
            for i, (job, speeds) in enumerate(zip(jobs, own, strict=True))
        ),
        log.source,
    )
    problem = RoundProblem.of_workload(workload, round_seconds=round_seconds, objective="jct")
    run = simulate_rounds(problem, make_scheduler(scheduler))
    ends = {int(problem.jobs[j].name): end for j, end in run.finish.items()}
    if len(ends) < len(jobs):
        return InRounds(scheduler, None)
    return InRounds(scheduler, [math.ceil(ends[i] * log.ticks) for i in range(len(jobs))])
