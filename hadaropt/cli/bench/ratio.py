"""``hadaropt bench``: policies against proved optima, schedulers, experiments in files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from hadaropt.cli.bench.run import (
    Cluster,
    Out,
    Retry,
    Workers,
    carry_out,
    count_workers,
    make_experiment,
)
from hadaropt.cli.bench.runtime import runtime
from hadaropt.cli.common.answer import Answer
from hadaropt.cli.common.options import AsJson, Integer, MaybeInteger, UsageError, did_you_mean

bench = App(name="bench", help="Benchmarks: ratios, schedulers, experiments, running times.")
bench.command(runtime)

CellLimit = Annotated[float, Parameter(help="Seconds after which a cell is stopped and fails.")]
ExperimentFile = Annotated[
    str, Parameter(name="EXPERIMENT", help="A TOML file, or the name of an experiment.")
]
Names = Annotated[str | None, Parameter(help="Comma-separated; all of the default suite if none.")]


@bench.command
def ratio(
    *,
    families: Names = None,
    policies: Names = None,
    parallelism: Names = None,
    seeds: Annotated[Integer, Parameter(help="Seeds 0 .. N-1 of each family.")] = 20,
    jobs: Annotated[Integer, Parameter(help="Jobs of each instance.")] = 12,
    rounds: Annotated[Integer, Parameter(help="Rounds of each instance.")] = 12,
    time_limit: Annotated[float, Parameter(help="Seconds for the proof of one optimum.")] = 20.0,
    cell_limit: CellLimit = 600.0,
    baseline: Annotated[str | None, Parameter(help="Compare the others with it, in pairs.")] = None,
    workers: Workers = None,
    dask: Cluster = None,
    trace: Annotated[Path | None, Parameter(help="A trace file, instead of families.")] = None,
    round_seconds: Annotated[Integer, Parameter(help="Length of a round, with --trace.")] = 1800,
    out: Out = None,
    retry: Retry = False,
    json: AsJson = False,
) -> Answer:
    """Measure the empirical competitive ratio of online policies.

    Every policy runs on the same instances; every optimum is proved or stays an interval; every
    certificate is verified without a solver; no policy may beat a proved bound.
    """
    if trace is not None:
        from hadaropt.cli.bench.trace import trace_ratio

        if baseline is not None:
            raise UsageError(f"--baseline {baseline}: is not for --trace")
        count = count_workers(workers)
        return trace_ratio(trace, policies, round_seconds, count, dask, cell_limit, retry, out)
    from hadaropt.bench.ratio.contestants import contestant_names
    from hadaropt.bench.ratio.suite import DEFAULT_FAMILIES, DEFAULT_POLICIES
    from hadaropt.generate import FAMILIES
    from hadaropt.instance import PARALLELISM

    count_workers(workers)
    families_named = chosen("--families", families, DEFAULT_FAMILIES, tuple(FAMILIES))
    document = {
        "kind": "ratio",
        "families": list(families_named),
        "policies": list(
            chosen("--policies", policies, DEFAULT_POLICIES, contestant_names(), parameters=True)
        ),
        "parallelism": list(chosen("--parallelism", parallelism, PARALLELISM, PARALLELISM)),
        "seeds": seeds,
        "jobs": jobs,
        "rounds": rounds,
        "time_limit": time_limit,
        "cell_seconds": cell_limit,
        "baseline": baseline,
    }
    for option, value in (("--seeds", seeds), ("--jobs", jobs), ("--rounds", rounds)):
        if value < 1:
            raise UsageError(f"{option} {value}: must be >= 1")
    for option, limit in (("--time-limit", time_limit), ("--cell-limit", cell_limit)):
        if not limit > 0:
            raise UsageError(f"{option} {limit}: must be > 0")
    return carry_out(make_experiment(document), "bench ratio", out, workers, dask, retry)


@bench.command
def schedulers(
    *,
    families: Annotated[
        str, Parameter(help="Comma-separated: gavel-like, philly-like.")
    ] = "gavel_like,philly_like",
    schedulers: Annotated[
        str | None, Parameter(help="Comma-separated; the first is the baseline.")
    ] = None,
    seeds: Annotated[Integer, Parameter(help="Seeds 0 .. N-1 of each family.")] = 10,
    jobs: Annotated[Integer, Parameter(help="Jobs of each workload.")] = 100,
    load: Annotated[str | None, Parameter(help="Offered load, instead of the family's.")] = None,
    round_seconds: Annotated[str, Parameter(help="Length of a round.")] = "360",
    restart_seconds: Annotated[str, Parameter(help="Lost when an allocation changes.")] = "10",
    objective: Annotated[str, Parameter(help="What hadar values (see simulate).")] = "jct",
    cell_limit: CellLimit = 600.0,
    workers: Workers = None,
    dask: Cluster = None,
    out: Out = None,
    retry: Retry = False,
    json: AsJson = False,
) -> Answer:
    """Compare round schedulers on the same workloads, seed by seed."""
    from hadaropt.bench.schedulers.suite import DEFAULT_SCHEDULERS
    from hadaropt.generate import FAMILIES
    from hadaropt.simulate.registry import scheduler_names

    count_workers(workers)
    with_seconds = tuple(name for name, found in FAMILIES.items() if found.build_workload)
    known = scheduler_names()
    document = {
        "kind": "schedulers",
        "families": list(chosen("--families", families, (), with_seconds)),
        "schedulers": list(
            chosen("--schedulers", schedulers, DEFAULT_SCHEDULERS, known, parameters=True)
        ),
        "seeds": seeds,
        "jobs": jobs,
        "parameters": {} if load is None else {"load": load},
        "round_seconds": round_seconds,
        "restart_seconds": restart_seconds,
        "objective": objective,
        "cell_seconds": cell_limit,
    }
    return carry_out(make_experiment(document), "bench schedulers", out, workers, dask, retry)


@bench.command
def run(
    experiment: ExperimentFile,
    /,
    *,
    seeds: Annotated[MaybeInteger, Parameter(help="Instead of the number in the file.")] = None,
    time_limit: Annotated[float | None, Parameter(help="Instead of the one in the file.")] = None,
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


@bench.command
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


DEFAULT_PRICES = {"primal_dual": "primal_dual:zero_start"}
"""What a name without its price function would mean."""


def chosen(
    option: str,
    text: str | None,
    default: Sequence[str],
    known: Sequence[str],
    *,
    parameters: bool = False,
) -> tuple[str, ...]:
    """Return the names of a comma-separated list, each known, each once.

    With ``parameters`` a name may be followed by some in brackets, which are not checked here.

    Raises
    ------
    UsageError
        For an empty selection or name, a name twice, or an unknown one; the nearest is named.
    """
    if text is None:
        return tuple(default)
    parts = [name.strip() for name in re.split(r",(?![^\[]*\])", text)]
    if not any(parts):
        raise UsageError(f'{option} "{text}": selects nothing')
    if not all(parts):
        raise UsageError(f'{option} "{text}": holds an empty name')
    names = [name if name in known else name.replace("-", "_") for name in parts]
    for i, given in enumerate(names):
        name = given.partition("[")[0] if parameters else given
        if name not in known:
            price = DEFAULT_PRICES.get(name)
            hint = f"; did you mean {price}?" if price in known else did_you_mean(name, known)
            raise UsageError(f"{option} {name}: must be one of {', '.join(known)}{hint}")
        if given in names[:i]:
            raise UsageError(f'{option} "{text}": names {given} twice')
    return tuple(names)


def check_new_folder(out: Path) -> None:
    """Check, before any work is done, that a folder can be made; it is not left there.

    Raises
    ------
    OSError
        If it cannot.
    """
    missing = [folder for folder in (out, *out.parents) if not folder.exists()]
    out.mkdir(parents=True)
    for folder in missing:
        folder.rmdir()


def new_folder(out: Path | None) -> Path | None:
    """Make the results folder.

    Raises
    ------
    UsageError
        If it exists: results are never mixed.
    """
    if out is not None:
        if out.exists():
            raise UsageError(f"--out {out}: exists already; name a new folder")
        out.mkdir(parents=True)
    return out
