"""Tiresias, Muri and Chronus csv: columns alike, units not.

Conventions: Tiresias counts seconds (SymbioticLab/Tiresias, Apache-2.0), Muri milliseconds
(Rivendile/Muri, Apache-2.0), Chronus minutes (S-Lab-System-Group/ChronusArtifact, MIT: its two
weeks of Philly end at 20,151). The units follow from the exact set of columns, so a file with
other columns is refused, not guessed. Each row is one job; a job of 0 GPUs (Chronus has them) is
dropped; `start_time` of the second Tiresias form is not used. `iterations` are the trace's own;
Muri adds the batch size to the model name.
"""

from __future__ import annotations

from fractions import Fraction

from hadaropt.traces.builder import TraceBuilder
from hadaropt.traces.formats.layout import ROW_IS_JOB, RowReader, TableFormat, each, job_id
from hadaropt.traces.formats.microsoft import batched
from hadaropt.traces.table import Row

_MILLISECOND = Fraction(1, 1000)
_MINUTE = Fraction(60)


def _reader(unit: Fraction) -> RowReader:
    def read(row: Row, build: TraceBuilder) -> None:
        submit, duration = row.number("submit_time"), row.number("duration")
        build.add(
            name=job_id(row),
            submit=None if submit is None else submit * unit,
            gpus=row.number("num_gpu"),
            duration=None if duration is None else duration * unit,
            status=None,
            model=batched(row),
            iterations=row.integer("iterations"),
        )

    return each(read)


_COMMON = ("job_id", "num_gpu", "submit_time", "iterations", "model_name", "duration", "interval")

TIRESIAS = TableFormat(
    name="tiresias",
    title="Tiresias csv",
    columns=_COMMON,
    read=_reader(Fraction(1)),
    conventions=("times are seconds", ROW_IS_JOB),
)

TIRESIAS_TF = TableFormat(
    name="tiresias-tf",
    title="Tiresias csv with model sizes",
    columns=(
        "job_id",
        "num_gpu",
        "submit_time",
        "start_time",
        "duration",
        "model_size",
        "aggr_interval",
        "model_name",
        "model_scale",
    ),
    read=_reader(Fraction(1)),
    conventions=("times are seconds", "start_time and model sizes are not used", ROW_IS_JOB),
)

MURI = TableFormat(
    name="muri",
    title="Muri csv",
    columns=(
        *_COMMON,
        "batch_size",
        "iteration_time",
        "resource_time_0",
        "resource_time_1",
        "resource_time_2",
        "priority",
    ),
    read=_reader(_MILLISECOND),
    conventions=(
        "times are MILLISECONDS, converted exactly",
        "priority and resource times are not used",
        ROW_IS_JOB,
    ),
)

CHRONUS = TableFormat(
    name="chronus",
    title="Chronus csv",
    columns=(
        *_COMMON,
        "user",
        "expect_time_list",
        "expect_value_list",
        "best_effort",
        "job_type",
    ),
    read=_reader(_MINUTE),
    conventions=(
        "times are MINUTES, converted to seconds",
        "deadlines and their values are not used",
        ROW_IS_JOB,
    ),
)
