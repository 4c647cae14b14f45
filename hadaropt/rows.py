"""Schedules and jobs as rows, and rows as data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from hadaropt.errors import MissingExtraError
from hadaropt.instance import Instance
from hadaropt.schedule import Schedule

Row = Mapping[str, object]


def schedule_rows(instance: Instance, schedule: Schedule) -> list[Row]:
    """Return a row for each round, job, node and type that is used, in order of the rounds.

    Columns: ``round``, ``job``, ``node``, ``type``, ``gpus``, and ``copies``: whether each node
    holds a copy of the job of its own.
    """
    cluster = instance.cluster
    rows = [
        (a.round, j, h, r, count, a.copies)
        for j, allocations in enumerate(schedule.jobs)
        for a in allocations
        for h, r, count in a.gpus
    ]
    return [
        {
            "round": t,
            "job": instance.jobs[j].name,
            "node": cluster.nodes[h],
            "type": cluster.accelerators[r],
            "gpus": count,
            "copies": copies,
        }
        for t, j, h, r, count, copies in sorted(rows)
    ]


def job_rows(instance: Instance, completion: Sequence[int | None]) -> list[Row]:
    """Return a row for each job, in their order.

    Columns: ``job``, ``release``, ``gang_size``, ``iterations``, ``completion`` (its last round,
    or None), ``flow_time`` in rounds (or None) and ``value``, 0 where it does not complete.
    """
    return [
        {
            "job": job.name,
            "release": job.release,
            "gang_size": job.gang_size,
            "iterations": job.iterations,
            "completion": last,
            "flow_time": None if last is None else last - job.release + 1,
            "value": Fraction(0) if last is None else instance.value(j, last),
        }
        for j, (job, last) in enumerate(zip(instance.jobs, completion, strict=True))
    ]


def to_frame(rows: Sequence[Row], columns: Sequence[str]) -> Any:
    """Return rows as a data frame of polars, or else of pandas; Fractions become floats.

    Parameters
    ----------
    rows : sequence of mappings
    columns : sequence of str
        Their keys: a frame without rows has columns all the same.

    Raises
    ------
    MissingExtraError
        If neither is installed.
    """
    table = {name: [_plain(row[name]) for row in rows] for name in columns}
    try:
        import polars

        return polars.DataFrame(table, strict=False)
    except ImportError:
        pass
    try:
        import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise MissingExtraError("bench", "polars") from None
    return pandas.DataFrame(table)


def _plain(value: object) -> object:
    return float(value) if isinstance(value, Fraction) else value
