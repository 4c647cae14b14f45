"""What a result depends on besides its inputs."""

from __future__ import annotations

import importlib.metadata
import shutil
from pathlib import Path

import pytest

import hadaropt
from hadaropt.sweep import sources


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A copy of a few sources, hashed in the place of the library."""
    home = Path(hadaropt.__file__).parent
    for name in ("__init__.py", "exact.py", "cli/check.py", "plot/gantt.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(home / name, tmp_path / name)
    monkeypatch.setattr(hadaropt, "__file__", str(tmp_path / "__init__.py"))

    def hashed():
        return sources.source_hash.__wrapped__()

    return tmp_path, hashed


def test_a_change_of_what_computes_changes_the_hash_and_no_other(copied):
    folder, hashed = copied
    before = hashed()
    for name in ("cli/check.py", "plot/gantt.py"):
        (folder / name).write_text("# shown otherwise\n")
    (folder / "notes.md").write_text("not code")
    assert hashed() == before
    (folder / "table.csv").write_text("1\n")
    with_table = hashed()
    (folder / "exact.py").write_text("# computed otherwise\n")
    assert len({before, with_table, hashed()}) == 3


def test_a_file_that_is_renamed_changes_the_hash(copied):
    folder, hashed = copied
    before = hashed()
    (folder / "exact.py").rename(folder / "other.py")
    assert hashed() != before


def test_versions_of_all_that_computes_are_named(monkeypatch):
    found = sources.versions()
    assert set(sources.LIBRARIES) | {"python", "hadaropt"} == set(found)
    assert sources.code_facts() == {"sources": sources.source_hash(), "versions": found}

    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    assert sources.versions.__wrapped__()["scipy"] == "absent"
