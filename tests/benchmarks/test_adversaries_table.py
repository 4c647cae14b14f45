"""``python -m benchmarks.adversaries table`` says what it did, and refuses what does not hold."""

import json
import shutil

import pytest

from benchmarks.adversaries import __main__ as archive
from hadaropt.bench.adversary.archive import FIND

FOLDER = archive.place("unit", "fifo")


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """Return the folder of the one find of an archive."""
    folder = tmp_path / "unit" / FOLDER.name
    shutil.copytree(FOLDER, folder)
    monkeypatch.setattr(archive, "ARCHIVE", tmp_path)
    monkeypatch.setattr("sys.argv", ["adversaries", "table"])
    return folder


def test_the_command_counts_what_it_verified_and_names_the_page(copied, capsys):
    count = len(list(copied.rglob(FIND)))
    page = copied.parent.parent / "README.md"
    assert archive.main() == 0
    assert capsys.readouterr().out == (
        f"{count} finds replayed, their certificates verified; table: {page}\n"
    )
    assert f"[fifo](unit/{FOLDER.name})" in page.read_text("utf-8")


def test_a_find_that_does_not_hold_ends_the_table(copied):
    file = sorted(copied.rglob(FIND))[-1]
    facts = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(facts | {"primal": "1/7"}), "utf-8")
    with pytest.raises(SystemExit, match="primal"):
        archive.main()
