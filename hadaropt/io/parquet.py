"""Data frames of polars as parquet files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from os import PathLike
from typing import TYPE_CHECKING, Any

from hadaropt.errors import MissingExtraError
from hadaropt.io.files import write_bytes

if TYPE_CHECKING:
    import polars


def make_frame(rows: Iterable[Any], columns: Sequence[str] | None = None) -> polars.DataFrame:
    """Return rows as a data frame.

    Parameters
    ----------
    rows : iterable
        Mappings, whose keys are the columns, or with ``columns`` tuples of that length.
    columns : sequence of str, optional

    Raises
    ------
    MissingExtraError
        If polars is not installed.
    """
    try:
        import polars
    except ImportError:
        raise MissingExtraError("bench", "polars") from None
    if columns is None:
        return polars.DataFrame(list(rows), infer_schema_length=None)
    return polars.DataFrame(list(rows), schema=list(columns), orient="row")


def write_frame(frame: polars.DataFrame, path: str | PathLike[str]) -> None:
    """Write a frame as parquet, whole or not at all.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    data = BytesIO()  # polars has errors of its own for a disk that is full
    frame.write_parquet(data)
    write_bytes(path, data.getvalue())
