"""``hadaropt bench run`` and ``rerun``: experiments that a file defines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from hadaropt.cli.bench.run import Cluster, Out, Retry, Workers, carry_out, count_workers
from hadaropt.cli.common.answer import Answer
from hadaropt.cli.common.options import AsJson, MaybeInteger, UsageError, option

ExperimentFile = Annotated[
    str, Parameter(name="EXPERIMENT", help="A TOML file, or the name of an experiment.")
]


def run(
    experiment: ExperimentFile,
    /,
    *,
    seeds: Annotated[
        MaybeInteger, option("Seeds 0 .. N-1 of each family.", default="the file's", unit="seeds")
    ] = None,
    time_limit: Annotated[
        float | None,
        option("For the proof of one optimum.", default="the file's", unit="seconds"),
    ] = None,
    workers: Workers = None,
    dask: Cluster = None,
    out: Out = None,
    retry: Retry = False,
    json: AsJson = False,
) -> Answer:
    """Run an experiment that a file defines, or one that comes with hadaropt, by name."""
    from hadaropt.bench.results.experiment import find_experiment

    count_workers(workers)
    if time_limit is not None and find_experiment(experiment, {}).kind != "ratio":
        raise UsageError(f"--time-limit {time_limit}: {experiment} has no optima to prove")
    changes = {"seeds": seeds, "time_limit": time_limit}
    given = {name: value for name, value in changes.items() if value is not None}
    found = find_experiment(experiment, given)
    return carry_out(found, "bench run", out, workers, dask, retry)


def rerun(
    manifest: Annotated[
        Path, Parameter(name="MANIFEST", help="manifest.json, or the results folder of it.")
    ],
    /,
    *,
    workers: Workers = None,
    dask: Cluster = None,
    out: Out = None,
    json: AsJson = False,
) -> Answer:
    """Run the experiment of a manifest again, and say what differs.

    Exit code 0: every cell gives the same exact figures (versions, machine and times may differ).
    1: some do not.
    """
    from hadaropt.cli.bench.rerun import rerun_manifest

    return rerun_manifest(manifest, count_workers(workers), dask, out)
