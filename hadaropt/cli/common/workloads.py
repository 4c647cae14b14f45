"""Workloads and traces as the commands read them."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from hadaropt.cli.common.options import (
    MaybeInteger,
    UsageError,
    as_choice,
    check_extra,
    option,
    option_error,
    out_option,
)

if TYPE_CHECKING:
    from hadaropt.instance import Cluster
    from hadaropt.simulate.problem import RoundProblem
    from hadaropt.traces.throughputs import ThroughputTable
    from hadaropt.workload import Workload


def _positive(_: type, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise ValueError("must be finite and > 0")


def _positive_or_none(kind: type, value: float | None) -> None:
    if value is not None:
        _positive(kind, value)


VALUED = (
    "What hadar and hadare:utility value in a job done after d rounds: Q/(d tau), that over its "
    "fastest speed, or 1/d."
)
WorkloadFile = Annotated[
    Path,
    Parameter(name="WORKLOAD", help="Workload (JSON) or trace in its original format, may be .gz."),
]
ClusterSpec = Annotated[
    str | None,
    option(
        "TYPE=NODESxGPUS,... (TYPE=N is one node of N GPUs), for traces.",
        default="V100=5x4,P100=5x4,K80=5x4",
    ),
]
Throughputs = Annotated[
    Path | None,
    option(
        "Measured throughputs, one measurement per row (csv), for traces, whose durations are "
        "those on a V100 or, where none was measured, on the first type of the file.",
        default="the table that comes with hadaropt",
    ),
]
RelativeSpeeds = Annotated[
    str | None,
    option(
        "TYPE=FACTOR,... (2.2 or 11/5): every model runs on TYPE at that multiple of its speed on "
        "a V100 (on the first type of --throughputs where that has none), whatever was measured "
        "there; for traces.",
        default="as measured",
    ),
]
Columns = Annotated[
    str | None,
    option(
        "Read any csv: submit=COLUMN,start=COLUMN,end=COLUMN,gpus=COLUMN and, where there are, "
        "type, id, status, queue, user, duration, node, model.",
        default="those of the format",
    ),
]
OutputFolder = Annotated[
    Path | None,
    out_option("Folder to write to (made where it is missing).", default="not written"),
]
RoundSeconds = Annotated[float, option("Length of a round.", unit="seconds", validator=_positive)]
RestartSeconds = Annotated[
    float | None, option("Lost when a job's allocation changes.", default="0", unit="seconds")
]
Objective = Annotated[
    Literal["effective_throughput", "slowdown", "jct"],
    option(VALUED, converter=as_choice),
]
ObjectiveName = Annotated[
    Literal["effective_throughput", "slowdown", "jct"] | None,
    option(VALUED, default="effective_throughput", converter=as_choice),
]
ModelSeed = Annotated[
    MaybeInteger, option("Names the assignment of models to the jobs of a trace.", default="0")
]
Load = Annotated[
    float | None,
    option(
        "Thin a trace at random, at the model seed, to this load by its durations.",
        default="the whole trace",
        unit="GPU-seconds of the jobs over those of the cluster",
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
        raise option_error(bad) from None


def named_columns(text: str | None) -> dict[str, str] | None:
    """Return the columns of ``--columns``, None where it is absent.

    Raises
    ------
    UsageError
        Naming the part that cannot be read.
    """
    from hadaropt.errors import TraceError
    from hadaropt.traces.formats.columns import parse_columns

    try:
        return None if text is None else parse_columns(text)
    except TraceError as bad:
        raise option_error(bad) from None


@contextmanager
def telling_columns() -> Iterator[None]:
    """Let the error of a csv that fits no format say how any csv is read."""
    from hadaropt.errors import TraceError
    from hadaropt.traces.formats.columns import TEMPLATE

    try:
        yield
    except TraceError as bad:
        if "fit no format" in bad.rule:
            rule = f"{bad.rule}; any csv is read with {TEMPLATE}"
            raise TraceError(bad.path, rule, bad.value) from None
        raise


def parse_factors(option: str, text: str, otherwise: str = "") -> dict[str, str]:
    """Return the factors of ``TYPE=FACTOR,...``, as text.

    Parameters
    ----------
    option : str
        Where the text was given.
    text : str
    otherwise : str
        What else may stand there, for the error.

    Raises
    ------
    UsageError
        Naming the part that cannot be read, or a type that stands twice.
    """
    from hadaropt.errors import shown

    factors: dict[str, str] = {}
    for part in text.split(","):
        kind, equals, factor = (piece.strip() for piece in part.partition("="))
        if not (kind and equals and factor) or kind in factors:
            rule = f"must be {otherwise}TYPE=FACTOR with each type once, such as A100=1,H100=2.2"
            raise UsageError(f"{option} {shown(part)}: {rule}")
        factors[kind] = factor
    return factors


def speed_table(throughputs: Path | None, relative_speeds: str | None) -> ThroughputTable | None:
    """Return the table of ``--throughputs`` and ``--relative-speeds``, None where none is named.

    Raises
    ------
    UsageError
        Naming the part of ``--relative-speeds`` that cannot be read.
    """
    from hadaropt.errors import TraceError
    from hadaropt.traces.throughputs import measured, read_throughputs

    table = None if throughputs is None else read_throughputs(throughputs)
    if relative_speeds is None:
        return table
    factors = parse_factors("--relative-speeds", relative_speeds)
    try:
        return (measured() if table is None else table).with_relative(factors)
    except TraceError as bad:
        raise UsageError(f"--relative-speeds: {bad}") from None


def idle_warnings(workload: Workload, hint: str) -> list[str]:
    """Return a warning that names the types of the cluster on which no job can run, if any."""
    from hadaropt.traces.conversion import idle_types, idle_warning

    idle = idle_types(workload)
    return [idle_warning(idle, hint)] if idle else []


@contextmanager
def output_folder(
    folder: Path | None, files: Iterable[str], extras: Mapping[str, str]
) -> Iterator[Path | None]:
    """Yield the folder, made where it is missing; no other command writes into it meanwhile.

    `extras` are the modules that write the files, each with its extra.

    Raises
    ------
    UsageError
        If it is no folder, holds one of the files already (nothing is overwritten), or another
        command is about to write into it.
    MissingExtraError
        If a module that writes the files is not installed.
    """
    from hadaropt.io.locks import lock_now

    if folder is None:
        yield None
        return
    for module, extra in extras.items():
        check_extra(extra, module)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {folder}: is a file, must be a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {folder}: cannot be made: {error.strerror}") from None
    handle = os.open(folder, os.O_RDONLY)
    try:
        if not lock_now(handle, str(folder)):
            raise UsageError(f"--out {folder}: another command is writing there")
        for name in files:
            if (folder / name).exists():
                raise UsageError(f"--out {folder}: holds {name} already; name another folder")
        yield folder
    finally:
        os.close(handle)


def cluster_line(cluster: Cluster) -> str:
    """Return the GPUs of a cluster by type, in words."""
    counts = cluster.gpus_by_type.items()
    gpus = ", ".join(f"{count} {kind}" for kind, count in counts)
    count = len(cluster.nodes)
    return f"{gpus} on {count} node{'' if count == 1 else 's'}"


def load_workload(
    path: Path,
    cluster: Cluster | None,
    throughputs: Path | None,
    model_seed: int | None,
    load: float | None = None,
    relative_speeds: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> tuple[Workload, dict[str, object]]:
    """Return the workload in a file, and what an answer says about where it came from.

    Its ``warnings`` name the types of the cluster on which nothing can run, and the gang sizes of a
    trace whose speeds are guessed. That a trace runs on the default cluster is said on standard
    error.
    """
    from hadaropt.errors import InstanceError
    from hadaropt.instance import Cluster
    from hadaropt.io import read_workload
    from hadaropt.traces import read_trace, thin_trace, to_workload
    from hadaropt.traces.conversion import (
        DEFAULT_CLUSTER,
        GIVE_SPEEDS,
        guess_warning,
        guessed_gangs,
    )
    from hadaropt.traces.table import read_text

    text = read_text(path)
    if '"hadaropt-workload/' in text:
        options = {
            "--cluster": cluster,
            "--throughputs": throughputs,
            "--relative-speeds": relative_speeds,
            "--model-seed": model_seed,
            "--load": load,
            "--columns": columns,
        }
        for flag, value in options.items():
            if value is not None:
                raise UsageError(f"{flag}: is for traces, {path.name} is a workload")
        own = read_workload(path)
        warnings = idle_warnings(own, "give the jobs a throughput there")
        return own, {"source": path.name, "format": "hadaropt-workload", "warnings": warnings}
    if '"hadaropt-instance/' in text:
        rule = (
            "is an instance; a workload comes from `hadaropt generate FAMILY --workload` or a trace"
        )
        wrong = InstanceError("", rule)
        wrong.file = str(path)
        raise wrong
    with telling_columns():
        trace = read_trace(path, columns=columns)
    table = speed_table(throughputs, relative_speeds)
    seed = model_seed or 0
    if load is not None:
        target = Cluster.parse(DEFAULT_CLUSTER) if cluster is None else cluster
        trace = thin_trace(trace, target, str(load), seed=seed)
    own = to_workload(trace, cluster, model_seed=seed, table=table)
    if cluster is None:
        taken = f"{path.name} names no cluster, the default is taken: {cluster_line(own.cluster)}"
        hint = "give another by --cluster TYPE=NODESxGPUS,..., such as --cluster V100=5x4"
        print(f"hadaropt: note: {taken}; {hint}", file=sys.stderr)
    warnings = idle_warnings(own, GIVE_SPEEDS)
    if guessed := guessed_gangs(trace, table):
        warnings.append(guess_warning(guessed))
    return own, {
        "source": path.name,
        "format": trace.format,
        "dropped": dict(trace.dropped),
        "model_seed": seed,
        "relative_speeds": relative_speeds,
        "warnings": warnings,
    }


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


def warning_lines(facts: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the warnings about a workload as lines of an answer."""
    warnings = facts.get("warnings")
    return [("warning", text) for text in warnings] if isinstance(warnings, list) else []


def rows_dropped(facts: Mapping[str, object]) -> str:
    """Return how many rows of a trace were left out and why, in words."""
    dropped = facts.get("dropped")
    if not isinstance(dropped, dict) or not dropped:
        return "none"
    return ", ".join(f"{count} {reason}" for reason, count in dropped.items())
