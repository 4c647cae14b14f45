"""Results folders as they are read."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from hadaropt.bench.page.results import ResultsError, read_results
from tests.bench.page.samples import cells, folder, frame, record

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")


def test_cells_turn_into_rows_and_a_frame(tmp_path):
    results = read_results(folder(tmp_path / "mine"))
    rows, frame = results.to_rows(), results.to_frame()
    assert len(rows) == len(cells()) == len(frame)
    assert [row["policy"] for row in rows] == frame["policy"].to_list()
    assert rows[0]["primal"] == str(cells()[0].primal) and "ratio_low" in frame.columns
    assert len(replace(results, cells=()).to_frame()) == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda place: place.mkdir(), "holds no cells.parquet"),
        (lambda place: place.write_text("x"), "is no results folder"),
        (lambda place: frame([], place), "holds no row"),
        (lambda place: frame([{"policy": "fifo"}], place), "row 0: has no family"),
        (
            lambda place: frame([record(cells(1)[0]) | {"primal": "1/x"}], place),
            "primal = '1/x', must be an exact number",
        ),
        (
            lambda place: (place.mkdir(), (place / "cells.parquet").write_text("no")),
            "is no parquet file",
        ),
        (
            lambda place: (folder(place), (place / "manifest.json").write_text("{")),
            "is no JSON file",
        ),
        (
            lambda place: (folder(place), (place / "manifest.json").write_text("[]")),
            "must hold one object",
        ),
    ],
)
def test_bad_folders(make, message, tmp_path):
    make(tmp_path / "x")
    with pytest.raises(ResultsError, match=re.escape(message)):
        read_results(tmp_path / "x")
