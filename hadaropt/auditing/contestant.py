"""The recorded schedule of a log as one more contestant, with a proven bound under it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.auditing.fit import misfits
from hadaropt.auditing.floor import floors, replays
from hadaropt.auditing.log import Log, LoggedJob
from hadaropt.auditing.replay import Asked
from hadaropt.simulate.metrics import Distribution


@dataclass(frozen=True)
class Recorded:
    """What a log records of some of its jobs.

    Attributes
    ----------
    jobs : int
        With a recorded completion, in the whole log.
    jct_s, queueing_s : Distribution
        Completion, and first GPU, minus submission.
    least_mean_jct_s : Fraction or None
        No schedule that gives each of these jobs its recorded type, gang and time has a smaller
        mean JCT; None where the recorded schedule does not fit the cluster.
    ttd_s : float
        Last completion - first submission, of the whole log.
    gru : float
        GPU-seconds held / (GPUs of the cluster that ran it x TTD).
    restarts : int
        Attempts after the first.
    """

    jobs: int
    jct_s: Distribution
    queueing_s: Distribution
    least_mean_jct_s: Fraction | None
    ttd_s: float
    gru: float
    restarts: int


def recorded(log: Log, among: Collection[str]) -> Recorded | None:
    """Return what a log records; JCT, queueing and the bound are of the jobs named in ``among``.

    None where the log has no starts and ends, or none of the jobs.
    """
    own = [job for job in log.jobs if job.name in among]
    if not log.recorded or not own:
        return None

    def spread(ticks: list[int]) -> Distribution:
        found = Distribution.of([float(log.seconds(value)) for value in ticks])
        assert found is not None
        return found

    held = sum(job.gang * job.service for job in log.jobs)
    took = max(job.completion for job in log.jobs) - min(job.submit for job in log.jobs)
    size = sum(log.pools.values())
    return Recorded(
        len(log.jobs),
        spread([job.completion - job.submit for job in own]),
        spread([job.attempts[0][0] - job.submit for job in own]),
        None if misfits(log) else _least(log, own),
        float(log.seconds(took)),
        held / (size * took) if took else 0.0,
        sum(len(job.attempts) - 1 for job in log.jobs),
    )


def _least(log: Log, jobs: list[LoggedJob]) -> Fraction:
    asked: list[tuple[str, Asked]] = [
        (job.pool, (job.submit, job.service, job.gang)) for job in jobs
    ]
    floor = floors(asked, log.pools, log.ticks, replays(asked, log.pools))
    total = sum((own.completions for own in floor.values()), Fraction(0))
    submits = sum(job.submit for job in jobs)
    alone = sum(job.submit + job.service for job in jobs)
    return log.seconds((max(total, Fraction(alone)) - submits) / len(jobs))
