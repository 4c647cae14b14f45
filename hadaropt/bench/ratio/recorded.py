"""The recorded schedule of a trace as one more contestant, against a certified bound of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.auditing.floor import replays
from hadaropt.auditing.log import make_log
from hadaropt.auditing.worth import worth
from hadaropt.bench.ratio.trace import TraceSuite
from hadaropt.errors import TraceError
from hadaropt.utility import EffectiveThroughput

RECORDED = "recorded"
NOTE = (
    "recorded: the schedule of the log, on as many GPUs as it ever held at once, with its types, "
    "gangs and times; every job counts. Its OPT/P is best known/P .. certified bound/P over "
    "schedules of the same jobs in real time, beside no figure of the policies, whose models are "
    "drawn."
)


@dataclass(frozen=True)
class RecordedCell:
    """The recorded schedule on the trace, whole or without long jobs.

    Attributes
    ----------
    jobs : str
        As in `TraceSuite.tasks`.
    count : int
        Jobs with a recorded completion.
    pools : mapping of str to int
        GPUs, inferred.
    value, best, bound : Fraction
        Its total utility, the best known (its own or that of a rule), and what none exceeds.
    """

    jobs: str
    count: int
    pools: Mapping[str, int]
    value: Fraction
    best: Fraction
    bound: Fraction


def recorded_cells(suite: TraceSuite) -> list[RecordedCell]:
    """Return the recorded schedule on each choice of jobs of the suite.

    The utility is that of the suite, ``EffectiveThroughput(1)``.

    Raises
    ------
    TraceError
        If the trace has no starts and ends.
    """
    cells = []
    for jobs in dict.fromkeys(jobs for jobs, _, _ in suite.tasks()):
        trace = suite.trace(jobs)
        if not any(job.attempts for job in trace.jobs):
            raise TraceError(trace.source, "has no starts and ends, so no recorded schedule")
        log = make_log(trace, everyone=True)
        asked = [(job.pool, (job.submit, job.service, job.gang)) for job in log.counted]
        found = worth(
            log,
            EffectiveThroughput(1),
            Fraction(suite.round_seconds),
            replays(asked, log.capacity),
            time_limit=suite.bound_seconds,
        )
        best = max(found.recorded, *found.rules.values())
        count = len(log.counted)
        cells.append(RecordedCell(jobs, count, log.pools, found.recorded, best, found.bound))
    return cells
