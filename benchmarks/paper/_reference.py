"""Gavel's public simulator, defects included, on the same workloads."""

from __future__ import annotations

import csv
import tempfile
import time
from pathlib import Path

from benchmarks.paper._cells import Cell, Figures
from hadaropt.exact import to_text
from hadaropt.simulate.schedulers.gavel_reference import ReferenceRun, simulate_gavel_reference
from hadaropt.traces.throughputs import LONG_COLUMNS
from hadaropt.workload import Workload

COLUMNS = ("job_id", "arrival_s", "job_type", "scale_factor", "total_steps", "priority_weight")
NAN = float("nan")


def run_reference(cell: Cell, data: Path, policy: str) -> Figures:
    """Run the reference; what it does not define (node use, restarts, bounds in rounds) is nan."""
    workload = cell.sample.workload(data)
    counts = dict(zip(workload.cluster.accelerators, workload.cluster.pooled_capacity, strict=True))
    with tempfile.TemporaryDirectory() as folder:
        trace, speeds = Path(folder) / "trace.csv", Path(folder) / "speeds.csv"
        _write(workload, trace, speeds)
        started = time.process_time()
        run = simulate_gavel_reference(
            trace, speeds, counts, policy, round_seconds=float(cell.round_seconds)
        )
        seconds = time.process_time() - started
    return _figures(run, workload, seconds)


def _write(workload: Workload, trace: Path, speeds: Path) -> None:
    """Give every job a model of its own, so that its speeds are exactly those of the workload."""
    first = min(job.submit_seconds for job in workload.jobs)
    with trace.open("w", newline="") as rows, speeds.open("w", newline="") as table:
        jobs, measured = csv.writer(rows), csv.writer(table)
        jobs.writerow((*COLUMNS, "v100_duration_s"))
        measured.writerow(LONG_COLUMNS)
        for j, job in enumerate(workload.jobs):
            arrival = to_text(job.submit_seconds - first)
            jobs.writerow((j, arrival, f"m{j}", job.gang_size, job.iterations, 1, 1))
            for r in workload.cluster.accelerators:
                speed = float(job.throughput.get(r, 0))  # the reference computes in doubles
                measured.writerow((f"m{j}", job.gang_size, r.lower(), 1, speed))


def _figures(run: ReferenceRun, workload: Workload, seconds: float) -> Figures:
    jct = sorted(run.jct_s.values())
    started: dict[int, float] = {}
    for pick in run.picks:
        started.setdefault(pick.job, pick.start)
    waited = [started[job] - run.jobs[job].arrival for job in run.finish]
    span = max(run.finish.values()) - min(job.arrival for job in run.jobs)
    runs = [(pick, pick.steps / run.jobs[pick.job].throughput[pick.type]) for pick in run.picks]
    held = sum(seconds * len(pick.workers) for pick, seconds in runs)
    ran = sum(seconds for pick, seconds in runs if pick.job in run.finish)
    best = sum(
        pick.steps / max(run.jobs[pick.job].throughput.values()) * len(pick.workers)
        for pick in run.picks
    )
    middle = len(jct) // 2
    return Figures(
        jobs=len(run.jobs),
        done=len(run.finish),
        jct_mean=sum(jct) / len(jct),
        jct_median=(jct[middle] + jct[~middle]) / 2,
        jct_max=jct[-1],
        queueing=sum(waited) / len(waited),
        waiting=(sum(jct) - ran) / len(jct),
        fairness=NAN,
        ttd=span,
        gru=held / (sum(workload.cluster.pooled_capacity) * span),
        cru=NAN,
        useful=best / held,
        restarts=0,
        rounds=run.rounds,
        jct_bound=NAN,
        makespan_bound=NAN,
        jct_gap=NAN,
        makespan_gap=NAN,
        bound_by="",
        cpu_seconds=seconds,
    )
