"""What a results folder holds, and what it lacks, said and not invented."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

from hadaropt.bench.ratio.cells import Cell
from hadaropt.bench.results.manifest import definition_of
from hadaropt.bench.results.store import cell_record
from hadaropt.errors import HadaroptError, InstanceError, MissingExtraError, shown
from hadaropt.io.documents import placed
from hadaropt.rows import Row, to_frame
from hadaropt.sweep.manifest import FORMAT

CELLS, MANIFEST = "cells.parquet", "manifest.json"
Record = Mapping[str, object]


class ResultsError(HadaroptError):
    """A results folder cannot be read."""


@dataclass(frozen=True)
class Results:
    """The content of a results folder.

    Attributes
    ----------
    name : str
        Name of the folder.
    cells : tuple of Cell
        One per policy and instance.
    failures : tuple of mapping
        Rows with a status other than ``done``.
    simulated : tuple of mapping
        Rows of round schedulers, as they are.
    manifest : mapping or None
    missing : tuple of str
        What the folder does not say, in words.
    """

    name: str
    cells: tuple[Cell, ...] = ()
    failures: tuple[Record, ...] = ()
    simulated: tuple[Record, ...] = ()
    manifest: Record | None = None
    missing: tuple[str, ...] = field(default_factory=tuple)

    def to_rows(self) -> list[Row]:
        """Return a row for each cell, ratios included; the keys are those of ``cells.parquet``."""
        return [cell_record(cell) for cell in self.cells]

    def to_frame(self) -> Any:
        """Return the rows as a data frame of polars, or else of pandas; exact numbers are text."""
        rows = self.to_rows()
        return to_frame(rows, tuple(rows[0]) if rows else ())


def read_results(folder: Path) -> Results:
    """Read ``cells.parquet`` and, where it is there, ``manifest.json``.

    Raises
    ------
    ResultsError
        If there are no cells, or not as this version writes them.
    InstanceError
        If the manifest is none of this version.
    MissingExtraError
        If polars is not installed.
    """
    file = folder / CELLS
    if not folder.is_dir():
        raise ResultsError(f"{folder}: is no results folder")
    if not file.exists():
        raise ResultsError(f"{folder}: holds no {CELLS}; `hadaropt bench ... --out` writes it")
    records = _records(file)
    if not records:
        raise ResultsError(f"{file}: holds no row")
    done = [record for record in records if (record.get("status") or "done") == "done"]
    failures = tuple(row for row in records if (row.get("status") or "done") != "done")
    simulated = tuple(record for record in done if record.get("scheduler"))
    cells = tuple(
        _cell(record, f"{file}: row {i}")
        for i, record in enumerate(done)
        if not record.get("scheduler")
    )
    missing = []
    manifest = _manifest(folder / MANIFEST)
    if manifest is None:
        missing.append(
            f"there is no {MANIFEST}: versions, solver options and machine are not known"
        )
    return Results(folder.resolve().name, cells, failures, simulated, manifest, tuple(missing))


def _records(file: Path) -> list[dict[str, object]]:
    try:
        import polars
    except ImportError:
        raise MissingExtraError("bench", "polars") from None
    try:
        return polars.read_parquet(file).to_dicts()
    except polars.exceptions.PolarsError as bad:
        raise ResultsError(f"{file}: is no parquet file ({bad})") from None


def _cell(record: Record, place: str) -> Cell:
    """Return the row as a cell; exact numbers are text in the file."""
    values: dict[str, object] = {}
    for item in fields(Cell):
        value = record.get(item.name)
        if value is None and item.default is MISSING:
            raise ResultsError(f"{place}: has no {item.name}; written by another version?")
        if item.type == "Fraction":
            try:
                value = Fraction(str(value))
            except (ValueError, ZeroDivisionError):
                rule = f"{item.name} = {value!r}, must be an exact number"
                raise ResultsError(f"{place}: {rule}") from None
        values[item.name] = value
    return Cell(**values)  # type: ignore[arg-type]


def _manifest(file: Path) -> Record | None:
    if not file.exists():
        return None
    try:
        document = json.loads(file.read_text("utf-8"))
    except ValueError as bad:
        raise ResultsError(f"{file}: is no JSON file ({bad})") from None
    if not isinstance(document, dict):
        raise ResultsError(f"{file}: must hold one object")

    def check() -> None:
        if document.get("format") != FORMAT:
            raise InstanceError("format", f'must be "{FORMAT}"', shown(document.get("format")))
        definition_of(document)

    placed(file.name, check)
    return document
