"""Microsoft ITP (microsoft/elasticflow-traces, MIT) and the ElasticFlow workloads made from it.

Conventions: seconds since the start of the trace; no accelerator type, no status; each row is one
job, retries are not marked. ElasticFlow adds model, batch size and iterations, which its authors
drew at random, and deadlines, which are not used; the model is kept as ``name (batch size B)``.
In its Philly form, `real_duration` and `real_iteration` are taken.
"""

from __future__ import annotations

from hadaropt.traces.builder import TraceBuilder
from hadaropt.traces.formats.layout import ROW_IS_JOB, TableFormat, each, job_id
from hadaropt.traces.table import Row

_SECONDS = "times are seconds since the start of the trace"
_DRAWN = "model, batch size and iterations were drawn at random by the authors; deadlines not used"


def _itp(row: Row, build: TraceBuilder) -> None:
    build.add(
        name=job_id(row),
        submit=row.number("submission_time"),
        gpus=row.number("num_gpu"),
        duration=row.number("duration"),
    )


def _elasticflow(row: Row, build: TraceBuilder) -> None:
    build.add(
        name=job_id(row),
        submit=row.number("submission_time"),
        gpus=row.number("num_gpu"),
        duration=row.number("duration"),
        model=batched(row),
        iterations=row.integer("num_iteration"),
    )


def _elasticflow_philly(row: Row, build: TraceBuilder) -> None:
    build.add(
        name=job_id(row),
        submit=row.number("submit_time"),
        gpus=row.number("num_gpu"),
        duration=row.number("real_duration"),
        model=batched(row),
        iterations=row.integer("real_iteration"),
    )


def batched(row: Row) -> str | None:
    """Return the model with its batch size, as throughput tables name it."""
    name, batch = row.text("model_name"), row.text("batch_size")
    return name if name is None or batch is None else f"{name} (batch size {batch})"


ITP = TableFormat(
    name="itp",
    title="Microsoft ITP",
    columns=("job_id", "submission_time", "duration", "num_gpu"),
    read=each(_itp),
    conventions=(_SECONDS, "no accelerator type and no status", ROW_IS_JOB),
)

ELASTICFLOW = TableFormat(
    name="elasticflow",
    title="ElasticFlow workload",
    columns=(
        "job_id",
        "submission_time",
        "num_iteration",
        "model_name",
        "deadline",
        "batch_size",
        "num_gpu",
        "duration",
    ),
    read=each(_elasticflow),
    conventions=(_SECONDS, _DRAWN, ROW_IS_JOB),
)

ELASTICFLOW_PHILLY = TableFormat(
    name="elasticflow-philly",
    title="ElasticFlow workload from Philly",
    columns=(
        "job_id",
        "submit_time",
        "real_iteration",
        "model_name",
        "ddl",
        "batch_size",
        "num_gpu",
        "real_duration",
        "duration",
        "iteration",
    ),
    read=each(_elasticflow_philly),
    conventions=(_SECONDS, "real_duration and real_iteration are taken", _DRAWN, ROW_IS_JOB),
)
