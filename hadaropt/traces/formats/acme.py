"""Shanghai AI Lab Acme (AcmeTrace, CC-BY-4.0): clusters Seren and Kalos.

Conventions: times carry their offset (Seren +08:00, Kalos +00:00) and are shown on the clock of
Asia/Shanghai; the running time of BOTH is `end_time - start_time`, because `duration` of Kalos
counts from the submit; every row is one submission, retries are submissions of their own; jobs of
zero GPUs are dropped; a job without start never started, one without end was still running: both
dropped; failed and cancelled jobs are kept.
"""

from __future__ import annotations

from hadaropt.traces.builder import TraceBuilder
from hadaropt.traces.clock import SHANGHAI, SHANGHAI_NAME, wall_seconds
from hadaropt.traces.formats.layout import FAILED_KEPT, TableFormat, each, job_id, not_run, ran
from hadaropt.traces.table import Row


def _row(row: Row, build: TraceBuilder) -> None:
    submit, start, end = (
        wall_seconds(row.text(column), f"{row.place}: {column}", zone=SHANGHAI)
        for column in ("submit_time", "start_time", "end_time")
    )
    build.add(
        name=job_id(row),
        submit=submit,
        gpus=row.number("gpu_num"),
        duration=None if start is None or end is None else end - start,
        not_run=not_run(start, end),
        status=row.text("state"),
        attempts=ran(start, end),
        queue=row.text("type"),
        user=row.text("user"),
    )


_CONVENTIONS = (
    "times carry their offset and are shown on the clock of Asia/Shanghai",
    "duration = end_time - start_time",
    "every submission is one job, retries included; jobs of zero GPUs are dropped",
    FAILED_KEPT,
)

SEREN = TableFormat(
    name="acme-seren",
    title="Acme, Seren",
    columns=(
        "job_id",
        "user",
        "node_num",
        "gpu_num",
        "cpu_num",
        "type",
        "state",
        "submit_time",
        "start_time",
        "end_time",
        "duration",
        "queue",
        "gpu_time",
    ),
    read=each(_row),
    calendar=SHANGHAI_NAME,
    conventions=_CONVENTIONS,
)

KALOS = TableFormat(
    name="acme-kalos",
    title="Acme, Kalos",
    columns=(
        *SEREN.columns,
        "mem_per_pod_GB",
        "shared_mem_per_pod",
        "fail_time",
        "stop_time",
    ),
    read=each(_row),
    calendar=SHANGHAI_NAME,
    conventions=(*_CONVENTIONS, "the column duration counts from the submit and is not used"),
)
