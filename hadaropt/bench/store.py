"""Results on disk: one parquet file of cells, exact numbers as text beside their floats."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from hadaropt.bench.cells import Cell
from hadaropt.errors import MissingExtraError

if TYPE_CHECKING:
    import polars


def cell_record(cell: Cell) -> dict[str, object]:
    """Return the cell as a flat record; ratios included."""
    record: dict[str, object] = {}
    for name, value in cell.__dict__.items():
        record[name] = str(value) if isinstance(value, Fraction) else value
    return {
        **record,
        "closed": cell.closed,
        "ratio_low": cell.ratio_low,
        "ratio_high": cell.ratio_high,
        "certified": cell.certified,
    }


def cells_frame(cells: Sequence[Cell]) -> polars.DataFrame:
    """Return the cells as a data frame.

    Raises
    ------
    MissingExtraError
        If polars is not installed.
    """
    try:
        import polars
    except ImportError:
        raise MissingExtraError("bench", "polars") from None
    return polars.DataFrame([cell_record(cell) for cell in cells], infer_schema_length=None)


def write_cells(cells: Sequence[Cell], folder: Path) -> Path:
    """Write ``cells.parquet`` in the folder and return its path."""
    file = folder / "cells.parquet"
    cells_frame(cells).write_parquet(file)
    return file
