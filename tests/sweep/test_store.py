"""The results folder: one sweep at a time, one definition, whole transactions."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from hadaropt.errors import SweepError
from hadaropt.sweep import Outcome, Store, Task, open_store, task_key
from hadaropt.sweep.store import DATABASE


def put(store, x, size=0):
    task = Task(task_key({"x": x}), "m:f", {"x": x})
    store.put(task, Outcome("done", result={"y": x, "certificate": os.urandom(size).hex()}))
    return task


def test_a_second_sweep_in_the_folder_is_refused(tmp_path):
    code = (
        "import sys; from pathlib import Path; from hadaropt.sweep import open_store\n"
        "with open_store(Path(sys.argv[1])): print('in', flush=True); sys.stdin.read()"
    )
    root = str(Path(__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "out")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": root},
    ) as first:  # fmt: skip
        assert first.stdout.readline() == "in\n"
        refusal = rf"another sweep runs here \(process {first.pid}\)"
        with pytest.raises(SweepError, match=refusal), open_store(tmp_path / "out"):
            pass
        first.kill()
    with open_store(tmp_path / "out") as store:
        assert len(store) == 0


def test_a_folder_of_another_kind_is_refused(tmp_path):
    with open_store(tmp_path / "out", "one") as store:
        put(store, 1)
    with pytest.raises(SweepError, match="another experiment"), open_store(tmp_path / "out", "two"):
        pass
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    with pytest.raises(SweepError, match="holds no results"), open_store(tmp_path / "mine"):
        pass
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / DATABASE).write_bytes(b"not a database" * 100)
    with pytest.raises(SweepError, match="is not a store"), open_store(tmp_path / "broken"):
        pass


def test_a_folder_of_an_older_version_is_refused_and_left_alone(tmp_path):
    with open_store(tmp_path / "out") as store:
        store.set_fact("format", "hadaropt-results/0")
    before = (tmp_path / "out" / DATABASE).read_bytes()
    refusal = "holds results of format hadaropt-results/0, and this version writes"
    with pytest.raises(SweepError, match=refusal), open_store(tmp_path / "out"):
        pass
    assert (tmp_path / "out" / DATABASE).read_bytes() == before


def fill(store):
    for x in range(1000):
        put(store, x, 20_000)


def check_full(refused, store, path):
    assert "make space and repeat the command" in str(refused.value)
    assert refused.value.filename == str(path)
    kept = len(store)
    assert 0 < kept < 1000
    store.close()
    base = sqlite3.connect(path)
    assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert base.execute("SELECT count(*) FROM certificates").fetchone() == (kept,)
    base.close()


def test_a_full_disk_leaves_the_store_good(tmp_path):
    store = Store(tmp_path / DATABASE)
    store._base.execute("PRAGMA max_page_count = 100")
    with pytest.raises(OSError, match="database or disk is full") as refused:
        fill(store)
    check_full(refused, store, tmp_path / DATABASE)


def test_a_full_file_system_leaves_the_store_good(tmp_path):
    mount = shutil.which("mount")
    command = [str(mount), "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(tmp_path)]
    if mount is None or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("a small file system can be mounted by root only")
    try:
        store = Store(tmp_path / DATABASE)
        with pytest.raises(OSError, match="make space") as refused:
            fill(store)
        check_full(refused, store, tmp_path / DATABASE)
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_an_outcome_comes_back_as_it_was_put():
    store = Store(None)
    task = Task("k", "m:f", {"x": [1, "a"]})
    outcome = Outcome("crash", "died", None, "words", 1.5, 3, 0.25)
    store.put(task, outcome)
    assert store.get("k") == outcome
    assert store.get("other") is None
    assert store.certificate("k") is None
    done = put(store, 5)
    assert store.get(done.key).result == {"y": 5}
    assert store.certificate(done.key) == ""
