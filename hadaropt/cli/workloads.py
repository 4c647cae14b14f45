"""Workloads and traces as the commands read them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from hadaropt.cli.options import MaybeInteger, UsageError

if TYPE_CHECKING:
    from hadaropt.instance import Cluster
    from hadaropt.workload import Workload


def _positive(_: type, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise ValueError("must be finite and > 0")


WorkloadFile = Annotated[
    Path,
    Parameter(name="WORKLOAD", help="Workload (JSON) or trace in its original format, may be .gz."),
]
ClusterSpec = Annotated[
    str | None,
    Parameter(help="TYPE=NODESxGPUS,... (TYPE=N is one node of N GPUs), for traces."),
]
Throughputs = Annotated[
    Path | None,
    Parameter(help="Measured throughputs, one measurement per row (csv), for traces."),
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


def load_workload(
    path: Path, cluster: Cluster | None, throughputs: Path | None, model_seed: int | None
) -> tuple[Workload, dict[str, object]]:
    """Return the workload in a file, and what an answer says about where it came from."""
    from hadaropt.io import read_workload
    from hadaropt.traces import read_trace, to_workload
    from hadaropt.traces.table import read_text
    from hadaropt.traces.throughputs import read_throughputs

    if '"hadaropt-workload/' in read_text(path):
        options = {
            "--cluster": cluster,
            "--throughputs": throughputs,
            "--model-seed": model_seed,
        }
        for flag, value in options.items():
            if value is not None:
                raise UsageError(f"{flag}: is for traces, {path.name} is a workload")
        own = read_workload(path)
        return own, {"source": path.name, "format": "hadaropt-workload"}
    trace = read_trace(path)
    table = None if throughputs is None else read_throughputs(throughputs)
    seed = model_seed or 0
    own = to_workload(trace, cluster, model_seed=seed, table=table)
    dropped = dict(trace.dropped)
    facts = {"source": path.name, "format": trace.format, "dropped": dropped, "model_seed": seed}
    return own, facts


def rows_dropped(facts: Mapping[str, object]) -> str:
    """Return how many rows of a trace were left out and why, in words."""
    dropped = facts.get("dropped")
    if not isinstance(dropped, dict) or not dropped:
        return "none"
    return ", ".join(f"{count} {reason}" for reason, count in dropped.items())
