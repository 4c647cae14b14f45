"""Gavel and Shockwave traces: tab-separated without header, and a reduced csv.

Conventions: the number of fields tells the form. Gavel (stanford-futuredata/gavel, MIT) has 7
(type, command, argument, data flag, steps, arrival, scale factor), 9 or 10 fields (scale factor,
priority weight, SLO, arrival; 10 add the working directory). Arrival in seconds; the size of a
job is its number of training steps, a duration is not given. Shockwave (uw-mad-dash/shockwave,
MIT) has 12: it adds the mode of batch-size scaling (kept as the status) and the duration in
seconds. SLOs are not used. Rows carry no id: the row number is the name. The reduced csv
(``job_id,arrival_s,job_type,scale_factor,total_steps,priority_weight,v100_duration_s``) has the
running time on V100 as the duration.
"""

from __future__ import annotations

from fractions import Fraction

from hadaropt.traces.builder import TraceBuilder
from hadaropt.traces.formats.layout import NO_IDENTITY, TableFormat, each, job_id
from hadaropt.traces.table import Row

_HEAD7 = ("job_type", "command", "num_steps_arg", "needs_data_dir", "total_steps")
_HEAD10 = (
    "job_type",
    "command",
    "working_directory",
    "num_steps_arg",
    "needs_data_dir",
    "total_steps",
)
_STEPS = "the size of a job is its training steps; durations are not given"
_SECONDS = "arrivals are seconds since the start of the trace"


def _row(row: Row, build: TraceBuilder) -> None:
    weight = row.number("priority_weight")
    build.add(
        name=job_id(row) if "job_id" in row.fields else None,
        submit=row.number("arrival_s"),
        gpus=row.number("scale_factor"),
        duration=row.number("v100_duration_s"),
        status=row.text("mode"),
        model=row.text("job_type"),
        iterations=row.integer("total_steps"),
        weight=Fraction(1) if weight is None else weight,
        sized_by="duration" if "v100_duration_s" in row.fields else "iterations",
    )


GAVEL_CSV = TableFormat(
    name="gavel-csv",
    title="Gavel, reduced csv",
    columns=(
        "job_id",
        "arrival_s",
        "job_type",
        "scale_factor",
        "total_steps",
        "priority_weight",
        "v100_duration_s",
    ),
    read=each(_row),
    conventions=(_SECONDS, "the duration is the running time on V100"),
)

GAVEL_7 = TableFormat(
    name="gavel-7",
    title="Gavel, 7 columns",
    columns=(*_HEAD7, "arrival_s", "scale_factor"),
    read=each(_row),
    layout="headless-tsv",
    conventions=(_SECONDS, _STEPS, NO_IDENTITY),
)

GAVEL_9 = TableFormat(
    name="gavel-9",
    title="Gavel, 9 columns",
    columns=(*_HEAD7, "scale_factor", "priority_weight", "slo", "arrival_s"),
    read=each(_row),
    layout="headless-tsv",
    conventions=(_SECONDS, _STEPS, "SLOs are not used", NO_IDENTITY),
)

GAVEL_10 = TableFormat(
    name="gavel-10",
    title="Gavel, 10 columns",
    columns=(*_HEAD10, "scale_factor", "priority_weight", "slo", "arrival_s"),
    read=each(_row),
    layout="headless-tsv",
    conventions=(_SECONDS, _STEPS, "SLOs are not used", NO_IDENTITY),
)

SHOCKWAVE = TableFormat(
    name="shockwave",
    title="Shockwave, 12 columns",
    columns=(
        *_HEAD10,
        "scale_factor",
        "mode",
        "priority_weight",
        "slo",
        "v100_duration_s",
        "arrival_s",
    ),
    read=each(_row),
    layout="headless-tsv",
    conventions=(
        _SECONDS,
        "durations are seconds",
        "the mode of batch-size scaling is kept as the status; SLOs are not used",
        NO_IDENTITY,
    ),
)
