"""Workloads and traces as the commands read them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from hadaropt.cli.options import MaybeInteger, UsageError

if TYPE_CHECKING:
    from hadaropt.instance import Cluster
    from hadaropt.simulate.problem import RoundProblem
    from hadaropt.workload import Workload


def _positive(_: type, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise ValueError("must be finite and > 0")


def _positive_or_none(kind: type, value: float | None) -> None:
    if value is not None:
        _positive(kind, value)


WorkloadFile = Annotated[
    Path,
    Parameter(name="WORKLOAD", help="Workload (JSON) or trace in its original format, may be .gz."),
]
ClusterSpec = Annotated[
    str | None,
    Parameter(
        help="TYPE=NODESxGPUS,... (TYPE=N is one node of N GPUs), for traces "
        "(V100=5x4,P100=5x4,K80=5x4, if none is named)."
    ),
]
Throughputs = Annotated[
    Path | None,
    Parameter(help="Measured throughputs, one measurement per row (csv), for traces."),
]
OutputFolder = Annotated[
    Path | None,
    Parameter(name=["--output", "-o"], help="Folder to write to (made where it is missing)."),
]
RoundSeconds = Annotated[float, Parameter(help="Length of a round.", validator=_positive)]
RestartSeconds = Annotated[
    float | None, Parameter(help="Lost when a job's allocation changes (0, if none is named).")
]
ObjectiveName = Annotated[
    Literal["effective_throughput", "slowdown", "jct"] | None,
    Parameter(
        help="What hadar and hadare:utility value in a job done after d rounds: Q/(d tau), that "
        "over its fastest speed, or 1/d (effective_throughput, if none is named)."
    ),
]
ModelSeed = Annotated[
    MaybeInteger,
    Parameter(help="Names the assignment of models to the jobs of a trace (0, if none is named)."),
]
Load = Annotated[
    float | None,
    Parameter(
        help="Thin a trace at random, at the model seed, to this load of all GPUs by its durations "
        "(whole, if none is named).",
        validator=_positive_or_none,
    ),
]


def parse_cluster(text: str) -> Cluster:
    """Return the cluster of ``--cluster``.

    Raises
    ------
    UsageError
        Naming the part that cannot be read.
    """
    from hadaropt.errors import InstanceError
    from hadaropt.instance import Cluster

    try:
        return Cluster.parse(text)
    except InstanceError as bad:
        raise UsageError(f"--{bad}") from None


@contextmanager
def output_folder(folder: Path | None, files: Iterable[str]) -> Iterator[Path | None]:
    """Yield the folder, made where it is missing; no other command writes into it meanwhile.

    Raises
    ------
    UsageError
        If it is no folder, holds one of the files already (nothing is overwritten), or another
        command is about to write into it.
    """
    from hadaropt.io.locks import lock_now

    if folder is None:
        yield None
        return
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--output {folder}: is a file, must be a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--output {folder}: cannot be made: {error.strerror}") from None
    handle = os.open(folder, os.O_RDONLY)
    try:
        if not lock_now(handle, str(folder)):
            raise UsageError(f"--output {folder}: another command is writing there")
        for name in files:
            if (folder / name).exists():
                raise UsageError(f"--output {folder}: holds {name} already; name another folder")
        yield folder
    finally:
        os.close(handle)


def cluster_line(cluster: Cluster) -> str:
    """Return the GPUs of a cluster by type, in words."""
    counts = zip(cluster.accelerators, cluster.pooled_capacity, strict=True)
    gpus = ", ".join(f"{count} {kind}" for kind, count in counts)
    count = len(cluster.nodes)
    return f"{gpus} on {count} node{'' if count == 1 else 's'}"


def load_workload(
    path: Path,
    cluster: Cluster | None,
    throughputs: Path | None,
    model_seed: int | None,
    load: float | None = None,
) -> tuple[Workload, dict[str, object]]:
    """Return the workload in a file, and what an answer says about where it came from."""
    from hadaropt.errors import InstanceError
    from hadaropt.instance import Cluster
    from hadaropt.io import read_workload
    from hadaropt.traces import read_trace, thin_trace, to_workload
    from hadaropt.traces.conversion import DEFAULT_CLUSTER
    from hadaropt.traces.table import read_text
    from hadaropt.traces.throughputs import read_throughputs

    text = read_text(path)
    if '"hadaropt-workload/' in text:
        options = {
            "--cluster": cluster,
            "--throughputs": throughputs,
            "--model-seed": model_seed,
            "--load": load,
        }
        for flag, value in options.items():
            if value is not None:
                raise UsageError(f"{flag}: is for traces, {path.name} is a workload")
        own = read_workload(path)
        return own, {"source": path.name, "format": "hadaropt-workload"}
    if '"hadaropt-instance/' in text:
        rule = (
            "is an instance; a workload comes from `hadaropt generate FAMILY --workload` or a trace"
        )
        wrong = InstanceError("", rule)
        wrong.file = str(path)
        raise wrong
    trace = read_trace(path)
    table = None if throughputs is None else read_throughputs(throughputs)
    seed = model_seed or 0
    if load is not None:
        target = Cluster.parse(DEFAULT_CLUSTER) if cluster is None else cluster
        trace = thin_trace(trace, target, str(load), seed=seed)
    own = to_workload(trace, cluster, model_seed=seed, table=table)
    dropped = dict(trace.dropped)
    facts = {"source": path.name, "format": trace.format, "dropped": dropped, "model_seed": seed}
    return own, facts


def round_problem(
    workload: Workload,
    round_seconds: float,
    restart_seconds: float | None,
    objective: ObjectiveName,
    consolidation_seconds: float | None = None,
) -> RoundProblem:
    """Return the workload in rounds, as the options say."""
    from hadaropt.simulate.problem import RoundProblem

    return RoundProblem.of_workload(
        workload,
        round_seconds=str(round_seconds),
        restart_seconds=str(restart_seconds or 0),
        objective=objective or "effective_throughput",
        consolidation_seconds=str(consolidation_seconds or 0),
    )


def rows_dropped(facts: Mapping[str, object]) -> str:
    """Return how many rows of a trace were left out and why, in words."""
    dropped = facts.get("dropped")
    if not isinstance(dropped, dict) or not dropped:
        return "none"
    return ", ".join(f"{count} {reason}" for reason, count in dropped.items())
