"""Folders for results."""

from __future__ import annotations

import os

import pytest

from hadaropt.cli.common.folders import check_new_folder, new_folder
from hadaropt.cli.common.options import UsageError


def test_a_folder_that_could_be_made_is_not_left_there(tmp_path):
    check_new_folder(tmp_path / "a" / "b" / "c")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "a").mkdir()
    check_new_folder(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OSError):
            check_new_folder(out)
    assert os.listdir(tmp_path) == ["file"]


def test_results_are_never_mixed(tmp_path):
    assert new_folder(None) is None
    out = tmp_path / "a" / "b"
    assert new_folder(out) == out and out.is_dir()
    with pytest.raises(UsageError, match=r"^--out .*/b: exists already; name a new folder"):
        new_folder(out)
