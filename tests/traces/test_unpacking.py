"""Archives: what is unpacked is checked at every use, and what failed its check is not kept."""

from __future__ import annotations

import hashlib
import io
import random
import tarfile
from pathlib import Path

import pytest

from hadaropt.errors import TraceError
from hadaropt.traces.unpacking import unpacked

CSV = b"job_id,submission_time,duration,num_gpu\r\na,1,2,3\r\n"


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _archive(folder: Path, content: bytes = CSV, link: str | None = None) -> tuple[Path, str]:
    """Write an archive of one file, or of a link under its name and another file."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        file = tarfile.TarInfo("x/m.csv" if link is None else "x/other")
        file.size = len(content)
        archive.addfile(file, io.BytesIO(content))
        if link is not None:
            (folder / "link").symlink_to(link)
            archive.add(folder / "link", "x/m.csv")
    path = folder / "t.tar.gz"
    path.write_bytes(packed.getvalue())
    return path, _sha(packed.getvalue())


def test_a_file_known_by_its_archive_is_checked_at_every_use(tmp_path: Path) -> None:
    archive, sha = _archive(tmp_path)
    path = unpacked(archive, "m.csv", sha256=None, archive_sha256=sha)
    assert path.read_bytes() == CSV
    there = path.stat().st_ino
    assert unpacked(archive, "m.csv", sha256=None, archive_sha256=sha).stat().st_ino == there
    path.write_bytes(b"cut")
    with pytest.raises(TraceError, match=rf"m\.csv, must have SHA-256 {_sha(CSV)}; delete it"):
        unpacked(archive, "m.csv", sha256=None, archive_sha256=sha)
    path.unlink()
    assert unpacked(archive, "m.csv", sha256=None, archive_sha256=sha).read_bytes() == CSV


@pytest.mark.parametrize("note", [None, "", "0" * 64 + "  t.tar.gz\n" + "1" * 64 + "  m.csv\n"])
def test_without_a_note_of_this_archive_it_is_unpacked_again(
    note: str | None, tmp_path: Path
) -> None:
    archive, sha = _archive(tmp_path)
    folder = tmp_path / "t.tar.gz.untar"
    folder.mkdir()
    (folder / "m.csv").write_bytes(b"from elsewhere")
    if note is not None:
        (folder / "m.csv.sha256").write_text(note)
    path = unpacked(archive, "m.csv", sha256=None, archive_sha256=sha)
    assert path.read_bytes() == CSV


@pytest.mark.parametrize("link", ["gone", "m.csv"])
def test_links_are_not_followed(link: str, tmp_path: Path) -> None:
    archive, sha = _archive(tmp_path, link=link)
    with pytest.raises(
        TraceError, match=r"has no file m\.csv \(it has x/other; x/m\.csv, a link\)"
    ):
        unpacked(archive, "m.csv", sha256=None, archive_sha256=sha)
    assert archive.exists()
    path = unpacked(archive, "m.csv", sha256=_sha(CSV), archive_sha256=sha)
    assert path.read_bytes() == CSV


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "is a damaged archive"), (b"<html>", "is a damaged archive"), (None, "has no file of")],
)
def test_an_archive_of_unknown_checksum_that_fails_is_moved_aside(
    content: bytes | None, reason: str, tmp_path: Path
) -> None:
    archive, _ = _archive(tmp_path, b"another")
    if content is not None:
        archive.write_bytes(content)
    was = archive.read_bytes()
    with pytest.raises(TraceError, match=rf"t\.tar\.gz, {reason}.*moved to t\.tar\.gz\.rejected"):
        unpacked(archive, "m.csv", sha256=_sha(CSV), archive_sha256=None)
    assert not archive.exists()
    assert archive.with_name("t.tar.gz.rejected").read_bytes() == was


def test_an_archive_that_is_what_was_asked_for_stays(tmp_path: Path) -> None:
    archive, _ = _archive(tmp_path)
    archive.write_bytes(archive.read_bytes()[:60])
    sha = _sha(archive.read_bytes())
    with pytest.raises(TraceError, match=r"another download would be the same"):
        unpacked(archive, "no.csv", sha256=None, archive_sha256=sha)
    assert archive.exists()


@pytest.mark.parametrize("mode", ["w:xz", "w:bz2", "w:gz"])
def test_a_changed_byte_is_no_other_error(mode: str, tmp_path: Path) -> None:
    archive = tmp_path / "t.tar"
    with tarfile.open(archive, mode) as members:  # type: ignore[call-overload]
        file = tarfile.TarInfo("m.csv")
        content = random.Random(1).randbytes(9000)
        file.size = len(content)
        members.addfile(file, io.BytesIO(content))
    packed = bytearray(archive.read_bytes())
    packed[len(packed) * 2 // 3] ^= 255
    archive.write_bytes(packed)
    with pytest.raises(TraceError, match=r"damaged archive|has no file"):
        unpacked(archive, "m.csv", sha256=_sha(content), archive_sha256=None)
