"""The package's own csv: ``job_id,submit_s,num_gpus,gpu_type,duration_s,status``.

Conventions: seconds on the file's own clock; an empty `duration_s` is a job that never ran
(dropped); fractional `num_gpus` are dropped, never rounded; failed and killed jobs are kept,
because they held their GPUs; each row is one job, retries are not marked. Optional columns:
`model`, `iterations`.
"""

from __future__ import annotations

from hadaropt.traces.builder import TraceBuilder
from hadaropt.traces.formats.layout import FAILED_KEPT, ROW_IS_JOB, TableFormat, each, job_id
from hadaropt.traces.table import Row


def _row(row: Row, build: TraceBuilder) -> None:
    build.add(
        name=job_id(row),
        submit=row.number("submit_s"),
        gpus=row.number("num_gpus"),
        duration=row.number("duration_s"),
        gpu_type=row.text("gpu_type"),
        status=row.text("status"),
        model=row.text("model"),
        iterations=row.integer("iterations"),
    )


FORMAT = TableFormat(
    name="normalised",
    title="normalised csv",
    columns=("job_id", "submit_s", "num_gpus", "gpu_type", "duration_s", "status"),
    optional=("model", "iterations"),
    read=each(_row),
    conventions=(
        "times are seconds on the file's own clock",
        "an empty duration is a job that never ran: dropped",
        "fractional GPUs are dropped, never rounded",
        ROW_IS_JOB,
        FAILED_KEPT,
    ),
)
