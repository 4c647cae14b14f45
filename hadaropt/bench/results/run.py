"""An experiment from its definition to its results folder."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hadaropt.bench.ratio.cells import Cell
from hadaropt.bench.ratio.suite import RatioSuite, dump
from hadaropt.bench.ratio.sweep import Failure, Place, sweep_ratio
from hadaropt.bench.results.experiment import Experiment
from hadaropt.bench.schedulers.suite import SchedulerSuite, SimulatedCell, sweep_schedulers
from hadaropt.exact import to_text
from hadaropt.io.files import write_text
from hadaropt.mip.highs import DEFAULT_OPTIONS
from hadaropt.sweep import Store, open_store
from hadaropt.sweep.manifest import write_manifest


@dataclass
class Results:
    """What an experiment has given so far.

    Attributes
    ----------
    experiment : Experiment
    suites : dict
        Index of a suite -> place -> cells (ratio).
    simulated : list of SimulatedCell
        (schedulers)
    failures : list of Failure
    instances : list
        [family, seed, model, SHA-256] of every instance.
    seconds : dict
        Summed over the cells, by what they were spent on; and ``wall``.
    complete : bool
        False after Ctrl-C.
    files : dict
    """

    experiment: Experiment
    suites: dict[int, dict[Place, list[Cell]]] = field(default_factory=dict)
    simulated: list[SimulatedCell] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    instances: list[list[object]] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    complete: bool = False
    files: dict[str, str] = field(default_factory=dict)

    @property
    def cells(self) -> list[Cell]:
        """All cells of a ratio experiment, in the order of its definition."""
        return [cell for k in range(len(self.experiment.suites)) for cell in self.of_suite(k)]

    def of_suite(self, k: int) -> list[Cell]:
        """Return the cells of one suite, in its order."""
        suite, found = self.experiment.suites[k], self.suites.get(k, {})
        assert isinstance(suite, RatioSuite)
        return [cell for place in suite.tasks() if place in found for cell in found[place]]

    def spend(self, seconds: Mapping[str, float]) -> None:
        """Add seconds."""
        for name, value in seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + value


def size(experiment: Experiment) -> int:
    """Return the number of steps of which ``advance`` of `run_experiment` counts one each."""
    return sum(
        len(suite.tasks())
        if isinstance(suite, RatioSuite)
        else suite.seeds * len(suite.families) * len(suite.schedulers)
        for suite in experiment.suites
    )


def run_experiment(
    experiment: Experiment,
    *,
    out: Path | None = None,
    workers: int = 1,
    dask: str | None = None,
    retry: bool = False,
    advance: Callable[[int], None] = lambda proved: None,
) -> Results:
    """Run an experiment, or what is missing of it in its folder; Ctrl-C returns what there is.

    Parameters
    ----------
    experiment : Experiment
    out : Path, optional
        Results folder: new, or of this very experiment.
    workers : int
    dask : str, optional
        Address of a cluster.
    retry : bool
        Compute again the cells of the folder that failed.
    advance : callable
        Called after each instance (ratio) or cell (schedulers) with the number of proved optima.

    Raises
    ------
    SweepError
        If the folder is in use or holds something else, or no cluster answers.
    OSError
        If the disk is full.
    """
    results = Results(experiment)
    started = time.perf_counter()
    with open_store(out, experiment.definition) as store:
        if retry:
            store.forget_failures()
        try:
            _run(results, store, workers, dask, advance)
            results.complete = True
        except KeyboardInterrupt:
            results.complete = False
        results.seconds["wall"] = time.perf_counter() - started
        for failure in results.failures:
            files = _reproduce(failure, out)
            results.files |= {f"failure {failure.task.key[:12]}": file for file in files}
        if out is not None:
            how = {"workers": workers} if dask is None else {"cluster": "dask"}
            results.files["manifest"] = str(write_manifest(out, {**manifest_facts(results), **how}))
    return results


def _run(
    results: Results,
    store: Store,
    workers: int,
    dask: str | None,
    advance: Callable[[int], None],
) -> None:
    suites: Any = results.experiment.suites
    how: dict[str, Any] = {
        "workers": workers,
        "dask": dask,
        "cell_seconds": float(results.experiment.document["cell_seconds"]),
    }
    if results.experiment.kind == "ratio":
        for found in sweep_ratio(suites, store, **how):
            results.suites.setdefault(found.suite, {})[found.place] = found.cells
            results.failures += found.failures
            family = suites[found.suite].named(found.place[0])
            results.instances.append([family, *found.place[1:], found.instance_sha256])
            results.spend(found.seconds)
            advance(sum(cell.closed for cell in found.cells[:1]))
        return
    for cell in sweep_schedulers(suites, store, **how):
        if isinstance(cell, Failure):
            results.failures.append(cell)
        else:
            results.simulated.append(cell)
            row: list[object] = [cell.family, cell.seed, "", cell.workload_sha256]
            if row not in results.instances:
                results.instances.append(row)
            results.spend(cell.seconds)
        advance(0)
    order = [
        (f"{family} {suite.label}".rstrip(), seed, name)
        for suite in suites
        for seed in range(suite.seeds)
        for family in suite.families
        for name in suite.schedulers
    ]
    rank = {place: k for k, place in enumerate(order)}
    results.simulated.sort(key=lambda c: rank[c.family, c.seed, c.scheduler])


def manifest_facts(results: Results) -> dict[str, object]:
    """Return the manifest's own part."""
    experiment = results.experiment
    status = [failure.status for failure in results.failures]
    done = len(results.cells) if experiment.kind == "ratio" else len(results.simulated)
    counts = {"done": done, **{name: status.count(name) for name in sorted(set(status))}}
    seeds: Any = experiment.document["seeds"]
    return {
        "definition": experiment.document,
        "complete": results.complete,
        "seeds": list(range(seeds)),
        "solver": {"name": "HiGHS", "options": DEFAULT_OPTIONS},
        "seconds": {name: round(value, 3) for name, value in sorted(results.seconds.items())},
        "cells": counts,
        "instances": sorted(results.instances, key=str),
        "results": result_rows(results),
    }


