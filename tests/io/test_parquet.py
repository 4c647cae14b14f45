"""Data frames as parquet files: whole or not at all."""

from __future__ import annotations

import builtins

import pytest

from hadaropt.errors import MissingExtraError
from hadaropt.io import parquet
from hadaropt.io.parquet import make_frame, write_frame

polars = pytest.importorskip("polars", reason="the extra 'bench' is not installed")


def test_rows_are_mappings_or_tuples_of_columns():
    table = make_frame({"a": i, "b": None if i < 200 else "x"} for i in range(300))
    assert table.columns == ["a", "b"] and table["b"].drop_nulls().len() == 100
    named = make_frame(iter([(1, "x"), (2, "y")]), ("n", "t"))
    assert named.rows() == [(1, "x"), (2, "y")] and named.columns == ["n", "t"]
    assert make_frame([], ("n", "t")).columns == ["n", "t"]


def test_a_frame_is_read_back(tmp_path):
    frame = make_frame([{"p": "1/3", "x": float("inf")}, {"p": None, "x": None}])
    write_frame(frame, tmp_path / "a.parquet")
    assert polars.read_parquet(tmp_path / "a.parquet").equals(frame)


def test_a_frame_that_cannot_be_written_leaves_the_file_before_it(tmp_path, monkeypatch):
    file = tmp_path / "a.parquet"
    write_frame(make_frame([{"a": 1}]), file)
    before = file.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(parquet, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        write_frame(make_frame([{"a": 2}]), file)
    assert file.read_bytes() == before


def test_without_polars_the_extra_is_named(monkeypatch):
    honest = builtins.__import__

    def without(name, *arguments, **options):
        if name == "polars":
            raise ImportError(name)
        return honest(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"hadaropt\[bench\]"):
        make_frame([])
