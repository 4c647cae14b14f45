"""One file of a tar archive, unpacked beside it and checked by SHA-256 at every use."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import zlib
from io import BufferedReader
from lzma import LZMAError
from pathlib import Path

from hadaropt.errors import TraceError
from hadaropt.io.files import writing

_MOST_NAMES = 20


def unpacked(archive: Path, name: str, *, sha256: str | None, archive_sha256: str | None) -> Path:
    """Return a regular file of the archive, unpacked beside it unless it is there already.

    What was unpacked from an archive of known checksum gets a note beside it, ``NAME.sha256``,
    with both checksums; without note of this archive it is unpacked again.

    Parameters
    ----------
    archive : Path
        A tar archive, packed or not.
    name : str
        Name to unpack it by.
    sha256 : str or None
        Its checksum: the file of that checksum, whatever its name. None: the file of that name.
    archive_sha256 : str or None
        Checksum that the archive was found to have. An archive without, in which the file is not,
        is moved aside, to ``ARCHIVE.rejected``, so that it can be downloaded again.

    Raises
    ------
    TraceError
        If the archive is damaged or has no such file, or if what lies there unpacked is another.
    OSError
        Naming the file, if it cannot be read or written.
    """
    target = archive.with_name(f"{archive.name}.untar") / name
    note = target.with_name(f"{name}.sha256")
    wanted = sha256 or _noted(note, archive_sha256)
    if wanted is not None and target.exists():
        with target.open("rb") as there:
            found = hashlib.file_digest(there, "sha256").hexdigest()
        if found != wanted:
            rule = f"must have SHA-256 {wanted}; delete it to unpack it again"
            raise TraceError(str(target), rule)
        return target
    digest = _unpack(archive, name, sha256, archive_sha256, target)
    if sha256 is None and archive_sha256 is not None:
        with writing(note) as draft:
            draft.write_text(f"{archive_sha256}  {archive.name}\n{digest}  {name}\n")
    return target


def _noted(note: Path, archive_sha256: str | None) -> str | None:
    """Return the checksum noted for the file, if it came from this archive."""
    try:
        words = note.read_text(encoding="utf-8", errors="replace").split()
    except FileNotFoundError:
        return None
    return words[2] if len(words) == 4 and words[0] == archive_sha256 else None


def _unpack(
    archive: Path, name: str, sha256: str | None, archive_sha256: str | None, target: Path
) -> str:
    """Unpack the file to the target; return its checksum."""
    seen = []
    try:
        with tarfile.open(archive) as members:
            for member in members:
                content = members.extractfile(member) if member.isreg() else None
                if not isinstance(content, BufferedReader):
                    seen += [f"{member.name}, a link"] if member.issym() or member.islnk() else []
                    continue
                seen.append(member.name)
                if sha256 is None and Path(member.name).name != name:
                    continue
                digest = hashlib.file_digest(content, "sha256").hexdigest()
                if sha256 is not None and digest != sha256:
                    continue
                content.seek(0)
                target.parent.mkdir(exist_ok=True)
                with writing(target) as draft, draft.open("wb") as file:
                    shutil.copyfileobj(content, file)
                return digest
    except (tarfile.TarError, EOFError, zlib.error, LZMAError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = " ".join(str(error).split())
        rule = f"is a damaged archive ({reason}); {_advice(archive, archive_sha256)}"
        raise TraceError(str(archive), rule) from error
    what = f"file {name}" if sha256 is None else f"file of SHA-256 {sha256}"
    rule = f"has no {what} (it has {'; '.join(seen[:_MOST_NAMES]) or 'no file'})"
    if archive_sha256 is None:
        rule += f"; {_advice(archive, archive_sha256)}"
    raise TraceError(str(archive), rule)


def _advice(archive: Path, archive_sha256: str | None) -> str:
    """Move an archive of unknown checksum aside; return what becomes of it, for a message."""
    if archive_sha256 is not None:
        return "it is the one that was asked for, so another download would be the same"
    aside = archive.with_name(f"{archive.name}.rejected")
    os.replace(archive, aside)
    return f"it was moved to {aside.name}, so the next fetch downloads it again"
