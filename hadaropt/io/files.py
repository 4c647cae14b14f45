"""Files written whole or not at all; devices and links keep what they are."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STREAM = re.compile(r"/dev/(std(in|out|err)|fd/\d+)|/proc/.+")


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
    link; a device or a pipe is given its content.

    Parameters
    ----------
    path : path
    sync : bool
        Wait until the content is on the disk.

    Raises
    ------
    OSError
        Naming ``path``, if it cannot be written; then it is what it was before.
    """
    stream = is_stream(path)
    target = Path(path) if stream else Path(os.path.realpath(path))
    folder = None if stream else target.parent
    suffix = "".join(Path(path).suffixes[-2:])
    try:
        handle, name = tempfile.mkstemp(suffix=suffix, prefix=".part-", dir=folder)
    except OSError as bad:
        raise _named(bad, path) from None
    os.close(handle)
    try:
        yield Path(name)
        if stream:
            with open(name, "rb") as source, open(target, "wb") as sink:
                shutil.copyfileobj(source, sink)
            return
        if sync:
            with open(name, "rb") as source:
                os.fsync(source.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, target)
    except OSError as bad:
        if bad.filename is None or os.fspath(bad.filename) == name:
            raise _named(bad, path) from None
        raise
    finally:
        Path(name).unlink(missing_ok=True)


def write_bytes(path: str | os.PathLike[str], data: bytes, *, sync: bool = False) -> None:
    """Write a file whole or not at all (see `writing`)."""
    with writing(path, sync=sync) as draft:
        draft.write_bytes(data)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file in UTF-8, whole or not at all (see `writing`)."""
    write_bytes(path, text.encode())
