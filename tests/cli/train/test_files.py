"""The files of a training."""

from __future__ import annotations

import csv
import sys

import pytest

from hadaropt.cli.train.files import write_training
from hadaropt.forking.tracking.tracker import Tracker
from hadaropt.forking.training.checkpoint import FILE, Checkpoint
from hadaropt.forking.training.events import CopyRecord, CurvePoint

CURVE = [CurvePoint("a", 0, 0, 0.0, 0.5, 0), CurvePoint("a", 1, 10, 1.5, 0.75, 2)]
COPIES = [CopyRecord("a", 0, "n,0", 4, 1.0, 0.1), CopyRecord("a", 0, "n1", 6, 1.5, 0.2)]
KEPT = Checkpoint(Tracker({"a": 10}), {}, {}, CURVE, COPIES, 1.5)


def rows(file):
    with open(file, newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


def test_curves_and_copies_are_read_back(tmp_path):
    files = write_training(KEPT, {"a": "accuracy"}, tmp_path)
    assert rows(files["curves"]) == [
        list(CurvePoint._fields),
        *([str(x) for x in p] for p in CURVE),
    ]
    assert rows(files["copies"])[1] == ["a", "0", "n,0", "4", "1.0", "0.1"]
    assert "checkpoint" not in files
    (tmp_path / FILE).write_bytes(b"")
    assert write_training(KEPT, {"a": "accuracy"}, tmp_path)["checkpoint"] == str(tmp_path / FILE)


def test_the_picture_is_an_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    files = write_training(KEPT, {"a": "accuracy"}, tmp_path)
    assert set(files) == {"curves", "copies"}
    monkeypatch.undo()
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    picture = write_training(KEPT, {"a": "accuracy"}, tmp_path)["picture"]
    with open(picture, "rb") as file:
        assert file.read(8).startswith(b"\x89PNG")


def test_without_a_round_the_tables_have_their_columns(tmp_path):
    empty = KEPT._replace(curve=[], copies=[])
    files = write_training(empty, {"a": "accuracy"}, tmp_path)
    assert rows(files["copies"]) == [list(CopyRecord._fields)]
