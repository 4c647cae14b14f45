"""What the reference simulator of Gavel runs on, in its own numbers: doubles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike

from hadaropt.errors import TraceError, shown
from hadaropt.frozen import freeze_fields
from hadaropt.traces.registry import read_trace
from hadaropt.traces.throughputs import read_throughputs

TYPES = ("v100", "p100", "k80")
"""The types that the reference knows, in the order in which it fills them."""


@dataclass(frozen=True)
class ReferenceJob:
    """One job.

    Attributes
    ----------
    name : str
    arrival : float
        Seconds on the trace's own clock.
    scale_factor : int
        GPUs of the gang.
    steps : int
        Training steps to completion.
    weight : float
        Priority weight.
    throughput : mapping of str to float
        Steps per second of the whole gang by type of the cluster.
    """

    name: str
    arrival: float
    scale_factor: int
    steps: int
    weight: float
    throughput: Mapping[str, float]

    def __post_init__(self) -> None:
        freeze_fields(self)


def read_jobs(
    trace: str | PathLike[str], throughputs: str | PathLike[str], types: tuple[str, ...]
) -> tuple[ReferenceJob, ...]:
    """Read a trace in the reduced csv form with the speeds of its models on ``types``.

    Raises
    ------
    TraceError
        If a row of the trace would have to be left out, or a model was not measured at its scale
        factor on one of the types.
    """
    rows = read_trace(trace, format="gavel-csv")
    if rows.dropped:
        reasons = ", ".join(f"{count} x {reason}" for reason, count in rows.dropped.items())
        raise TraceError(rows.source, f"must have no row that is left out, has {reasons}")
    table = read_throughputs(throughputs)
    jobs = []
    for row in rows.jobs:
        place = f"{rows.source} job {row.name}"
        assert row.model is not None and row.iterations is not None
        try:
            speeds = table.throughput(row.model, row.num_gpus)
        except KeyError as unknown:
            raise TraceError(place, str(unknown.args[0])) from None
        for kind in types:
            if kind not in speeds:
                raise TraceError(place, f"has no measured throughput on {shown(kind)}")
        jobs.append(
            ReferenceJob(
                row.name,
                float(rows.origin_seconds + row.submit_seconds),
                row.num_gpus,
                row.iterations,
                float(row.weight),
                {kind: float(speeds[kind]) for kind in types},
            )
        )
    return tuple(jobs)
