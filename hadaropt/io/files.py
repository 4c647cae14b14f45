"""Files written whole or not at all; devices and links keep what they are."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_STREAM = re.compile(r"/dev/(std(in|out|err)|fd/\d+)|/proc/.+")
_NOT_REPLACEABLE = (errno.EBUSY, errno.EXDEV, errno.EPERM, errno.EACCES)
"""A mounted file; a draft that had to be made elsewhere; a sticky folder, with a file of another
user."""


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Give an `OSError` of the block that names no file, as of a full disk, this one's name."""
    try:
        yield
    except OSError as bad:
        if bad.filename is None:
            raise _named(bad, path) from None
        raise


def _named(bad: OSError, path: str | os.PathLike[str]) -> OSError:
    return OSError(bad.errno, bad.strerror or str(bad), os.fspath(path))


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is written to and never replaced: a device, a pipe, an open file."""
    there = os.path.exists(path) and not os.path.isfile(path)
    return there or _STREAM.fullmatch(os.path.abspath(path)) is not None


@contextmanager
def writing(path: str | os.PathLike[str], *, sync: bool = False) -> Iterator[Path]:
    """Yield an empty file, with the suffixes of ``path``, to fill in the block.

    Without an error in the block it takes the place of ``path`` at once, or of the target of a
    link; its mode is that of the file that was there. A device or a pipe is given its content. So
    is a file that cannot be replaced or that has other names (hard links, which would keep the old
    content): of such a file a reader may see a part.

    Parameters
    ----------
    path : path
    sync : bool
        Wait until the content is on the disk.

    Raises
    ------
    OSError
        Naming ``path``, if it cannot be written; then it is what it was before, unless it is given
        its content in place.
    """
    stream = is_stream(path)
    target = Path(path) if stream else Path(os.path.realpath(path))
    in_place = stream or _has_other_names(target)
    name = _draft(path, target, in_place)
    try:
        yield Path(name)
        if in_place or not _replaced(name, target, sync):
            _give_content(name, target, sync and not stream)
    except OSError as bad:
        if bad.filename is None or os.fspath(bad.filename) in (name, os.fspath(target)):
            raise _named(bad, path) from None
        raise
    finally:
        Path(name).unlink(missing_ok=True)


def _draft(path: str | os.PathLike[str], target: Path, in_place: bool) -> str:
    """Make the empty file: beside the target, or elsewhere where that cannot be."""
    suffix = "".join(Path(path).suffixes[-2:])
    try:
        try:
            folder = None if in_place else target.parent
            handle, name = tempfile.mkstemp(suffix=suffix, prefix=".part-", dir=folder)
        except OSError:
            # The file itself may be written where its folder may not: a file that is mounted.
            if in_place or not (target.is_file() and os.access(target, os.W_OK)):
                raise
            handle, name = tempfile.mkstemp(suffix=suffix, prefix=".part-")
    except OSError as bad:
        raise _named(bad, path) from None
    os.close(handle)
    return name


def _has_other_names(target: Path) -> bool:
    try:
        return target.is_file() and target.stat().st_nlink > 1
    except OSError:
        return False


def _replaced(name: str, target: Path, sync: bool) -> bool:
    """Put a file in the place of the target; return False if this target cannot be replaced."""
    if sync:
        with open(name, "rb") as source:
            os.fsync(source.fileno())
    with suppress(OSError):  # some file systems know no modes
        os.chmod(name, _mode(target))
    try:
        os.replace(name, target)
    except OSError as bad:
        if bad.errno in _NOT_REPLACEABLE and target.is_file():
            return False
        raise
    return True


def _mode(target: Path) -> int:
    """Return the mode of the file that is there, or the usual one of a new file."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask


def _give_content(name: str, target: Path, sync: bool) -> None:
    with open(name, "rb") as source, open(target, "wb") as sink:
        shutil.copyfileobj(source, sink)
        if sync:
            sink.flush()
            os.fsync(sink.fileno())


def write_bytes(path: str | os.PathLike[str], data: bytes, *, sync: bool = False) -> None:
    """Write a file whole or not at all (see `writing`)."""
    with writing(path, sync=sync) as draft:
        draft.write_bytes(data)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file in UTF-8, whole or not at all (see `writing`)."""
    write_bytes(path, text.encode())
