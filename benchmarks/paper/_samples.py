"""Samples of public traces as workloads: which jobs, when they arrive, on which cluster."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path

from benchmarks.paper._assignment import assign
from hadaropt.instance import Cluster
from hadaropt.simulate.bounds import workload_bounds
from hadaropt.simulate.problem import RoundProblem
from hadaropt.traces import read_trace, to_workload
from hadaropt.traces.trace import Trace, TraceJob
from hadaropt.workload import Workload

PHILLY, ITP = "philly_2017-10-09_3weeks", "itp_cluster06"
CLASSES = ((0, 1), (1, 10), (10, 50), (60, 100))
"""Small, medium, large and very large jobs of the source, in GPU-hours: (more than, up to)."""
PUBLISHED_CLUSTER, PUBLISHED_JOBS = "V100=5x4,P100=5x4,K80=5x4", 480
SMALL_CLUSTER, SMALL_JOBS = "V100=1x4,P100=1x4,K80=1x4", 96
"""A fifth of the published size, at the same work for each GPU."""


@dataclass(frozen=True)
class Sample:
    """One workload, in words.

    Attributes
    ----------
    trace : str
        Name of a normalised trace.
    rule : {"classes", "plain", "all"}
        The same number of jobs of each of `CLASSES`, jobs regardless of size, or every job.
    seed : int
    jobs : int
        At most; with ``all``, ignored.
    cluster : str
    load : float or None
        None: all jobs are there at 0. Otherwise the arrivals of the trace, stretched so that the
        work of the workload (bound B2 over all jobs) is this part of the time between the first
        and the last arrival. 0: the arrivals of the trace as they are.
    model_seed : int
        Names the draw of models.
    models : str
        Rule of the assignment of models (see `assign`).
    """

    trace: str = PHILLY
    rule: str = "classes"
    seed: int = 0
    jobs: int = PUBLISHED_JOBS
    cluster: str = PUBLISHED_CLUSTER
    load: float | None = None
    model_seed: int = 0
    models: str = "drawn"

    def workload(self, data: Path) -> Workload:
        """Return the workload; no job is wider than the GPUs of every single type."""
        trace, cluster = _trace(data / "traces" / f"{self.trace}.csv"), Cluster.parse(self.cluster)
        widest = min(count for count in cluster.pooled_capacity if count)
        jobs = [job for job in trace.jobs if job.num_gpus <= widest and job.duration_seconds]
        if self.rule != "all":
            jobs = sorted(self._drawn(jobs), key=lambda job: job.submit_seconds)
        named = tuple(assign(jobs, self.models))
        kept = replace(trace, jobs=named, dropped={}, rows=len(jobs))
        workload = to_workload(kept, cluster, model_seed=self.model_seed)
        return self._arriving(workload)

    def _drawn(self, jobs: Sequence[TraceJob]) -> Iterable[TraceJob]:
        draw = random.Random(f"{self.trace}/{self.rule}/{self.seed}")
        if self.rule == "plain":
            return draw.sample(jobs, min(self.jobs, len(jobs)))
        each = self.jobs // len(CLASSES)
        found: list[TraceJob] = []
        for low, high in CLASSES:
            of_class = [job for job in jobs if low < gpu_hours(job) <= high]
            found += draw.sample(of_class, min(each, len(of_class)))
        return found

    def _arriving(self, workload: Workload) -> Workload:
        if self.load == 0:
            return workload
        at_once = [replace(job, submit_seconds=Fraction(0)) for job in workload.jobs]
        static = replace(workload, jobs=tuple(at_once))
        if self.load is None:
            return static
        bounds = workload_bounds(RoundProblem.of_workload(static))
        assert bounds is not None  # every job can run
        first, last = (pick(job.submit_seconds for job in workload.jobs) for pick in (min, max))
        # Arrivals in whole seconds, as in the trace.
        stretch = bounds.work_s / Fraction(self.load) / (last - first)
        moved = [
            replace(job, submit_seconds=math.floor((job.submit_seconds - first) * stretch))
            for job in workload.jobs
        ]
        return replace(workload, jobs=tuple(moved))


def gpu_hours(job: TraceJob) -> float:
    """Return GPUs times running time, in hours."""
    assert job.duration_seconds is not None
    return float(job.num_gpus * job.duration_seconds / 3600)


@cache
def _trace(path: Path) -> Trace:
    return read_trace(path)
