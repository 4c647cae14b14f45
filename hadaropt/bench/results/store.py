"""Results on disk: one parquet file of cells, exact numbers as text beside their floats."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from hadaropt.bench.ratio.cells import Cell
from hadaropt.bench.ratio.sweep import Failure
from hadaropt.bench.schedulers.suite import SimulatedCell
from hadaropt.exact import nearest_float
from hadaropt.io.parquet import make_frame, write_frame

if TYPE_CHECKING:
    import polars

    from hadaropt.simulate.metrics import Distribution


def cell_record(cell: Cell) -> dict[str, object]:
    """Return the cell as a flat record; ratios included.

    Exact numbers are text, each with a column ``NAME_float`` beside it. What varies has columns of
    its own (`varied`).
    """
    record: dict[str, object] = {}
    floats: dict[str, object] = {}
    for name, value in cell.__dict__.items():
        record[name] = str(value) if isinstance(value, Fraction) else value
        if isinstance(value, Fraction):
            floats[f"{name}_float"] = nearest_float(value)
    return {
        **record,
        "closed": cell.closed,
        "ratio_low": cell.ratio_low,
        "ratio_high": cell.ratio_high,
        "certified": cell.certified,
        "status": "done",
        "reason": "",
        **floats,
        **varied(cell.family),
    }


def varied(family: str) -> dict[str, object]:
    """Return what varies, as the name of a family of a sweep says it.

    ``vary_NAME`` is the text, and ``vary_NAME_float`` the number, of what is one.

    Examples
    --------
    >>> varied("six_class load=1/2")
    {'vary_load': '1/2', 'vary_load_float': 0.5}
    """
    columns: dict[str, object] = {}
    for part in family.split()[1:]:
        name, equals, text = part.partition("=")
        if not equals:
            continue
        columns[f"vary_{name}"] = text
        with suppress(ValueError, ZeroDivisionError):
            columns[f"vary_{name}_float"] = nearest_float(Fraction(text))
    return columns


def simulated_record(cell: SimulatedCell, common: Distribution | None) -> dict[str, object]:
    """Return the cell of a scheduler as a flat record.

    Parameters
    ----------
    cell : SimulatedCell
    common : Distribution or None
        JCT over the jobs that every scheduler completes on its workload.
    """
    return {
        "family": cell.family,
        "seed": cell.seed,
        "scheduler": cell.scheduler,
        "instance_sha256": cell.workload_sha256,
        **cell.figures,
        "common_jct_s.mean": None if common is None else common.mean,
        "common_jct_s.p95": None if common is None else common.p95,
        "seconds": cell.seconds.get("run"),
        "status": "done",
        "reason": "",
        **varied(cell.family),
    }


def failure_record(failure: Failure) -> dict[str, object]:
    """Return the row of a cell that has no result: its place, its status and its reason."""
    names = ("family", "seed", "parallelism", "policy", "scheduler", "jobs", "rounds")
    payload = failure.task.payload
    return {
        **{name: payload[name] for name in names if name in payload},
        "instance_sha256": payload["instance_sha256"],
        "status": failure.status,
        "reason": failure.reason,
    }


def cells_frame(cells: Sequence[Cell], failures: Sequence[Failure] = ()) -> polars.DataFrame:
    """Return the cells as a data frame; rows with a status other than ``done`` have no figures.

    Raises
    ------
    MissingExtraError
        If polars is not installed.
    """
    rows = [*map(cell_record, cells), *map(failure_record, failures)]
    return make_frame(rows)


def write_cells(cells: Sequence[Cell], folder: Path, failures: Sequence[Failure] = ()) -> Path:
    """Write ``cells.parquet`` in the folder and return its path."""
    file = folder / "cells.parquet"
    write_frame(cells_frame(cells, failures), file)
    return file
