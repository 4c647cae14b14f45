"""Files that are no text of a trace: told by their first bytes, to be named for what they are."""

from __future__ import annotations

import tarfile

#: First bytes, and what such a file is; a pointer or an archive also says how to get the trace.
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (
        b"version https://git-lfs.github.com/spec/",
        "a Git LFS pointer and not the file itself (`git lfs pull` fetches it)",
    ),
    (
        b"version http://git-media.io/",
        "a Git LFS pointer and not the file itself (`git lfs pull` fetches it)",
    ),
    (
        b"/annex/objects/",
        "a git-annex pointer and not the file itself (`git annex get`)",
    ),
    (b"404: Not Found", "the answer to a download that failed (404)"),
    (b"PK\x03\x04", "a zip archive (or a spreadsheet); unpack it and name the file inside"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "a gzip file within a gzip file; unpack it once"),
    (b"BZh", "a bzip2 file; unpack it (bunzip2)"),
    (b"\xfd7zXZ\x00", "an xz file; unpack it (unxz)"),
    (b"\x28\xb5\x2f\xfd", "a zstd file; unpack it (unzstd)"),
    (b"\x04\x22\x4d\x18", "an lz4 file; unpack it (unlz4)"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it and name the file inside"),
    (b"Rar!\x1a\x07", "a rar archive; unpack it and name the file inside"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a spreadsheet (xls); export it as csv"),
    (b"PAR1", "a Parquet file; export it as csv"),
    (b"ARROW1", "an Arrow file; export it as csv"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file; export it as csv"),
    (b"\x93NUMPY", "a NumPy array; export it as csv"),
    (b"SQLite format 3\x00", "an SQLite database; export its table as csv"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\x7fELF", "a program (ELF)"),
    (b"\xff\xfe\x00\x00", "UTF-32 text; convert it (iconv -f UTF-32 -t UTF-8)"),
    (b"\x00\x00\xfe\xff", "UTF-32 text; convert it (iconv -f UTF-32 -t UTF-8)"),
    (b"\xff\xfe", "UTF-16 text; convert it (iconv -f UTF-16 -t UTF-8)"),
    (b"\xfe\xff", "UTF-16 text; convert it (iconv -f UTF-16 -t UTF-8)"),
)
_BLOCK = 512
_LOOKED_AT = 1024


def foreign_kind(raw: bytes) -> str | None:
    r"""Return what the bytes are if they cannot be the text of a trace, None if they can.

    Examples
    --------
    >>> foreign_kind(b"<!DOCTYPE html><html>")
    'an HTML page, such as a login or an error'
    >>> foreign_kind(b"job_id,submit_s\n") is None
    True
    """
    for signature, kind in _SIGNATURES:
        if raw.startswith(signature):
            return kind
    start = raw[:_LOOKED_AT].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if start.startswith(b"<"):
        marked = b"<html" in start or start.startswith(b"<!doctype html")
        return "an HTML page, such as a login or an error" if marked else "an XML document"
    if _is_tar(raw):
        return "a tar archive; unpack it and name the file inside"
    if b"\x00" in raw:
        return f"no text: byte {raw.index(0)} is zero (UTF-16, or a binary or damaged file)"
    return None


def _is_tar(raw: bytes) -> bool:
    """Whether the first block is a tar header, by its checksum (old headers have no signature)."""
    try:
        tarfile.TarInfo.frombuf(raw[:_BLOCK], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True
