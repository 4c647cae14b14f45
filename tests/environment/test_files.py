"""Outputs where people really write: modes, hard links, mounts, file systems without locks."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hadaropt.cli.common.options import UsageError, check_outputs
from hadaropt.cli.common.workloads import output_folder
from hadaropt.errors import SweepError
from hadaropt.io.files import write_bytes
from hadaropt.sweep import open_store
from tests.sweep.test_store import put


def test_the_mode_of_a_file_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "private.json"
    file.write_bytes(b"old")
    file.chmod(0o600)
    write_bytes(file, b"new")
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"new", 0o600)


def test_every_name_of_a_file_has_the_new_content(tmp_path: Path) -> None:
    file, other = tmp_path / "a.json", tmp_path / "b.json"
    file.write_bytes(b"older and longer")
    os.link(file, other)
    write_bytes(file, b"new")
    assert other.read_bytes() == b"new"
    assert file.samefile(other)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.json"]


def test_a_file_system_without_modes_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "chmod", refused)
    write_bytes(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A single file that is mounted: it can be written, and not replaced."""
    file, source = tmp_path / "mounted.json", tmp_path / "source.json"
    file.touch()
    source.write_bytes(b"older and longer")
    mount = shutil.which("mount")
    command = [str(mount), "--bind", str(source), str(file)]
    if mount is None or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("a file can be mounted by root only")
    yield file
    subprocess.run(["umount", str(file)], check=True)


def test_a_mounted_file_is_written(mounted: Path) -> None:
    check_outputs(("-o", mounted), inputs=())
    write_bytes(mounted, b"new", sync=True)
    assert mounted.read_bytes() == (mounted.parent / "source.json").read_bytes() == b"new"
    assert len(list(mounted.parent.iterdir())) == 2


@pytest.mark.parametrize("code", [errno.EBUSY, errno.EXDEV, errno.EPERM])
def test_a_file_that_cannot_be_replaced_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """Simulated: the mount, and the folder in which no draft can be made."""
    file = tmp_path / "a.json"
    file.write_bytes(b"older and longer")

    def busy(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "replace", busy)
    write_bytes(file, b"new")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"new"]
    with pytest.raises(OSError) as bad:
        write_bytes(tmp_path / "absent.json", b"new")
    assert bad.value.filename == str(tmp_path / "absent.json")


def test_links_in_a_loop_are_named(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(UsageError, match=r"-o .*/a: is a link that leads back to itself"):
        check_outputs(("-o", tmp_path / "a"), inputs=())
    check_outputs(("-o", tmp_path / "c"), inputs=(tmp_path / "a",))  # reading it will say so


def test_links_in_a_loop_are_no_traceback(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a").symlink_to(tmp_path / "a")
    for arguments in (("solve", tmp_path / "a"), ("simulate", tmp_path / "a", "--scheduler=yarn")):
        answer = run(*arguments)
        assert answer.code == 4
        assert "Too many levels of symbolic links" in answer.err
        assert "Traceback" not in answer.err


def test_two_commands_do_not_write_into_one_folder(tmp_path: Path) -> None:
    with output_folder(tmp_path / "same", ("a.csv",), {}) as folder:
        assert folder is not None
        with (
            pytest.raises(UsageError, match="another command is writing there"),
            output_folder(tmp_path / "same", ("a.csv",), {}),
        ):
            pass
        (folder / "a.csv").touch()
    with (
        pytest.raises(UsageError, match=r"holds a\.csv already"),
        output_folder(tmp_path / "same", ("a.csv",), {}),
    ):
        pass


def test_a_folder_without_results_is_free_for_another_experiment(tmp_path: Path) -> None:
    with open_store(tmp_path, "one"):
        pass
    with open_store(tmp_path, "two") as store:
        put(store, 1)
    with (
        pytest.raises(SweepError, match="results of another experiment"),
        open_store(tmp_path, "three"),
    ):
        pass
