"""Locks of files."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from hadaropt.errors import SweepError
from hadaropt.io import locks
from hadaropt.sweep import open_store


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_said_and_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, code: int
) -> None:
    """Simulated: flock answers what such file systems answer."""

    def no_locks(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(locks.fcntl, "flock", no_locks)
    with open_store(tmp_path / "out") as store:
        assert len(store) == 0
    assert caplog.text.count("has no locks") == 1


def test_only_a_held_lock_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with open_store(tmp_path / "out"):
        with pytest.raises(SweepError, match="another sweep runs here"):
            open_store(tmp_path / "out").__enter__()
        monkeypatch.setattr(locks.fcntl, "flock", broken)
        with pytest.raises(OSError, match="Input/output error"):
            open_store(tmp_path / "out").__enter__()
