"""Files that reproduce a defect."""

import tempfile
from pathlib import Path

import pytest

from hadaropt.cli.common.failures import keep_reproduction
from hadaropt.errors import reproducing_files


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The names of the files that are kept for a defect of a command."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))

    def call(*tokens):
        defect = RuntimeError("a defect")
        keep_reproduction(defect, tokens)
        assert not getattr(defect, "__notes__", [])
        return [Path(file) for file in reproducing_files(defect)]

    return call


def test_a_text_too_long_for_a_path_is_no_file(kept):
    (report,) = kept("audit", f"--what-if=add=V100:{'9' * 5000}x8", "9" * 5000, "a\0b")
    assert "9" * 5000 in report.read_text()


@pytest.mark.parametrize("name", ["x" * 251 + ".csv", "é" * 125 + ".csv"])
def test_an_input_of_the_longest_name_is_kept(kept, tmp_path, name):
    path = tmp_path / name
    path.write_text("its text")
    _, copy = kept("audit", str(path))
    assert copy.read_text() == "its text"
    assert copy.name.startswith("1-")
    assert copy.suffix == ".csv"


def test_a_command_that_is_no_utf8_is_written_down(kept):
    (report,) = kept("audit", "\udcff.csv")
    assert "udcff.csv" in report.read_text()
