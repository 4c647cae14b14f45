"""Figures of a simulated run."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.errors import limited
from hadaropt.simulate.result import SimulatedRun


@dataclass(frozen=True)
class Distribution:
    """Mean, median, 95th and 99th percentile (linear interpolation) and maximum."""

    mean: float
    median: float
    p95: float
    p99: float
    max: float

    @classmethod
    def of(cls, values: list[float]) -> Distribution | None:
        """Return the figures of values; None if there are none."""
        if not values:
            return None
        median, p95, p99 = map(float, np.percentile(values, (50, 95, 99)))
        return cls(math.fsum(values) / len(values), median, p95, p99, max(values))


@dataclass(frozen=True)
class Metrics:
    """The figures of a run, over its completed jobs.

    Attributes
    ----------
    jobs, done, unschedulable, unfinished : int
        Unfinished jobs were cut off by a horizon.
    jct_s : Distribution or None
        Completion instant inside the round - arrival.
    queueing_s : Distribution or None
        First instant with GPUs - arrival.
    finish_time_fairness : Distribution or None
        rho_j = JCT_j / (Q_j / speed of the isolated share): sum_r X_jr y_r with y_r = N_r / (n_j
        W_j), scaled down to sum_r y_r = 1 where it exceeds that, and n_j the mean number of jobs in
        the system (arrived and not complete) during j's stay.
    ttd_s : float
        Last completion - first arrival.
    makespan_s : float
        Last completion, on the clock of the workload.
    gru : float
        GPU-seconds held until the last completion / (GPUs x TTD); a GPU is not held after its job
        has finished.
    cru : float
        Node-seconds with at least one running job, until the last completion / (nodes x TTD).
    useful_utilization : float
        sum_j W_j x iterations done / X_j / GPU-seconds held, X_j the speed on j's fastest type:
        1 when every held GPU-second is one of its job's best.
    restarts, rounds : int
        Charged restarts; rounds in which at least one job ran.
    """

    jobs: int
    done: int
    unschedulable: int
    unfinished: int
    jct_s: Distribution | None
    queueing_s: Distribution | None
    finish_time_fairness: Distribution | None
    ttd_s: float
    makespan_s: float
    gru: float
    cru: float
    useful_utilization: float
    restarts: int
    rounds: int


def common_jobs(runs: Sequence[SimulatedRun]) -> list[int]:
    """Return the jobs that every run completes: only over those do JCTs compare."""
    return sorted(set.intersection(*(set(run.finish) for run in runs))) if runs else []


def metrics(run: SimulatedRun, among: Collection[int] | None = None) -> Metrics:
    """Return the figures of a run; 0 where a share would divide by 0.

    Parameters
    ----------
    run : SimulatedRun
    among : collection of int, optional
        Completed jobs over which JCT, queueing and fairness are taken; all of them by default.

    Raises
    ------
    LimitError
        If an instant is beyond the range of floats.
    """
    with limited("the figures of the run"):
        return _figures(run, run.finish if among is None else among)


def _figures(run: SimulatedRun, own: Collection[int]) -> Metrics:
    problem, jobs = run.problem, run.problem.jobs
    last = max(run.finish.values(), default=Fraction(0))
    first = min((job.arrival for job in jobs), default=Fraction(0))
    span = max(Fraction(0), last - first)
    held = math.fsum(
        jobs[use.job].gang_size * len(use.copy_steps) * float(use.seconds) for use in run.uses
    )
    best = math.fsum(
        jobs[use.job].gang_size * use.steps / float(max(jobs[use.job].speed)) for use in run.uses
    )
    gpus = sum(problem.cluster.pooled_capacity)
    held_gpus, held_nodes = _held_until(run, last)
    queueing = [float(run.start[j] - jobs[j].arrival) for j in run.finish if j in own]
    fairness = [x for j, x in zip(run.jct, _fairness(run), strict=True) if j in own]
    return Metrics(
        len(jobs),
        len(run.finish),
        len(run.unschedulable),
        len(jobs) - len(run.finish) - len(run.unschedulable),
        Distribution.of([float(jct) for j, jct in run.jct.items() if j in own]),
        Distribution.of(queueing),
        Distribution.of(fairness),
        float(span),
        float(last),
        float(held_gpus / (gpus * span)) if span and gpus else 0.0,
        float(held_nodes / (len(problem.cluster.nodes) * span)) if span else 0.0,
        best / held if held else 0.0,
        sum(use.restarted for use in run.uses),
        len({use.round for use in run.uses}),
    )


def _held_until(run: SimulatedRun, last: Fraction) -> tuple[Fraction, Fraction]:
    """Return the GPU-seconds held up to an instant, and the node-seconds with a running job."""
    tau = run.problem.round_seconds
    seconds_of: dict[Fraction, int] = defaultdict(int)
    busy: dict[tuple[int, int], Fraction] = {}
    for use in run.uses:
        seconds = min(use.seconds, last - use.round * tau)
        if seconds <= 0:
            continue
        seconds_of[seconds] += sum(count for _, _, count in use.placement)
        for h, _, _ in use.placement:
            if seconds > busy.get((use.round, h), 0):
                busy[use.round, h] = seconds
    nodes: dict[Fraction, int] = defaultdict(int)
    for seconds in busy.values():
        nodes[seconds] += 1
    # Most uses last a whole round: few sums of fractions.
    gpu_seconds, node_seconds = (
        sum((seconds * count for seconds, count in counted.items()), Fraction(0))
        for counted in (seconds_of, nodes)
    )
    return gpu_seconds, node_seconds


def _fairness(run: SimulatedRun) -> list[float]:
    """Return rho_j of the completed jobs, in the order of ``run.jct``."""
    jobs, counts = run.problem.jobs, run.problem.cluster.pooled_capacity
    here = [j for j in range(len(jobs)) if j not in run.unschedulable]
    end = run.problem.round_seconds * (1 + max((use.round for use in run.uses), default=0))
    steps = [(jobs[j].arrival, 1) for j in here]
    steps += [(max(jobs[j].arrival, run.finish.get(j, end)), -1) for j in here]
    # The integral of the number of jobs in the system up to each instant of change.
    area: dict[Fraction, float] = {}
    total, number, before = 0.0, 0, Fraction(0)
    for instant, change in sorted(steps):
        total += number * float(instant - before)
        number, before = number + change, instant
        area[instant] = total
    ratios = []
    for j, jct in run.jct.items():
        job = jobs[j]
        if jct == 0:
            ratios.append(1.0)
            continue
        mean = (area[run.finish[j]] - area[job.arrival]) / float(jct)
        share = [count / (max(1.0, mean) * job.gang_size) for count in counts]
        scale = max(1.0, sum(share))
        alone = math.fsum(float(x) * y / scale for x, y in zip(job.speed, share, strict=True))
        ratios.append(float(jct) * alone / job.iterations)
    return ratios
