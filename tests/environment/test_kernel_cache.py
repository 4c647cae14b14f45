"""Where compiled kernels are kept: one small kernel, in processes with other homes and folders."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hadaropt.kernels import cache as compiling

ROOT = Path(__file__).parents[2]
CALL = """
import numpy as np
from hadaropt.kernels import cache as compiling
from hadaropt.kernels.dispatch import kernel
@kernel
def twice(x):
    return 2 * x
warm = compiling.is_warm()
assert twice(21) == 42
print(warm, sum(twice.dispatcher.stats.cache_hits.values()), compiling.cache_folder())
"""
COLD = "hadaropt: compiling kernels first needed now, and kept (all: hadaropt doctor --warm)"


TOLD = """
import sys
from hadaropt.kernels.compile_time import when_compiling
when_compiling(lambda: print("told", file=sys.stderr))
"""


def call(before: str = "", **environment: str | None) -> tuple[list[str], list[str]]:
    """Return the words on standard output and the lines on standard error of a fresh process."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)} | environment
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        env.setdefault(name, "")
    done = subprocess.run(
        [sys.executable, "-c", before + CALL],
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in env.items() if value is not None},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(), done.stderr.splitlines()


def test_code_is_kept_below_the_cache_of_the_user_and_waiting_is_said_once(tmp_path: Path) -> None:
    for name in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR"):
        place = {name: str(tmp_path / name)}
        (warm, hits, folder), said = call(**place)
        assert (warm, hits, said) == ("False", "0", [COLD])
        assert Path(folder).is_relative_to(next(iter(place.values())))
        (warm, hits, again), said = call(**place)
        assert (warm, hits, again, said) == ("True", "1", folder, [])
    (_, _, folder), _ = call(HOME=str(tmp_path), XDG_CACHE_HOME=None, NUMBA_CACHE_DIR=None)
    assert Path(folder).is_relative_to(tmp_path / ".cache" / "hadaropt")


def test_whoever_says_that_kernels_are_compiled_says_it_alone(tmp_path: Path) -> None:
    assert call(TOLD, NUMBA_CACHE_DIR=str(tmp_path))[1] == ["told"]
    assert call(TOLD, NUMBA_CACHE_DIR=str(tmp_path))[1] == []


@pytest.mark.parametrize("home", ["/proc/none", "", None])
def test_without_a_home_code_is_kept_in_a_private_temporary_folder(
    home: str | None, tmp_path: Path
) -> None:
    other = None if home else str(tmp_path)  # else the system knows the home of the user
    (_, _, folder), said = call(HOME=home, XDG_CACHE_HOME=other, TMPDIR=str(tmp_path))
    assert Path(folder).is_relative_to(tmp_path)
    if home:
        assert len(said) == 2
        assert said[0].startswith(f"hadaropt: compiled kernels are kept in {tmp_path}/")
        assert "/proc/none" in said[0]
        assert Path(folder).parent.stat().st_mode & 0o077 == 0


def test_where_nothing_can_be_written_kernels_work_and_it_is_said_once(tmp_path: Path) -> None:
    (warm, hits, folder), said = call(NUMBA_CACHE_DIR="/proc/none")
    assert (warm, hits, folder) == ("False", "0", "None")
    assert len(said) == 2
    assert "cannot be kept" in said[0]


def test_a_full_disk_is_said_and_fails_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def full(file: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compiling, "_write_whole", full)
    compiling._say.cache_clear()
    square = compiling.compiled(lambda x: x * x)
    assert square(7) == 49
    assert "No space left on device" in caplog.text


def test_broken_code_is_compiled_again(tmp_path: Path) -> None:
    place = {"NUMBA_CACHE_DIR": str(tmp_path)}
    call(**place)
    (file,) = tmp_path.rglob("*.nbc")
    whole = file.read_bytes()
    for broken in (b"", whole[:-1], whole[:40] + bytes([whole[40] ^ 1]) + whole[41:]):
        file.write_bytes(broken)
        assert call(**place)[0][1] == "0"
        assert call(**place)[0][1] == "1"


def test_the_key_follows_every_kernel_source(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A kernel may call one of another module: a change there must not leave old code."""
    (tmp_path / "a.py").write_text("x")
    (tmp_path / "b.py").write_text("y")
    monkeypatch.setattr(compiling, "_SOURCES", tmp_path)
    key = compiling.source_key.__wrapped__
    before = key()
    assert key() == before
    (tmp_path / "b.py").write_text("z")
    assert key() not in (before, None)
    monkeypatch.setattr(compiling, "_SOURCES", tmp_path / "archive.zip")
    assert key() is None


def test_a_temporary_folder_of_another_user_is_not_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (folder,) = compiling._private_temporary()
    folder.chmod(0o777)
    assert list(compiling._private_temporary()) == []
    folder.rmdir()
    (tmp_path / "elsewhere").mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    assert list(compiling._private_temporary()) == []


def test_old_folders_of_other_sources_are_removed(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "abcdef"]
    for age, folder in enumerate(folders):
        folder.mkdir()
        os.utime(folder, (age * 86400, age * 86400))
    os.utime(tmp_path / "b")  # used today
    compiling._remove_old_folders(tmp_path / "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "e", "f"]


def test_llvm_calls_the_functions_in_which_signals_do_not_count():
    from llvmlite.binding.executionengine import ExecutionEngine

    from hadaropt.kernels.cache import CALLBACKS

    assert all(callable(getattr(ExecutionEngine, name)) for name in CALLBACKS)
