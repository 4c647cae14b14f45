"""Which formats there are, which one a file is in, and reading it."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from hadaropt.errors import TraceError, shown
from hadaropt.names import known_name
from hadaropt.traces.builder import TraceBuilder
from hadaropt.traces.clock import time_zone
from hadaropt.traces.formats import (
    acme,
    gavel,
    helios,
    lookalikes,
    microsoft,
    normalised,
    openb,
    pai,
    philly,
    slurm,
    swf,
)
from hadaropt.traces.formats.columns import CONVENTIONS, read_columns
from hadaropt.traces.formats.layout import TableFormat, TextFormat
from hadaropt.traces.sniff import guess_format, misfit, own_kind, table_of
from hadaropt.traces.table import parse_table, read_text
from hadaropt.traces.trace import Trace

FORMATS: tuple[TableFormat | TextFormat, ...] = (
    normalised.FORMAT,
    philly.CSV,
    philly.JSON,
    microsoft.ITP,
    microsoft.ELASTICFLOW,
    microsoft.ELASTICFLOW_PHILLY,
    openb.FORMAT,
    lookalikes.TIRESIAS,
    lookalikes.TIRESIAS_TF,
    lookalikes.MURI,
    lookalikes.CHRONUS,
    gavel.GAVEL_CSV,
    gavel.GAVEL_7,
    gavel.GAVEL_9,
    gavel.GAVEL_10,
    gavel.SHOCKWAVE,
    helios.FORMAT,
    acme.SEREN,
    acme.KALOS,
    pai.TASKS,
    pai.JOBS,
    swf.FORMAT,
    slurm.FORMAT,
)

WORKLOAD = "hadaropt-workload/"
_BY_NAME = {form.name: form for form in FORMATS}


def format_names() -> tuple[str, ...]:
    """Return the names that ``format=`` takes."""
    return tuple(_BY_NAME)


def read_trace(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    zone: str | None = None,
) -> Trace:
    """Read a trace in its original format.

    Parameters
    ----------
    path : path
        The file; ``.gz`` is unpacked.
    format : str, optional
        One of :func:`format_names`. Without it the format is told from the exact set of columns;
        with it, further columns are allowed and ignored.
    columns : mapping, optional
        Reads any csv with a header: names of its columns by what they hold (submit, start, end,
        duration, gpus, type, id, status, queue, user, node), as
        `hadaropt.traces.formats.columns.parse_columns` returns them; then no ``format``.
    zone : str, optional
        Time zone (``Europe/Berlin``) of local times without a UTC offset, in Slurm's logs and with
        ``columns``; without it they are taken as written.

    Returns
    -------
    Trace
        Jobs by (submit, file order), every dropped row counted by reason, and the conventions.

    Raises
    ------
    TraceError
        If the file is a workload or another file of this package, the format is unknown, the
        columns are wrong (the message says which format they look like), or a field is malformed.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> from importlib.resources import files
    >>> trace = read_trace(str(files("hadaropt.traces") / "edge" / "itp.csv"))
    >>> trace.format, trace.rows, len(trace.jobs), dict(trace.dropped)
    ('itp', 3, 2, {'zero duration': 1})
    """
    if format is not None:
        format = known_name("format", format, _BY_NAME, TraceError)
    if format is not None and columns is not None:
        raise TraceError("format", "must be absent where columns are named", shown(format))
    local = None if zone is None else time_zone(zone)
    file = Path(path)
    text = read_text(file)
    own = own_kind(text)
    if own is not None:
        hint = "; simulate and compare run workloads" if own.startswith(WORKLOAD) else ""
        raise TraceError(file.name, f"is a file of kind {own}, must be a trace or a log{hint}")
    if columns is not None:
        build = TraceBuilder()
        calendar = read_columns(parse_table(text, file.name), columns, build, local)
        return build.finish(
            format="columns", source=file.name, conventions=CONVENTIONS, calendar=calendar
        )
    guess = guess_format(text, file.name, FORMATS)
    chosen = guess.format if format is None else _BY_NAME[format]
    if chosen is None:
        raise TraceError(file.name, guess.phrase)
    fault = misfit(text, file.name, chosen)
    if fault is not None:
        raise TraceError(file.name, f"{fault} for format {chosen.name!r}; {guess.phrase}")
    build = TraceBuilder()
    if local is not None:
        if chosen is not slurm.FORMAT:
            rule = f"is for local times of Slurm or of named columns, not for {chosen.name}"
            raise TraceError("zone", rule, shown(zone))
        calendar = slurm.read_zoned(text, file.name, build, local)
    elif isinstance(chosen, TextFormat):
        calendar = chosen.read(text, file.name, build)
    else:
        calendar = chosen.calendar
        table = table_of(text, file.name, chosen)
        headed = chosen.layout == "csv" or set(table.first) == set(chosen.columns)
        chosen.read(table.rows(None if headed else chosen.columns), build)
    return build.finish(
        format=chosen.name, source=file.name, conventions=chosen.conventions, calendar=calendar
    )
