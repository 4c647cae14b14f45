"""Round schedulers on workloads, as a sweep: the same workloads for every scheduler."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from hadaropt.bench.ratio.sweep import CELL_SECONDS, Failure, spent
from hadaropt.errors import InstanceError, PlacedError
from hadaropt.generate import generate_workload
from hadaropt.io.workloads import workload_to_document
from hadaropt.plugins import SCHEDULERS, plugin_facts
from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.metrics import metrics
from hadaropt.simulate.misinformed import MisinformedScheduler
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import BUILT_IN, make_scheduler
from hadaropt.simulate.scheduler_text import declare_workload, scheduler_from_text
from hadaropt.sweep import Store, Task, sweep, task_key
from hadaropt.sweep.sources import code_facts
from hadaropt.workload import Workload

DEFAULT_SCHEDULERS = (
    "hadar",
    "gavel:max_min_fairness_perf",
    "tiresias",
    "yarn",
)
FUNCTION = "hadaropt.bench.schedulers.suite:run_one"


@dataclass(frozen=True)
class SchedulerSuite:
    """Which workloads and which schedulers.

    Attributes
    ----------
    families : tuple of str
        Those of `generate_workload`.
    schedulers : tuple of str
    seeds, jobs : int
    round_seconds, restart_seconds : str
        Exact numbers of seconds.
    objective : str
        What hadar values (see `RoundProblem.of_workload`).
    parameters : mapping
        Further parameters of `generate_workload`, such as ``load``.
    label : str
        Tells this suite from the others of its experiment.
    """

    families: tuple[str, ...] = ("gavel_like", "philly_like")
    schedulers: tuple[str, ...] = DEFAULT_SCHEDULERS
    seeds: int = 10
    jobs: int = 100
    round_seconds: str = "360"
    restart_seconds: str = "10"
    objective: str = "jct"
    parameters: Mapping[str, object] = field(default_factory=dict)
    label: str = ""

    def workload(self, family: str, seed: int) -> Workload:
        """Return one workload of the suite."""
        return generate_workload(family, seed=seed, num_jobs=self.jobs, **self.parameters)  # type: ignore[arg-type]


@dataclass(frozen=True)
class SimulatedCell:
    """The figures of one scheduler on one workload.

    Attributes
    ----------
    family : str
        With what varies.
    seed : int
    scheduler : str
    workload_sha256 : str
    figures : mapping
        Flat: every figure of `hadaropt.simulate.metrics.Metrics`, such as ``jct_s.mean``.
    jct : mapping
        Completed job (its index as text) -> JCT in seconds.
    seconds : dict
        By what they were spent on: compile, build, run, check.
    """

    family: str
    seed: int
    scheduler: str
    workload_sha256: str
    figures: Mapping[str, float | None]
    jct: Mapping[str, float]
    seconds: dict[str, float]


def workload_sha256(workload: Workload) -> str:
    """Return the SHA-256 of a workload's document, its name left out."""
    document = {key: x for key, x in workload_to_document(workload).items() if key != "name"}
    return hashlib.sha256(json.dumps(document, sort_keys=True, default=str).encode()).hexdigest()


def run_one(payload: Mapping[str, Any], needed: Mapping[str, Any] | None) -> dict[str, object]:
    """Simulate one scheduler on one workload; arguments and result are JSON."""
    started = time.perf_counter()
    sizes = {"seed": payload["seed"], "num_jobs": payload["jobs"], **payload["parameters"]}
    workload = generate_workload(payload["family"], **sizes)
    sha = workload_sha256(workload)
    if sha != payload["instance_sha256"]:
        raise RuntimeError(f"the workload is {sha} here, and {payload['instance_sha256']} there")
    settings = {name: payload[name] for name in ("round_seconds", "restart_seconds", "objective")}
    problem = RoundProblem.of_workload(workload, **settings)
    name, wrong = scheduler_from_text(payload["scheduler"])
    scheduler = make_scheduler(name)
    if wrong is not None:
        told = RoundProblem.of_workload(declare_workload(workload, wrong), **settings)
        scheduler = MisinformedScheduler(scheduler, told)
    built = time.perf_counter()
    run = simulate_rounds(problem, scheduler)
    done = time.perf_counter()
    figures = _flat(asdict(metrics(run)), "")
    seconds = {"build": built - started, "run": done - built, "check": time.perf_counter() - done}
    jct = {str(j): float(x) for j, x in run.jct.items()}
    return {"figures": figures, "jct": jct, "seconds": seconds}


