"""Alibaba PAI 2020 (clusterdata, cluster-trace-gpu-v2020, CC-BY-4.0).

Conventions of ``pai_task_table.csv`` (no header): `plan_gpu` is per cent of one GPU PER INSTANCE,
so a task holds ``inst_num * plan_gpu / 100`` GPUs; an instance with a share of a GPU (`plan_gpu`
no multiple of 100) is fractional and its task dropped; tasks without GPU (parameter servers, CPU
jobs) are dropped. The remaining tasks of one `job_name` are one job: GPUs added, from the
earliest start to the latest end; every further row is counted as part of a job already kept.
Arrival is the launch of the earliest task: the table does not say when the job was submitted.
A start of 0 means missing. Seconds with the dates shifted by a constant; only as Asia/Shanghai do
hours of the day come out right. Failed tasks are kept.

Conventions of the simulator's job list (``job_id,num_inst,submit_time,...``): `num_gpu` is GPUs
per instance, times are seconds; fractional shares and CPU jobs are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.traces.builder import (
    FRACTIONAL_GPUS,
    NEVER_STARTED,
    NO_GPUS,
    STILL_RUNNING,
    ZERO_GPUS,
    TraceBuilder,
)
from hadaropt.traces.clock import SHANGHAI_NAME
from hadaropt.traces.formats.layout import FAILED_KEPT, TableFormat, each, job_id
from hadaropt.traces.table import Row

PART_OF_JOB = "task of a job already counted"
_EIGHT_HOURS = Fraction(8 * 3600)


@dataclass
class _Job:
    start: Fraction
    end: Fraction
    gpus: Fraction
    gpu_type: str | None
    status: str | None


def _read_tasks(rows: Iterable[Row], build: TraceBuilder) -> None:
    jobs: dict[str, _Job] = {}
    for row in rows:
        reason, task = _task(row)
        if task is None:
            build.drop(reason)
            continue
        name = job_id(row, "job_name")
        known = jobs.setdefault(name, task)
        if known is not task:
            build.drop(PART_OF_JOB)
            known.start, known.end = min(known.start, task.start), max(known.end, task.end)
            known.gpus += task.gpus
    for name, job in jobs.items():
        build.add(
            name=name,
            submit=job.start + _EIGHT_HOURS,
            gpus=job.gpus,
            duration=job.end - job.start,
            gpu_type=job.gpu_type,
            status=job.status,
        )


def _task(row: Row) -> tuple[str, _Job | None]:
    percent, instances = row.number("plan_gpu"), row.number("inst_num")
    start, end = row.number("start_time"), row.number("end_time")
    if not percent:
        return ZERO_GPUS, None
    if instances is None:
        return NO_GPUS, None
    if (percent / 100).denominator != 1:
        return FRACTIONAL_GPUS, None
    if not start:
        return NEVER_STARTED, None
    if end is None:
        return STILL_RUNNING, None
    gpus = instances * percent / 100
    return "", _Job(start, end, gpus, row.text("gpu_type"), row.text("status"))


def _job_row(row: Row, build: TraceBuilder) -> None:
    share, instances = row.number("num_gpu"), row.number("num_inst")
    if share and share.denominator != 1:
        build.drop(FRACTIONAL_GPUS)
        return
    build.add(
        name=job_id(row),
        submit=row.number("submit_time"),
        gpus=None if share is None or instances is None else share * instances,
        duration=row.number("duration"),
        gpu_type=row.text("gpu_type"),
    )


TASKS = TableFormat(
    name="pai-tasks",
    title="Alibaba PAI 2020, task table",
    columns=(
        "job_name",
        "task_name",
        "inst_num",
        "status",
        "start_time",
        "end_time",
        "plan_cpu",
        "plan_mem",
        "plan_gpu",
        "gpu_type",
    ),
    read=_read_tasks,
    layout="headless-csv",
    probe=(3, frozenset({"Running", "Terminated", "Failed", "Waiting"})),
    calendar=f"{SHANGHAI_NAME}, dates shifted by a constant",
    conventions=(
        "plan_gpu is per cent per instance; GPU shares are dropped, never rounded",
        "the whole-GPU tasks of a job are one job, from the earliest start to the latest end",
        "arrival = launch of the earliest task; a start of 0 is missing",
        FAILED_KEPT,
    ),
)

JOBS = TableFormat(
    name="pai-jobs",
    title="Alibaba PAI 2020, simulator job list",
    columns=(
        "job_id",
        "num_inst",
        "submit_time",
        "num_cpu",
        "num_gpu",
        "gpu_type",
        "duration",
        "user",
    ),
    read=each(_job_row),
    conventions=(
        "times are seconds since the start of the trace",
        "num_inst x num_gpu GPUs; GPU shares are dropped, never rounded",
    ),
)
