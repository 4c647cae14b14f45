"""The ratio suite on a trace: model seeds and horizons, whole and without long jobs."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from hadaropt.bench.ratio.cells import Cell, run_cell, settle
from hadaropt.bench.ratio.policy_text import policy_content, policy_from_text
from hadaropt.bench.ratio.reference import Reference
from hadaropt.bench.ratio.sweep import CELL_SECONDS, Failure
from hadaropt.bench.ratio.work import cell_from_document, cell_to_document
from hadaropt.certificates import certify, verify
from hadaropt.errors import InvariantError, TraceError
from hadaropt.instance import Instance
from hadaropt.interrupts import uninterrupted
from hadaropt.io import instance_sha256
from hadaropt.offline.lagrangian.bound import lagrangian_bound
from hadaropt.schedule import Schedule
from hadaropt.sweep import Store, Task, sweep, task_key
from hadaropt.sweep.sources import code_facts
from hadaropt.traces import Trace, read_trace, to_workload
from hadaropt.workload import Workload, fifo_horizon

Place = tuple[str, str, int]
LONG_SECONDS = 24 * 3600
TRACE_POLICIES = (
    "primal_dual:zero_start",
    "primal_dual:exponential",
    "primal_dual:exponential_paper",
    "fifo",
    "greedy_density",
    "random",
    "round:hadar",
    "round:gavel:max_min_fairness_perf",
    "round:tiresias",
    "round:yarn",
)


@dataclass(frozen=True)
class TraceSuite:
    """Settings of a trace suite.

    Attributes
    ----------
    path : str
    policies : tuple of str
    model_seeds : int
        Seeds of the draw of model types (a trace carries none).
    round_seconds : int
        The grid of the instances.
    bound_seconds : float
        Time limit of the certified bound of each instance.
    """

    path: str
    policies: tuple[str, ...] = TRACE_POLICIES
    model_seeds: int = 3
    round_seconds: int = 1800
    bound_seconds: float = 15.0

    def tasks(self) -> list[tuple[str, str, int]]:
        """Return (jobs, horizon, model seed) of every instance."""
        return [
            (jobs, horizon, seed)
            for seed in range(self.model_seeds)
            for jobs in ("whole", "without jobs over 24 h")
            for horizon in ("FIFO 95 %", "half of it")
        ]

    def trace(self, jobs: str) -> Trace:
        """Return the trace, whole or without the jobs that run for more than a day.

        Raises
        ------
        TraceError
            If no usable row is left.
        """
        trace = read_trace(self.path)
        if jobs != "whole":
            kept = tuple(job for job in trace.jobs if (job.duration_seconds or 0) <= LONG_SECONDS)
            gone = len(trace.jobs) - len(kept)
            dropped = {**trace.dropped, "runs for more than 24 h": gone} if gone else trace.dropped
            trace = replace(trace, jobs=kept, dropped=dropped)
        if not trace.jobs:
            raise TraceError(Path(self.path).name, "has no usable row")
        return trace

    def instance(self, jobs: str, horizon: str, seed: int) -> tuple[Instance, Workload]:
        """Return one instance of the suite and the workload behind it."""
        workload = to_workload(self.trace(jobs), model_seed=seed)
        instance = workload.to_instance(round_seconds=self.round_seconds)
        rounds = instance.num_rounds
        if horizon != "FIFO 95 %":
            rounds = max(1, fifo_horizon(instance) // 2)
        return replace(instance, num_rounds=rounds), workload


def setting(jobs: str, horizon: str) -> str:
    """Return what the instances of all model seeds have in common; it is their family."""
    return f"{jobs}, horizon {horizon}"


def reference(instance: Instance, seconds: float) -> Reference:
    """Return the interval between nothing and a verified Lagrangian bound."""
    started = time.perf_counter()
    answer = uninterrupted(lagrangian_bound(instance, time_limit=seconds))
    schedule = answer.schedule if answer.schedule is not None else Schedule.empty(instance)
    verified = verify(instance, certify(instance, answer, schedule=schedule))
    if verified.bound is None:
        raise InvariantError("the certificate of a bound has no bound")
    return Reference(
        verified.value, verified.bound, answer.prices, schedule, time.perf_counter() - started
    )


def run_trace_task(suite: TraceSuite, jobs: str, horizon: str, seed: int) -> list[Cell]:
    """Return the cells of all policies on one instance of a trace."""
    instance, _ = suite.instance(jobs, horizon, seed)
    known = reference(instance, suite.bound_seconds)
    sha = instance_sha256(instance)
    family = setting(jobs, horizon)
    cells = [
        run_cell(instance, sha, family, seed, policy_from_text(name), known)[0]
        for name in suite.policies
    ]
    return settle(cells)


def run_one(payload: Mapping[str, Any], needed: Mapping[str, Any] | None) -> dict[str, object]:
    """Run all policies on one instance of a trace; arguments and result are JSON."""
    suite = TraceSuite(**{**payload["suite"], "policies": tuple(payload["suite"]["policies"])})
    if file_sha256(suite.path) != payload["instance_sha256"]:
        raise TraceError(Path(suite.path).name, "is not the file that the sweep has read")
    cells = run_trace_task(suite, payload["jobs"], payload["horizon"], payload["seed"])
    return {"cells": [cell_to_document(cell) for cell in cells]}


def file_sha256(path: str) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def trace_definition(suite: TraceSuite) -> dict[str, object]:
    """Return the suite as JSON, the trace by its content."""
    settings = {**asdict(suite), "path": Path(suite.path).name}
    return {"kind": "trace", "sha256": file_sha256(suite.path), **settings}


def sweep_trace(
    suite: TraceSuite,
    store: Store,
    *,
    workers: int,
    dask: str | None = None,
    cell_seconds: float = CELL_SECONDS,
) -> Iterator[tuple[Place, list[Cell]] | Failure]:
    """Run the suite; yield the cells of each instance as they are finished.

    All policies on an instance are one cell of the sweep, with a limit of ``cell_seconds`` each:
    to make an instance of a large trace may take longer than to run a policy on it.
    """
    suite.trace("whole")
    sha = file_sha256(suite.path)
    same = {
        "trace": sha,
        "round_seconds": suite.round_seconds,
        "bound_seconds": suite.bound_seconds,
        "policies": [policy_content(text) for text in suite.policies],
        "code": code_facts(),
    }
    settings = {**asdict(suite), "path": str(Path(suite.path).resolve())}
    limit = cell_seconds * len(suite.policies) + suite.bound_seconds
    places: dict[str, Place] = {}
    tasks = []
    for jobs, horizon, seed in suite.tasks():
        key = task_key({"role": "trace", **same, "place": [jobs, horizon, seed]})
        places[key] = (jobs, horizon, seed)
        payload = {
            "suite": settings,
            "family": setting(jobs, horizon),
            "jobs": jobs,
            "horizon": horizon,
            "seed": seed,
            "instance_sha256": sha,
        }
        tasks.append(Task(key, f"{__name__}:run_one", payload, None, limit))
    for task, outcome in sweep(tasks, store, workers=workers, dask=dask):
        result: Any = outcome.result
        if outcome.status == "done":
            yield places[task.key], [cell_from_document(cell) for cell in result["cells"]]
        else:
            yield Failure(task, outcome.status, outcome.reason, outcome.detail)


def load_lines(suite: TraceSuite) -> list[tuple[str, str]]:
    """Return what was read and the load it offers, for the head of the report."""
    whole = suite.trace("whole")
    workload = to_workload(whole, model_seed=0)
    load: dict[str, Fraction] = workload.offered_load()
    lines = [
        (
            "trace",
            f"{whole.source}: {len(whole.jobs)} jobs kept, {sum(whole.dropped.values())} dropped",
        ),
        *((f"dropped, {reason}", str(count)) for reason, count in whole.dropped.items()),
        ("cluster", ", ".join(f"{c} {r}" for r, c in workload.cluster.gpus_by_type.items())),
        ("grid", f"rounds of {suite.round_seconds} s; utility effective_throughput, scale 1"),
        (
            "offered load",
            ", ".join(f"{r} {float(x):.0%}" for r, x in load.items())
            + " (each job on its fastest type, over the arrival span, model seed 0)",
        ),
    ]
    return lines
