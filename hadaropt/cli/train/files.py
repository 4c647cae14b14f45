"""The files of a training: curves as csv, and their picture where matplotlib is installed."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hadaropt.errors import MissingExtraError
from hadaropt.forking.training.checkpoint import FILE
from hadaropt.forking.training.events import CopyRecord, CurvePoint
from hadaropt.io.files import writing

if TYPE_CHECKING:
    from hadaropt.forking.training.checkpoint import Checkpoint


def write_training(kept: Checkpoint, metrics: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Write ``curves.csv``, ``copies.csv`` and ``curves.png``; return the files of the folder."""
    files = {"curves": folder / "curves.csv", "copies": folder / "copies.csv"}
    _write(files["curves"], CurvePoint._fields, kept.curve)
    _write(files["copies"], CopyRecord._fields, kept.copies)
    try:
        from hadaropt.plot.style import save_figure
        from hadaropt.plot.training import plot_training

        picture = plot_training(kept.curve, kept.copies, metrics)
        files["picture"] = save_figure(picture, folder / "curves.png")
    except MissingExtraError:
        pass  # the picture is an extra; the curves are there
    if (folder / FILE).exists():
        files["checkpoint"] = folder / FILE
    return {name: str(file) for name, file in files.items()}


def _write(file: Path, columns: Sequence[str], rows: Sequence[tuple[object, ...]]) -> None:
    with writing(file) as draft, draft.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(columns)
        table.writerows(rows)
