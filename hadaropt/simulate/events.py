"""The event log of a run as a table, and as a parquet file."""

from __future__ import annotations

from os import PathLike

from hadaropt.io.parquet import make_frame, write_frame
from hadaropt.simulate.result import SimulatedRun

COLUMNS = ("seconds", "seconds_exact", "event", "job", "gpus")


def event_rows(run: SimulatedRun) -> list[tuple[float, str, str, str, str]]:
    """Return one row for each event: instant (twice), kind, job, ``node:type=count``."""
    cluster = run.problem.cluster
    return [
        (
            float(event.instant),
            str(event.instant),
            event.kind,
            run.problem.jobs[event.job].name,
            " ".join(
                f"{cluster.nodes[h]}:{cluster.accelerators[r]}={count}"
                for h, r, count in event.placement
            ),
        )
        for event in run.events
    ]


def write_events(run: SimulatedRun, path: str | PathLike[str]) -> None:
    """Write the event log as parquet, with columns `COLUMNS`.

    Raises
    ------
    MissingExtraError
        If polars is not installed.
    """
    write_frame(make_frame(event_rows(run), COLUMNS), path)
