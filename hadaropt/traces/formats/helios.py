"""SenseTime Helios (HeliosData, CC-BY-4.0): ``cluster_log.csv``.

Conventions: wall clock Asia/Shanghai as written, without offset (China has no summer time); the
running time is `duration`, in seconds, but an end before the start is a negative duration; every
row is one submission, retries are submissions of their own; CPU jobs (`gpu_num` 0, about half of
the log) are dropped; a job without start never started, one without end was still running: both
dropped; failed, cancelled, timed-out, node-fail and suspended jobs are kept, because they held
their GPUs.
"""

from __future__ import annotations

from hadaropt.traces.builder import TraceBuilder
from hadaropt.traces.clock import SHANGHAI_NAME, wall_seconds
from hadaropt.traces.formats.layout import FAILED_KEPT, TableFormat, each, job_id, not_run, ran
from hadaropt.traces.table import Row


def _row(row: Row, build: TraceBuilder) -> None:
    submit, start, end = (
        wall_seconds(row.text(column), f"{row.place}: {column}")
        for column in ("submit_time", "start_time", "end_time")
    )
    duration = row.number("duration")
    if start is not None and end is not None and end < start:
        duration = end - start  # not hidden by the column
    build.add(
        name=job_id(row),
        submit=submit,
        gpus=row.number("gpu_num"),
        duration=duration,
        not_run=not_run(start, end),
        status=row.text("state"),
        attempts=ran(start, end),
        queue=row.text("vc"),
        user=row.text("user"),
    )


FORMAT = TableFormat(
    name="helios",
    title="SenseTime Helios",
    columns=(
        "job_id",
        "user",
        "vc",
        "gpu_num",
        "cpu_num",
        "node_num",
        "state",
        "submit_time",
        "start_time",
        "end_time",
        "duration",
        "queue",
    ),
    read=each(_row),
    calendar=SHANGHAI_NAME,
    conventions=(
        "times on the wall clock of Asia/Shanghai; durations are seconds",
        "CPU jobs are dropped as jobs of zero GPUs",
        "every submission is one job, retries included",
        FAILED_KEPT,
    ),
)
