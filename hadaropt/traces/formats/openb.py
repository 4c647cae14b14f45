"""Alibaba openb pods, 2023 (clusterdata, cluster-trace-gpu-v2023).

Conventions: seconds since the start of the trace; submit is `creation_time`, running time is
`deletion_time - scheduled_time` (waiting excluded); a pod without `scheduled_time` never started
and one without `deletion_time` was still running: both dropped. `gpu_milli` is the share of EACH
GPU in thousandths: 1000 is whole, anything that is no multiple of it is a fractional request and
dropped, though four quarters add up to one. `gpu_spec` is kept as written; several types joined by
``|`` are the types that the pod admits. `pod_phase` is the status; a pod still ``Running`` is kept
with the running time up to its recorded deletion. Each pod is one job of the trace.
"""

from __future__ import annotations

from fractions import Fraction

from hadaropt.traces.builder import TraceBuilder
from hadaropt.traces.formats.layout import FAILED_KEPT, TableFormat, each, job_id, not_run, ran
from hadaropt.traces.table import Row


def _row(row: Row, build: TraceBuilder) -> None:
    share = row.number("gpu_milli")
    start, end = row.number("scheduled_time"), row.number("deletion_time")
    duration: Fraction | None = None if start is None or end is None else end - start
    build.add(
        name=job_id(row, "name"),
        submit=row.number("creation_time"),
        gpus=row.number("num_gpu"),
        gpus_each=None if share is None else share / 1000,
        duration=duration,
        not_run=not_run(start, end),
        gpu_type=row.text("gpu_spec"),
        status=row.text("pod_phase"),
        attempts=ran(start, end),
        queue=row.text("qos"),
    )


FORMAT = TableFormat(
    name="openb",
    title="Alibaba openb pods, 2023",
    columns=(
        "name",
        "cpu_milli",
        "memory_mib",
        "num_gpu",
        "gpu_milli",
        "gpu_spec",
        "qos",
        "pod_phase",
        "creation_time",
        "deletion_time",
        "scheduled_time",
    ),
    read=each(_row),
    conventions=(
        "times are seconds since the start of the trace",
        "submit = creation_time; duration = deletion_time - scheduled_time",
        "num_gpu x gpu_milli / 1000 GPUs; fractional requests are dropped, never added up",
        "gpu_spec joined by | lists the admissible types, kept as written",
        FAILED_KEPT,
        "pods still Running are kept up to their recorded deletion",
    ),
)
