"""Processes that run a module: with the path of their owner, and a session of their own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hadaropt.child_process import ONE_THREAD, ended_by, how_ended, start_child


def test_a_child_finds_what_its_owner_finds_but_not_what_lies_where_one_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = "import os, sys, queue; print(queue.__file__); print(os.getsid(0)); print(sys.argv[1])"
    shown += "; print(os.environ['NUMBA_NUM_THREADS'])"
    own = tmp_path / "own"
    own.mkdir()
    (own / "shown_here.py").write_text(shown)
    (tmp_path / "queue.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(own))
    child = start_child("shown_here", "word", stdout=subprocess.PIPE)
    said, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    queue, session, word, threads = said.decode().split()
    assert str(tmp_path) not in queue and word == "word"
    assert int(session) == child.pid != os.getsid(0)
    assert threads == ONE_THREAD["NUMBA_NUM_THREADS"] == "1"


def test_the_end_of_a_process_in_words() -> None:
    assert ended_by(-64) == "SIGRTMAX"
    assert ended_by(-45) == "signal 45"
    assert how_ended(-9) == "signal SIGKILL" and how_ended(-45) == "signal 45"
    assert how_ended(3) == "exit code 3"