def result_rows(results: Results) -> list[tuple[str, str]]:
    """Return what a rerun must find again: place and exact figures of every cell, sorted."""
    if results.experiment.kind == "ratio":
        rows = [
            (
                f"{c.policy} on {c.family} {c.seed} {c.parallelism}",
                f"P = {to_text(c.primal)}, OPT in [{to_text(c.best)}, {to_text(c.bound)}], "
                f"theorem {c.theorem or 'none'}",
            )
            for c in results.cells
        ]
    else:
        names = ("jct_s.mean", "makespan_s", "gru", "restarts", "rounds")
        rows = [
            (
                f"{c.scheduler} on {c.family} {c.seed}",
                ", ".join(f"{name} = {c.figures.get(name)!r}" for name in names),
            )
            for c in results.simulated
        ]
    return sorted(rows)


def _reproduce(failure: Failure, out: Path | None) -> list[str]:
    """Write what reproduces a failure; without a folder, only the instance of a contradiction."""
    payload: Mapping[str, Any] = failure.task.payload
    sha = str(payload["instance_sha256"])
    if failure.status == "skipped" or (out is None and failure.status != "breach"):
        return []
    folder = None if out is None else out / "failures" / failure.task.key[:12]
    files: list[str] = []
    if not sha:  # no instance could be made: the cell says why
        pass
    elif "parallelism" in payload:
        suite = RatioSuite(
            jobs=payload["jobs"], rounds=payload["rounds"], parameters=payload["parameters"]
        )
        instance = suite.instance(payload["family"], payload["seed"], payload["parallelism"])
        files += dump(instance, sha, None if folder is None else str(folder))
    else:
        from hadaropt.io import write_workload

        suite_of = SchedulerSuite(jobs=payload["jobs"], parameters=payload["parameters"])
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / f"workload-{sha[:12]}.json"
            write_workload(suite_of.workload(payload["family"], payload["seed"]), file)
            files.append(str(file))
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        cell = {
            "function": failure.task.function,
            "payload": payload,
            "status": failure.status,
            "reason": failure.reason,
            "detail": failure.detail,
        }
        write_text(folder / "cell.json", json.dumps(cell, indent=1) + "\n")
        files.append(str(folder / "cell.json"))
    return files