def warm(payload: Mapping[str, Any], needed: Mapping[str, Any] | None) -> dict[str, object]:
    """Compile the kernels of the schedulers, or load them."""
    workload = generate_workload("gavel_like", seed=0, num_jobs=4)
    for name in payload["schedulers"]:
        simulate_rounds(RoundProblem.of_workload(workload), make_scheduler(name))
    return {}


def _flat(value: Mapping[str, Any], prefix: str) -> dict[str, float | None]:
    flat: dict[str, float | None] = {}
    for key, item in value.items():
        flat |= _flat(item, f"{prefix}{key}.") if isinstance(item, dict) else {prefix + key: item}
    return flat


def scheduler_tasks(
    suites: Sequence[SchedulerSuite], cell_seconds: float = CELL_SECONDS
) -> list[tuple[Task, str]]:
    """Return the task of every cell, and the name of its family in tables.

    A workload that cannot be made has tasks without a hash, which fail with the reason.

    Raises
    ------
    InstanceError
        If none can be made: then the definition is wrong.
    """
    code, tasks = code_facts(), []
    unmade: list[PlacedError] = []
    made = False
    for suite in suites:
        plugins = {
            text: plugin_facts(SCHEDULERS, name)
            for text in suite.schedulers
            if (name := scheduler_from_text(text)[0]) not in BUILT_IN
        }
        for seed in range(suite.seeds):
            for family in suite.families:
                try:
                    sha = workload_sha256(suite.workload(family, seed))
                    made = True
                except InstanceError as bad:
                    sha = ""
                    unmade.append(bad.below(f"{family} seed {seed}"))
                for name in suite.schedulers:
                    how = {
                        "scheduler": name,
                        "round_seconds": suite.round_seconds,
                        "restart_seconds": suite.restart_seconds,
                        "objective": suite.objective,
                    }
                    payload = {
                        "instance_sha256": sha,
                        "family": family,
                        "seed": seed,
                        "jobs": suite.jobs,
                        "parameters": dict(suite.parameters),
                        **how,
                    }
                    what = sha or payload
                    content = {"role": "scheduler", "instance": what, "code": code, **how}
                    key = task_key({**content, "plugin": plugins.get(name)})
                    task = Task(key, FUNCTION, payload, None, cell_seconds)
                    tasks.append((task, f"{family} {suite.label}".rstrip()))
    if unmade and not made:
        raise unmade[0]
    return tasks


def sweep_schedulers(
    suites: Sequence[SchedulerSuite],
    store: Store,
    *,
    workers: int = 1,
    dask: str | None = None,
    cell_seconds: float = CELL_SECONDS,
) -> Iterator[SimulatedCell | Failure]:
    """Run suites; yield each cell as it is finished."""
    tasks = scheduler_tasks(suites, cell_seconds)
    labels: dict[str, list[str]] = {}
    for task, label in tasks:
        labels.setdefault(task.key, []).append(label)
    once = {task.key: task for task, _ in tasks}
    names = (scheduler_from_text(text)[0] for suite in suites for text in suite.schedulers)
    used = dict.fromkeys(name for name in names if name in BUILT_IN)
    warm_call = ("hadaropt.bench.schedulers.suite:warm", {"schedulers": list(used)})
    for task, outcome in sweep(once.values(), store, workers=workers, dask=dask, warm=warm_call):
        for label in labels[task.key]:
            if outcome.status != "done" or outcome.result is None:
                yield Failure(task, outcome.status, outcome.reason, outcome.detail)
                continue
            result: Mapping[str, Any] = outcome.result
            payload: Mapping[str, Any] = task.payload
            yield SimulatedCell(
                label,
                payload["seed"],
                payload["scheduler"],
                payload["instance_sha256"],
                result["figures"],
                result["jct"],
                spent([outcome]),
            )
