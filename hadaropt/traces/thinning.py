"""A trace thinned to an offered load: some of its jobs, drawn by their names."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from fractions import Fraction

from hadaropt.errors import TraceError, shown
from hadaropt.exact import Exact, to_fraction, to_text
from hadaropt.instance import Cluster
from hadaropt.traces.trace import Trace

REASON = "thinned to the load"


def thin_trace(trace: Trace, cluster: Cluster, load: Exact, *, seed: int = 0) -> Trace:
    """Leave out jobs at random until the load offered is at most the one wanted.

    The load is sum W_j duration_j over all GPUs times the span of the arrivals, which stays that of
    the whole trace. Jobs stand in an order drawn by a SHA-256 of seed and job name, and the longest
    beginning of it that does not exceed the load is kept: every job with the same chance, and less
    load keeps some of the jobs that more load keeps.

    Parameters
    ----------
    trace : Trace
    cluster : Cluster
    load : number
        > 0. A trace that offers no more is returned as it is.
    seed : int

    Returns
    -------
    Trace
        The jobs left out are counted among the dropped rows.

    Raises
    ------
    TraceError
        If the load is not > 0 or too small for a single job, all jobs arrive at once, or one has no
        duration.

    Examples
    --------
    >>> from hadaropt.traces import Trace, TraceJob
    >>> jobs = tuple(TraceJob(f"j{i}", Fraction(i), 1, Fraction(1)) for i in range(5))
    >>> trace = Trace("normalised", "ours", jobs, {}, 5)
    >>> thin_trace(trace, Cluster.parse("V100=1"), "3/4").dropped[REASON]
    2
    """
    most = to_fraction(load, "load")
    if most <= 0:
        raise TraceError("load", "must be > 0", to_text(most))
    span = trace.jobs[-1].submit_seconds if trace.jobs else Fraction(0)
    if trace.jobs and not span:
        raise TraceError(f"{trace.source} jobs", "must not all arrive at once, to offer a load")
    room = most * sum(cluster.pooled_capacity) * span
    work: list[Fraction] = []
    for j, job in enumerate(trace.jobs):
        if job.duration_seconds is None:
            rule = "must be known to thin a trace"
            raise TraceError(f"{trace.source} jobs[{j}].duration_seconds", rule, shown(None))
        work.append(job.num_gpus * job.duration_seconds)
    drawn = [hashlib.sha256(f"thin/{seed}/{job.name}".encode()).digest() for job in trace.jobs]
    kept: set[int] = set()
    for j in sorted(range(len(drawn)), key=lambda j: (drawn[j], j)):
        room -= work[j]
        if room < 0:
            break
        kept.add(j)
    if drawn and not kept:
        raise TraceError("load", f"is too small for any of {len(drawn)} jobs", to_text(most))
    lost = len(drawn) - len(kept)
    if not lost:
        return trace
    jobs = tuple(job for j, job in enumerate(trace.jobs) if j in kept)
    return replace(trace, jobs=jobs, dropped={**trace.dropped, REASON: lost})
