"""What is in a trace, and what it asks of a cluster, before anything is run on it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from hadaropt.instance import Cluster
from hadaropt.traces.conversion import DEFAULT_CLUSTER, idle_types, to_workload
from hadaropt.traces.throughputs import ThroughputTable, measured
from hadaropt.traces.trace import Trace, TraceJob, one_type
from hadaropt.workload import Workload, WorkloadJob

#: Reported quantiles, in per cent.
PERCENTS = (0, 10, 25, 50, 75, 90, 95, 99, 100)
DAY = 86400
HOUR = 3600


@dataclass(frozen=True)
class TraceInspection:
    """Figures of one trace on one cluster; every number is exact.

    Attributes
    ----------
    trace : Trace
        What was inspected: rows, dropped rows by reason and conventions are its own.
    cluster : Cluster
    model_seed : int
        Seed of the model assignment that `offered_load` and `unschedulable` rest on.
    seconds : tuple of Fraction
        Running time of each job: its duration, or its iterations on the reference type where the
        trace gives no duration.
    span_seconds : Fraction
        From the first to the last arrival.
    gpu_seconds : Fraction
        Sum of gang size times running time.
    total_load : Fraction or None
        `gpu_seconds` over all GPUs of the cluster times the span; None where the span is 0. Above
        1 the queue grows until the last arrival.
    offered_load : mapping of str to Fraction
        Per accelerator type, with every job charged to the type on which it is fastest
        (:meth:`hadaropt.Workload.offered_load`); empty where the span is 0.
    load_alone : mapping of str to Fraction
        Per accelerator type, with every job that can run there charged to it: the load if the
        cluster were that type alone; empty where the span is 0.
    unschedulable : tuple of (str, str)
        Job and reason: it can never run on this cluster, even with mixed types.
    idle_types : tuple of str
        Types of the cluster on which no job can run: they have GPUs but no speeds. Empty where the
        trace has types and no speeds were asked for: then they do not matter.
    wider_than_type, wider_than_node : int
        Jobs, schedulable or not, with a gang larger than any one type's GPUs; than any node.
    durations, interarrivals : mapping of int to Fraction
        Quantiles by nearest rank, in seconds, by per cent; empty where there is nothing to rank.
    by_hour : tuple of int
        Arrivals in each hour of the day, on the trace's calendar, else since its own start.
    by_gpus : mapping of int to (int, Fraction)
        Gang size to number of jobs and their GPU-seconds.
    by_status : mapping of str to int
    by_gpu_type : mapping of str to int
        As written in the trace; ``-`` where it is silent.
    over_a_day : (int, Fraction)
        Jobs longer than 24 h and their share of `gpu_seconds`.
    default_cluster : bool
        Whether no cluster was named.
    speeds_given : bool
        Whether a table or a reference was named, so that speeds of models are asked for.
    recorded_gpus : mapping of str to Fraction
        Per type as the trace writes it, with every job charged to the one on which it ran: GPUs
        asked for on average while jobs arrive; empty where the span is 0 or no job has one type.
    """

    trace: Trace
    cluster: Cluster
    model_seed: int
    seconds: tuple[Fraction, ...]
    span_seconds: Fraction
    gpu_seconds: Fraction
    total_load: Fraction | None
    offered_load: Mapping[str, Fraction]
    load_alone: Mapping[str, Fraction]
    unschedulable: tuple[tuple[str, str], ...]
    idle_types: tuple[str, ...]
    wider_than_type: int
    wider_than_node: int
    durations: Mapping[int, Fraction]
    interarrivals: Mapping[int, Fraction]
    by_hour: tuple[int, ...]
    by_gpus: Mapping[int, tuple[int, Fraction]]
    by_status: Mapping[str, int]
    by_gpu_type: Mapping[str, int]
    over_a_day: tuple[int, Fraction]
    default_cluster: bool = False
    speeds_given: bool = False
    recorded_gpus: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def recorded_load(self) -> dict[str, Fraction]:
        """The load of each type of the cluster by the jobs that ran on it, told in any case."""
        if not self.recorded_gpus:
            return {}
        asked: dict[str, Fraction] = {}
        for kind, gpus in self.recorded_gpus.items():
            asked[kind.lower()] = asked.get(kind.lower(), Fraction(0)) + gpus
        sizes = self.cluster.gpus_by_type.items()
        loads = {kind: asked.get(kind.lower()) for kind, count in sizes if count}
        if not any(loads.values()):
            return {}
        return {kind: (loads[kind] or Fraction(0)) / n for kind, n in sizes if n}


def inspect_trace(
    trace: Trace,
    cluster: Cluster | None = None,
    *,
    model_seed: int = 0,
    reference: str | None = None,
    table: ThroughputTable | None = None,
) -> TraceInspection:
    """Measure a trace against a cluster.

    Parameters
    ----------
    trace, cluster, model_seed, reference, table
        As for :func:`hadaropt.traces.to_workload`; but where neither a reference nor a table is
        named and no type of the cluster has a known speed, jobs with durations need none.

    Returns
    -------
    TraceInspection
    """
    speeds = measured() if table is None else table
    base = speeds.reference_named(reference)
    asked = table is not None or reference is not None
    target = Cluster.parse(DEFAULT_CLUSTER) if cluster is None else cluster
    known = {kind.lower() for kind in speeds.accelerators}
    workload, seconds = None, [job.duration_seconds or Fraction(0) for job in trace.jobs]
    if asked or not all(seconds) or any(kind.lower() in known for kind in target.accelerators):
        workload = to_workload(trace, target, model_seed=model_seed, reference=base, table=speeds)
        seconds = running_seconds(trace, workload, base)
    work = [job.num_gpus * time for job, time in zip(trace.jobs, seconds, strict=True)]
    total = sum(work, Fraction(0))
    submits = [job.submit_seconds for job in trace.jobs]
    span = submits[-1] if submits else Fraction(0)
    capacity = sum(target.pooled_capacity) * span
    gangs = [job.num_gpus for job in trace.jobs]
    widest_type = max(target.pooled_capacity, default=0)
    widest_node = max(map(sum, target.capacity), default=0)
    by_speed = asked or not any(one_type(job.gpu_type) for job in trace.jobs)
    ran: dict[str, Fraction] = {}
    for job, part in zip(trace.jobs, work, strict=True):
        if job.gpu_type is not None and one_type(job.gpu_type):
            ran[job.gpu_type] = ran.get(job.gpu_type, Fraction(0)) + part
    long = [part for part, time in zip(work, seconds, strict=True) if time > DAY]
    return TraceInspection(
        trace=trace,
        cluster=target,
        model_seed=model_seed,
        seconds=tuple(seconds),
        span_seconds=span,
        gpu_seconds=total,
        total_load=total / capacity if capacity else None,
        offered_load={} if workload is None else workload.offered_load(),
        load_alone={} if workload is None else _load_alone(workload, span),
        unschedulable=tuple(_unschedulable(trace, target, workload if by_speed else None)),
        idle_types=_idle(target, workload) if by_speed and trace.jobs else (),
        wider_than_type=sum(gang > widest_type for gang in gangs),
        wider_than_node=sum(gang > widest_node for gang in gangs),
        durations=quantiles(seconds),
        interarrivals=quantiles([later - earlier for earlier, later in pairwise(submits)]),
        by_hour=_hours(trace),
        by_gpus={
            gang: (
                gangs.count(gang),
                sum((w for w, g in zip(work, gangs, strict=True) if g == gang), Fraction(0)),
            )
            for gang in sorted(set(gangs))
        },
        by_status=_counts(job.status for job in trace.jobs),
        by_gpu_type=_counts(job.gpu_type or "-" for job in trace.jobs),
        over_a_day=(len(long), sum(long, Fraction(0)) / total if total else Fraction(0)),
        default_cluster=cluster is None,
        speeds_given=asked,
        recorded_gpus={kind: ran[kind] / span for kind in sorted(ran)} if span else {},
    )


def running_seconds(trace: Trace, workload: Workload, reference: str) -> list[Fraction]:
    """Return the duration of each job, from its iterations where the trace gives none.

    Without a duration: iterations over the speed on the reference type, or on the fastest type of
    the cluster where the reference is not among its types.
    """

    def seconds(ours: TraceJob, theirs: WorkloadJob) -> Fraction:
        if ours.duration_seconds is not None:
            return ours.duration_seconds
        speeds = {kind.lower(): speed for kind, speed in theirs.throughput.items()}
        speed = speeds.get(reference.lower()) or max(speeds.values(), default=Fraction(0))
        return theirs.iterations / speed if speed else Fraction(0)

    return [seconds(*pair) for pair in zip(trace.jobs, workload.jobs, strict=True)]


def quantiles(values: Sequence[Fraction]) -> dict[int, Fraction]:
    """Return nearest-rank quantiles: the smallest value with at least p % of all at or below it.

    Examples
    --------
    >>> quantiles([Fraction(3), Fraction(1)])[50]
    Fraction(1, 1)
    """
    ranked = sorted(values)
    if not ranked:
        return {}
    last = len(ranked) - 1
    return {
        p: ranked[min(last, max(0, math.ceil(Fraction(p * len(ranked), 100)) - 1))]
        for p in PERCENTS
    }


def _load_alone(workload: Workload, span: Fraction) -> dict[str, Fraction]:
    cluster = workload.cluster
    capacity = cluster.gpus_by_type
    if span == 0:
        return {}
    return {
        kind: sum(
            (
                job.gang_size * job.iterations / job.throughput[kind]
                for job in workload.jobs
                if kind in job.throughput
            ),
            Fraction(0),
        )
        / (count * span)
        for kind, count in capacity.items()
        if count
    }


def _idle(cluster: Cluster, workload: Workload | None) -> tuple[str, ...]:
    """Return the types without speeds: all that have GPUs, where there is no workload."""
    if workload is not None:
        return idle_types(workload)
    return tuple(kind for kind, count in cluster.gpus_by_type.items() if count)


def _unschedulable(
    trace: Trace, cluster: Cluster, workload: Workload | None
) -> Iterator[tuple[str, str]]:
    """Yield jobs that cannot run, and why; without a workload only their gangs are too wide."""
    capacity = cluster.gpus_by_type
    if workload is None:
        there = sum(capacity.values())
        for job in trace.jobs:
            if job.num_gpus > there:
                yield job.name, f"needs {job.num_gpus} GPUs, the cluster has {there}"
        return
    for own in workload.jobs:
        usable = sum(capacity[kind] for kind in own.throughput)
        if not own.throughput:
            yield own.name, "runs on no type of the cluster"
        elif own.gang_size > usable:
            yield (
                own.name,
                f"needs {own.gang_size} GPUs, the types that it can use have {usable}",
            )


def _hours(trace: Trace) -> tuple[int, ...]:
    start = trace.origin_seconds if trace.calendar is not None else Fraction(0)
    counts = Counter(int((start + job.submit_seconds) % DAY // HOUR) for job in trace.jobs)
    return tuple(counts[hour] for hour in range(24))


def _counts(values: Iterable[str]) -> dict[str, int]:
    """Return counts, most frequent first, ties by name."""
    return dict(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))
