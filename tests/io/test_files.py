"""Files are written whole or not at all; devices, pipes and links stay what they are."""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hadaropt.cli.common.options import UsageError, check_outputs
from hadaropt.io import write_instance
from hadaropt.io.documents import save_json
from hadaropt.io.files import naming, write_bytes, writing
from hadaropt.io.parquet import write_frame
from hadaropt.mip.highs import write_model
from hadaropt.offline.compact.formulation import assemble
from tests.cli.conftest import make_instance


@contextmanager
def no_room(size: int = 0) -> Iterator[None]:
    """No file of this process may grow beyond ``size`` bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_link_is_written_through(tmp_path: Path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    save_json(link, {"a": 1})
    assert link.is_symlink()
    assert '"a": 1' in target.read_text(encoding="utf-8")


def test_a_pipe_is_written_to(tmp_path: Path):
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    check_outputs(("-o", pipe), inputs=())
    save_json(pipe, {"a": 1})
    reader.join()
    assert pipe.is_fifo()
    assert b'"a": 1' in heard[0]


def test_a_device_stays_one():
    save_json(os.devnull, {"a": 1})
    assert Path(os.devnull).is_char_device()


def test_a_new_file_has_the_usual_permissions(tmp_path: Path):
    write_bytes(tmp_path / "a", b"x")
    (tmp_path / "b").write_bytes(b"x")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


@pytest.mark.parametrize("there", [False, True])
def test_a_full_disk_is_named_and_nothing_changes(tmp_path: Path, there: bool):
    file = tmp_path / "small.json"
    if there:
        file.write_bytes(b"old")
    with no_room(), pytest.raises(OSError) as bad:
        write_instance(make_instance(), file)
    assert bad.value.filename == str(file)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == ([b"old"] if there else [])


@pytest.mark.parametrize("name", ["a.mps", "a.lp", "a.mps.gz"])
@pytest.mark.parametrize("size", [0, 100])
def test_a_model_is_written_whole_or_not(tmp_path: Path, name: str, size: int):
    model = assemble(make_instance(), "hall").linear
    file = tmp_path / name
    with no_room(size), pytest.raises(OSError) as bad:
        write_model(model, file)
    assert bad.value.filename == str(file)
    assert not list(tmp_path.iterdir())
    write_model(model, file)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (file.read_bytes()[:2] == b"\x1f\x8b") == name.endswith(".gz")


def test_a_picture_is_written_whole_or_not(tmp_path: Path):
    pytest.importorskip("matplotlib")
    from hadaropt.plot.style import axes_or_new, save_figure

    axes = axes_or_new(None, 2, 2)
    save_figure(axes, tmp_path / "fine.png")
    with no_room(), pytest.raises(OSError) as bad:
        save_figure(axes, tmp_path / "a.png")
    assert bad.value.filename == str(tmp_path / "a.png")
    assert [path.name for path in tmp_path.iterdir()] == ["fine.png"]


def test_a_table_is_written_whole_or_not(tmp_path: Path):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": [1, 2]})
    with no_room(), pytest.raises(OSError) as bad:
        write_frame(frame, tmp_path / "a.parquet")
    assert bad.value.filename == str(tmp_path / "a.parquet")
    assert not list(tmp_path.iterdir())


def test_only_nameless_errors_get_a_name():
    with pytest.raises(OSError) as bad, naming("a"):
        raise OSError(28, "No space left on device")
    assert bad.value.filename == "a"
    with pytest.raises(OSError) as bad, naming("a"):
        raise OSError(28, "No space left on device", "b")
    assert bad.value.filename == "b"


def test_an_error_of_the_writer_leaves_nothing(tmp_path: Path):
    with pytest.raises(ZeroDivisionError), writing(tmp_path / "a"):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


def test_a_link_to_a_folder_that_is_not_there_is_refused(tmp_path: Path):
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "none" / "a.json")
    with pytest.raises(UsageError, match="there is no folder"):
        check_outputs(("-o", link), inputs=())
