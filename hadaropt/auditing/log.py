"""A log to audit: jobs in integer ticks, the pools of GPUs that they share, what was left out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from hadaropt.auditing.capacity import Capacity
from hadaropt.errors import TraceError, shown
from hadaropt.instance import Cluster
from hadaropt.traces.trace import Trace, TraceJob, merged_rows, one_type

EARLY = "started before it was submitted (clock jump?)"
OVERLAP = "attempts that overlap"
BACKWARDS = "attempt that ends before it starts (clock jump?)"
WIDER = "gang wider than the cluster"
UNTYPED = "no one GPU type, while types are told apart (--untyped drop)"
ONE_POOL = "GPU"

#: Statuses, in lower case, of jobs that did what they were for; any other known one did not.
FINISHED = frozenset({"completed", "pass", "succeeded", "terminated", "success", "done", "unknown"})
TICKS_MOST = 10**9


@dataclass(frozen=True, slots=True)
class LoggedJob:
    """One job of a log; times in ticks since the first submit.

    Attributes
    ----------
    name : str
    submit : int
    gang : int
        GPUs held while running.
    pool : str
        Pool of GPUs that it takes them from.
    service : int
        Ticks for which it held them, all attempts together.
    attempts : tuple of (start, end)
        Empty where the log has no starts.
    kind, queue, user : str or None
        GPU type as written, queue and user.
    nodes : tuple of (node, GPUs)
    counted : bool
        Whether it counts in sums; the others are left out of them and of every bound.
    model : str or None
        As written.
    """

    name: str
    submit: int
    gang: int
    pool: str
    service: int
    attempts: tuple[tuple[int, int], ...]
    kind: str | None
    queue: str | None
    user: str | None
    nodes: tuple[tuple[str, int], ...]
    counted: bool
    model: str | None = None

    @property
    def completion(self) -> int:
        """The recorded completion."""
        return self.attempts[-1][1]

    @property
    def waiting(self) -> int:
        """The recorded JCT minus the service."""
        return self.completion - self.submit - self.service


@dataclass(frozen=True)
class Log:
    """What is audited.

    Attributes
    ----------
    source, format : str
    ticks : int
        Ticks of a second.
    jobs : tuple of LoggedJob
        By submit.
    left_out : mapping of str to int
        Rows and jobs that are no part of it, by reason.
    rows : int
        Records of the file.
    pools : mapping of str to int
        GPUs by pool. A job takes its GPUs from one pool: that of its type; where types are not
        known of all jobs, all GPUs are one pool, which allows more schedules.
    cluster : Cluster or None
        None: inferred, and only the pools are known.
    origin : {"given", "node list", "inferred"}
        Where the cluster is from.
    recorded : bool
        Whether the log has starts and ends: a recorded schedule.
    conventions : tuple of str
    calendar : str or None
        As in `hadaropt.traces.Trace`.
    epoch : Fraction
        The first submit, on the clock of the log.
    everyone : bool
        Whether unfinished jobs count too.
    statuses : bool
        Whether the log says how jobs ended.
    over_time : mapping of str to Capacity
        The pools that have as many GPUs as were held while that was more than there are.
    types : mapping of str to str
        The pool of each GPU type that is known: of the cluster, else of the jobs.
    parts : mapping of str to tuple of str
        As in `hadaropt.traces.Trace`; those of jobs that are no part of the log are left out too.
    """

    source: str
    format: str
    ticks: int
    jobs: tuple[LoggedJob, ...]
    left_out: Mapping[str, int]
    rows: int
    pools: Mapping[str, int]
    cluster: Cluster | None
    origin: Literal["given", "node list", "inferred"]
    recorded: bool
    conventions: tuple[str, ...] = ()
    calendar: str | None = None
    epoch: Fraction = Fraction(0)
    everyone: bool = False
    statuses: bool = True
    over_time: Mapping[str, Capacity] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def common(self) -> bool:
        """Whether GPUs of several types are one pool."""
        return len(self.types) > len(self.pools)

    @property
    def merged(self) -> dict[str, int]:
        """Rows that are part of a job of the log, by reason."""
        return merged_rows(self.parts, self.jobs)

    @property
    def untyped(self) -> list[LoggedJob]:
        """The jobs for whose sake all GPUs are one pool: those without one type among others."""
        if not self.common:
            return []
        without = [job for job in self.jobs if not one_type(job.kind)]
        return without if len(without) < len(self.jobs) else []

    @property
    def unfinished_share(self) -> Fraction:
        """Share of the GPU time of all jobs that those hold which do not count."""
        whole = sum(job.gang * job.service for job in self.jobs)
        own = sum(job.gang * job.service for job in self.jobs if not job.counted)
        return Fraction(own, whole) if whole else Fraction(0)

    @property
    def capacity(self) -> dict[str, int | Capacity]:
        """GPUs by pool, over time where that changes."""
        return {**self.pools, **self.over_time}

    @property
    def enlarged(self) -> dict[str, int]:
        """The most GPUs by which pools are larger than they are, for as long as these were held."""
        return {pool: max(own.counts) - own.last for pool, own in self.over_time.items()}

    @property
    def wider(self) -> dict[int, tuple[tuple[int, int], ...]]:
        """Attempts of the counted jobs, by index, whose gangs fit only while more were held."""
        least = {pool: Capacity.of(own).last for pool, own in self.capacity.items()}
        return {i: j.attempts for i, j in enumerate(self.counted) if j.gang > least[j.pool]}

    @property
    def counted(self) -> list[LoggedJob]:
        """The jobs that count."""
        return [job for job in self.jobs if job.counted]

    def seconds(self, ticks: int | Fraction) -> Fraction:
        """Return ticks as seconds."""
        return Fraction(ticks) / self.ticks


def make_log(
    trace: Trace,
    cluster: Cluster | None = None,
    *,
    from_node_list: bool = False,
    everyone: bool = False,
    typed: bool = False,
) -> Log:
    """Make a trace a log to audit, without the gangs that are wider than the cluster.

    As `whole_log`, and then `without_wider`.
    """
    return without_wider(
        whole_log(trace, cluster, from_node_list=from_node_list, everyone=everyone, typed=typed)
    )


def whole_log(
    trace: Trace,
    cluster: Cluster | None = None,
    *,
    from_node_list: bool = False,
    everyone: bool = False,
    typed: bool = False,
) -> Log:
    """Make a trace a log, gangs that are wider than the cluster included.

    Parameters
    ----------
    trace : Trace
    cluster : Cluster, optional
        The cluster that ran it. Without: of each type the most GPUs that were ever held at once,
        or, where the log has no starts, that cannot be inferred.
    from_node_list : bool
        Whether the cluster is that of a node list.
    everyone : bool
        Count jobs that were cancelled, failed or cut by the window's end, as if what they held
        their GPUs for were all that they needed.
    typed : bool
        Leave out jobs that do not have one GPU type, so that the others keep theirs.

    Raises
    ------
    TraceError
        If no job is left, the cluster has none of a type, or it cannot be inferred.
    """
    left_out: Counter[str] = Counter(trace.dropped)
    kept: list[TraceJob] = []
    recorded = any(job.attempts for job in trace.jobs)
    for job in trace.jobs:
        reason = _fault(job, recorded)
        if reason is None and typed and not one_type(job.gpu_type):
            reason = UNTYPED
        if reason is None:
            kept.append(job)
        else:
            left_out[reason] += 1
    if not kept:
        why = ", ".join(f"{count} {reason}" for reason, count in sorted(left_out.items()))
        raise TraceError(trace.source, f"has no job to audit ({why or 'no rows'})")
    left_out -= Counter(merged_rows(trace.parts, kept))
    ticks = _ticks(kept)
    names, types = _pool_names(kept, cluster, trace.source)
    jobs = []
    for job, pool in zip(kept, names, strict=True):
        attempts = tuple((_in(s, ticks), _in(e, ticks)) for s, e in job.attempts)
        service = sum(e - s for s, e in attempts)
        if not recorded:
            assert job.duration_seconds is not None
            service = _in(job.duration_seconds, ticks)
        finished = everyone or job.status.lower() in FINISHED
        jobs.append(
            LoggedJob(
                job.name, _in(job.submit_seconds, ticks), job.num_gpus, pool, service, attempts,
                job.gpu_type, job.queue, job.user, job.nodes, finished, job.model,
            )
        )  # fmt: skip
    pools = _pools(jobs, cluster, types, trace.source)
    given: Literal["given", "node list"] = "node list" if from_node_list else "given"
    return Log(
        trace.source, trace.format, ticks, tuple(jobs), dict(sorted(left_out.items())),
        trace.rows, pools, cluster, "inferred" if cluster is None else given, recorded,
        trace.conventions, trace.calendar, trace.origin_seconds, everyone,
        any(job.status.upper() != "UNKNOWN" for job in kept), types=types,
        parts=trace.parts,
    )  # fmt: skip


def without_wider(log: Log) -> Log:
    """Return the log without the gangs that are wider than their pool ever is; they are counted.

    Raises
    ------
    TraceError
        If no job is left that counts.
    """
    most = {pool: max(Capacity.of(own).counts) for pool, own in log.capacity.items()}
    fitting = tuple(job for job in log.jobs if job.gang <= most[job.pool])
    if not any(job.counted for job in fitting):
        rule = "has no job that finished and fits the cluster; `--count all` counts the others too"
        raise TraceError(log.source, rule)
    wider = len(log.jobs) - len(fitting)
    if not wider:
        return log
    left_out = Counter(log.left_out) + Counter({WIDER: wider}) + Counter(log.merged)
    left_out -= Counter(merged_rows(log.parts, fitting))
    return replace(log, jobs=fitting, left_out=dict(sorted(left_out.items())))


def held_changes(jobs: Iterable[LoggedJob]) -> dict[str, list[tuple[int, int]]]:
    """Return what recorded attempts take and give back of each pool: (time, GPUs), unordered."""
    changes: dict[str, list[tuple[int, int]]] = {}
    for job in jobs:
        for start, end in job.attempts:
            changes.setdefault(job.pool, []).extend(((start, job.gang), (end, -job.gang)))
    return changes


def most_held(jobs: Iterable[LoggedJob]) -> dict[str, int]:
    """Return the most GPUs of each pool that recorded attempts hold at once."""
    most: dict[str, int] = {}
    for pool, events in held_changes(jobs).items():
        held = 0
        for _, change in sorted(events):  # at one time, ends come before starts
            held += change
            most[pool] = max(most.get(pool, 0), held)
    return most


def _fault(job: TraceJob, recorded: bool) -> str | None:
    if not recorded:
        return None if job.duration_seconds is not None else "duration missing or NaN"
    if not job.attempts:
        return "start or end missing"
    if any(end < start for start, end in job.attempts):
        return BACKWARDS
    before: Fraction | None = None
    for start, end in job.attempts:
        if before is not None and start < before:
            return OVERLAP
        before = end
    return EARLY if job.attempts[0][0] < job.submit_seconds else None


def _ticks(jobs: list[TraceJob]) -> int:
    """Return ticks of a second in which every time is whole.

    Raises
    ------
    TraceError
        If there would be too many.
    """
    ticks = 1
    for job in jobs:
        times = [job.submit_seconds, *(time for run in job.attempts for time in run)]
        if job.duration_seconds is not None and not job.attempts:
            times.append(job.duration_seconds)
        ticks = math.lcm(ticks, *(time.denominator for time in times))
        if ticks > TICKS_MOST:
            rule = f"needs more than {TICKS_MOST:,} ticks of a second; round its times"
            raise TraceError(f"job {shown(job.name)}", rule)
    return ticks


def _in(seconds: Fraction, ticks: int) -> int:
    return seconds.numerator * (ticks // seconds.denominator)


def _pool_names(
    jobs: list[TraceJob], cluster: Cluster | None, source: str
) -> tuple[list[str], dict[str, str]]:
    """Return the pool of each job, and that of each GPU type that is known."""
    kinds = dict.fromkeys(job.gpu_type for job in jobs)
    there = None if cluster is None else cluster.accelerators
    if not all(map(one_type, kinds)):
        pool = there[0] if there is not None and len(there) == 1 else ONE_POOL
        named = [part for kind in kinds if kind is not None for part in kind.split("|")]
        return [pool] * len(jobs), dict.fromkeys(named if there is None else there, pool)
    names: dict[str | None, str] = {}
    for kind in kinds:
        assert kind is not None
        names[kind] = kind
        if there is not None:
            same = [name for name in there if name.lower() == kind.lower()]
            if not same:
                rule = f"must be a type of the cluster ({', '.join(there)})"
                raise TraceError(f"{source}: GPU type", rule, shown(kind))
            names[kind] = same[0]
    known = names.values() if there is None else there
    return [names[job.gpu_type] for job in jobs], {name: name for name in known}


def _pools(
    jobs: list[LoggedJob], cluster: Cluster | None, types: Mapping[str, str], source: str
) -> dict[str, int]:
    """Return the GPUs of each pool."""
    if cluster is None:
        found = most_held(jobs)
        if not found:
            rule = "has no starts, from which its cluster could be inferred; give --cluster"
            raise TraceError(source, rule)
        return {pool: max(found.get(pool, 0), 1) for pool in dict.fromkeys(j.pool for j in jobs)}
    sizes = dict.fromkeys(types.values(), 0)
    for kind, count in cluster.gpus_by_type.items():
        sizes[types[kind]] += count
    return sizes
