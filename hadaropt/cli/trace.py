"""``hadaropt trace``: what is in a public trace, and where to get one."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from hadaropt.cli.common.answer import Answer, Table
from hadaropt.cli.common.options import AsJson, UsageError, check_picture, option, out_option
from hadaropt.cli.common.workloads import (
    ClusterSpec,
    Columns,
    ModelSeed,
    RelativeSpeeds,
    Throughputs,
    named_columns,
    parse_cluster,
    speed_table,
    telling_columns,
)

if TYPE_CHECKING:
    from hadaropt.traces import TraceInspection

trace = App(name="trace", help="Public traces: look into one, download one.")

TraceFile = Annotated[
    Path, Parameter(name="FILE", help="Trace in its original format, may be .gz.")
]
FormatName = Annotated[
    str | None,
    option("Read it as this format.", default="told from its columns", name="--format"),
]
PictureOut = Annotated[
    Path | None,
    out_option("Picture to write: .png, .pdf, .svg (extra: plot).", default="not written"),
]
TraceName = Annotated[
    str | None, Parameter(name="NAME", help="Name of a public trace; without it, list them.")
]
Folder = Annotated[Path | None, out_option("Folder where to keep it.", default="the cache folder")]


@trace.command
def inspect(
    file: TraceFile,
    /,
    *,
    format: FormatName = None,
    cluster: ClusterSpec = None,
    columns: Columns = None,
    throughputs: Throughputs = None,
    relative_speeds: RelativeSpeeds = None,
    model_seed: ModelSeed = None,
    output: PictureOut = None,
    json: AsJson = False,
) -> Answer:
    """Show what is in a trace and what it asks of a cluster.

    Rows kept, rows dropped by reason, offered load per type, jobs that can never run, arrivals,
    durations and gang sizes.
    """
    from hadaropt.traces import inspect_trace, read_trace, render_inspection

    target = None if cluster is None else parse_cluster(cluster)
    if output is not None:
        check_picture(output, file)
    if format is not None and columns is not None:
        raise UsageError("--columns: is for a file without --format")
    named = named_columns(columns)
    with telling_columns():
        read = read_trace(file, format=format, columns=named)
    found = inspect_trace(
        read,
        target,
        model_seed=model_seed or 0,
        table=speed_table(throughputs, relative_speeds),
    )
    written: dict[str, str] = {}
    if output is not None:
        from hadaropt.plot.style import save_figure
        from hadaropt.plot.trace import plot_trace

        written["picture"] = str(save_figure(plot_trace(found), output))
    document = {"command": "trace inspect", **_facts(found), "files": written}
    lines = [(f"{name} file", path) for name, path in written.items()]
    return Answer(document, lines, text=render_inspection(found))


@trace.command
def fetch(name: TraceName = None, /, *, directory: Folder = None, json: AsJson = False) -> Answer:
    """Download a public trace, checked by SHA-256 (extra: traces).

    A file that is there already and has the right checksum is not downloaded again.
    """
    from hadaropt.errors import TraceError
    from hadaropt.traces.fetch import PUBLIC_TRACES, fetch_trace, public_trace

    if name is None:
        if directory is not None:
            raise UsageError(f"--out {directory}: needs the NAME of a trace")
        columns = ("name", "title", "licence", "sha256", "url")
        entries = [
            {**{key: str(getattr(entry, key)) for key in columns}, "sha256": entry.checksum}
            for entry in PUBLIC_TRACES
        ]
        rows = [tuple(entry[key] for key in columns[:3]) for entry in entries]
        document = {"command": "trace fetch", "public_traces": entries}
        return Answer(document, [], [Table(columns[:3], rows)])
    try:
        entry = public_trace(name)
    except TraceError as unknown:
        raise UsageError(f"NAME: {unknown.rule}; given: {unknown.value}") from None
    path = fetch_trace(entry, directory=directory)
    facts = {"name": entry.name, "title": entry.title, "licence": entry.licence, "url": entry.url}
    of = "of the download" if entry.sha256 is not None else "of the file in the archive"
    lines = [
        *facts.items(),
        ("SHA-256", f"{entry.checksum} ({of}, as pinned)"),
        ("file", str(path)),
    ]
    document = {"command": "trace fetch", **facts, "sha256": entry.checksum, "file": str(path)}
    return Answer(document, lines)


def _facts(found: TraceInspection) -> dict[str, object]:
    from hadaropt.traces.conversion import idle_warning

    source, cluster = found.trace, found.cluster
    jobs, share = found.over_a_day
    warnings = [idle_warning(found.idle_types)] if found.idle_types else []

    def floats(values: dict[int, Fraction]) -> dict[str, float]:
        return {f"p{percent}": float(value) for percent, value in values.items()}

    return {
        "trace": source.source,
        "format": source.format,
        "conventions": source.conventions,
        "rows": source.rows,
        "kept": len(source.jobs),
        "dropped": dict(source.dropped),
        "merged": source.merged,
        "cluster": cluster.gpus_by_type,
        "model_seed": found.model_seed,
        "span_s": found.span_seconds,
        "gpu_seconds": found.gpu_seconds,
        "total_load": None if found.total_load is None else float(found.total_load),
        "offered_load": {kind: float(load) for kind, load in found.offered_load.items()},
        "recorded_load": {kind: float(load) for kind, load in found.recorded_load.items()},
        "recorded_gpus": {kind: float(gpus) for kind, gpus in found.recorded_gpus.items()},
        "cluster_from": "default" if found.default_cluster else "given",
        "load_alone": {kind: float(load) for kind, load in found.load_alone.items()},
        "unschedulable": [{"name": name, "reason": why} for name, why in found.unschedulable],
        "idle_types": found.idle_types,
        "warnings": warnings,
        "wider_than_type": found.wider_than_type,
        "wider_than_node": found.wider_than_node,
        "durations_s": floats(dict(found.durations)),
        "interarrivals_s": floats(dict(found.interarrivals)),
        "arrivals_by_hour": found.by_hour,
        "calendar": source.calendar,
        "by_gang_size": {
            str(gang): {"jobs": count, "gpu_seconds": work}
            for gang, (count, work) in found.by_gpus.items()
        },
        "by_status": dict(found.by_status),
        "by_gpu_type": dict(found.by_gpu_type),
        "over_24_h": {"jobs": jobs, "share_of_gpu_seconds": float(share)},
    }
