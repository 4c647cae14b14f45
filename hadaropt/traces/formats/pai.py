"""Alibaba PAI 2020 (clusterdata, cluster-trace-gpu-v2020, CC-BY-4.0).

Conventions of ``pai_task_table.csv`` (no header): `plan_gpu` is per cent of one GPU PER INSTANCE,
so a task holds ``inst_num * plan_gpu / 100`` GPUs; an instance with a share of a GPU (`plan_gpu` no
multiple of 100) is fractional and its task dropped; tasks without GPU (parameter servers, CPU jobs)
are dropped. The remaining tasks of one `job_name` are one job: GPUs added, from the earliest start
to the latest end; every further row is counted as part of a job already kept. Arrival is the launch
of the earliest task: the table does not say when the job was submitted. A row that stands twice, or
another row of the same task, is dropped; every task is judged by itself before tasks are added up.
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
    NO_NAME,
    REPEATED_ROW,
    TraceBuilder,
    duration_fault,
    gpu_fault,
)
from hadaropt.traces.clock import SHANGHAI_NAME
from hadaropt.traces.formats.layout import FAILED_KEPT, TableFormat, each, job_id, not_run
from hadaropt.traces.table import Row

PART_OF_JOB = "task of a job already counted"
REPEATED_TASK = "repeated task of a job in a different row"
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
    seen: dict[object, dict[str, str]] = {}
    for row in rows:
        name = job_id(row, "job_name")
        task = _task(row)
        if isinstance(task, str):
            build.drop(task)
            continue
        if not name:
            build.drop(NO_NAME)
            continue
        earlier = seen.setdefault((name, row.text("task_name") or str(row.fields)), row.fields)
        if earlier is not row.fields:
            if earlier == row.fields:
                build.merge(REPEATED_ROW, name)
            else:
                build.drop(REPEATED_TASK)
            continue
        known = jobs.setdefault(name, task)
        if known is not task:
            build.merge(PART_OF_JOB, name)
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
            attempts=((job.start + _EIGHT_HOURS, job.end + _EIGHT_HOURS),),
        )


def _task(row: Row) -> _Job | str:
    """Return one task as a job of its own, or why it can be no part of a job.

    Every task is judged before tasks are added up, so that the others hide no fault of it.
    """
    percent, instances = row.number("plan_gpu"), row.number("inst_num")
    start, end = row.number("start_time") or None, row.number("end_time")
    each = Fraction(0) if percent is None else percent / 100  # a task without GPU plans none
    reason = gpu_fault(instances, each) or not_run(start, end)
    if reason is not None:
        return reason
    assert instances is not None and start is not None and end is not None
    reason = duration_fault(end - start)
    if reason is not None:
        return reason
    return _Job(start, end, instances * each, row.text("gpu_type"), row.text("status"))


def _job_row(row: Row, build: TraceBuilder) -> None:
    build.add(
        name=job_id(row),
        submit=row.number("submit_time"),
        gpus=row.number("num_inst"),
        gpus_each=row.number("num_gpu"),
        duration=row.number("duration"),
        gpu_type=row.text("gpu_type"),
        user=row.text("user"),
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
