"""JSON documents read strictly: literal numbers, no duplicate keys, errors with their place."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

from hadaropt.errors import InstanceError, PlacedError, check_path, shown
from hadaropt.exact import NumberText
from hadaropt.frozen import OnDemand
from hadaropt.io.files import writing
from hadaropt.io.streams import Takers, UnlikeError, json_pieces, read_parts

Document = dict[str, object]
E_ = TypeVar("E_", bound=PlacedError)
T_ = TypeVar("T_")


_PACKED = {
    b"\x28\xb5\x2f\xfd": ("zstd", "unzstd"),
    b"\xfd7zXZ\x00": ("xz", "unxz"),
    b"BZh": ("bzip2", "bunzip2"),
    b"\x1f\x8b": ("gzip", "gunzip, or name it .gz"),
}
"""First bytes of files that are packed in another way than their name says."""
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # the only way from UTF-8 text to half a character


_GZIP = 31
"""Window bits of zlib that mean a gzip file with the largest window."""


class _DuplicateKeyError(Exception):
    """A JSON object holds one key twice."""


def _unique(pairs: list[tuple[str, object]]) -> Document:
    document = dict(pairs)
    if len(document) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _DuplicateKeyError(key)
            seen.add(key)
    return document


def _decoder(source: str, error: type[PlacedError]) -> json.JSONDecoder:
    def refuse(constant: str) -> NoReturn:
        raise error(source, "must hold finite numbers only", constant)

    return json.JSONDecoder(
        parse_int=NumberText,
        parse_float=NumberText,
        parse_constant=refuse,
        object_pairs_hook=_unique,
    )


def parse_json(text: str, source: str, error: type[E_]) -> Document:
    """Return the JSON object in ``text``; numbers stay their literal text (`NumberText`).

    Raises
    ------
    error
        For bad syntax (with line and column), NaN or infinite, a duplicate key, or a value that is
        not an object.
    """
    try:
        document = _decoder(source, error).decode(text)
    except json.JSONDecodeError as bad:
        rule = f"is not valid JSON: {bad.msg} at line {bad.lineno}, column {bad.colno}"
        raise error(source, rule) from None
    except _DuplicateKeyError as bad:
        raise error(
            source, f"must not hold the key {shown(str(bad))} twice in one object"
        ) from None
    except RecursionError:
        raise error(source, "is nested too deeply") from None
    if not isinstance(document, dict):
        raise error(source, "must be a JSON object", type(document).__name__)
    if _SURROGATE.search(text):
        try:
            json.dumps(document, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise error(source, "must not hold half a character (a lone surrogate)") from None
    return document


def load_json(
    path: str | os.PathLike[str], error: type[E_], takers: Takers | None = None
) -> Document:
    """Return the JSON object in a file; ``.gz`` is decompressed.

    Parameters
    ----------
    path : path
    error : type
    takers : mapping, optional
        What is made of the entries of long lists as soon as each is read: see `read_parts`.

    Raises
    ------
    error
        If the content is not a strict JSON object in UTF-8.
    TypeError
        If ``path`` is none, such as bytes.
    OSError
        If the file cannot be read.
    """
    check_path("path", path)
    file = Path(path)
    if takers and file.is_file():
        try:
            return read_parts(file, _decoder(file.name, error), takers, _SURROGATE)
        except (UnlikeError, _DuplicateKeyError, RecursionError, error, EOFError, zlib.error,
                ValueError, gzip.BadGzipFile):  # fmt: skip
            pass  # whatever is wrong with it is said below, in one way
    data = file.read_bytes()
    if file.suffix == ".gz":
        try:
            data = gzip.decompress(data)
        except (gzip.BadGzipFile, EOFError, zlib.error) as bad:
            raise error(file.name, f"is not a whole gzip file: {bad}") from None
    for signature, (kind, unpack) in _PACKED.items():
        if data.startswith(signature):
            rule = f"is a {kind} file; unpack it ({unpack}): .json and .json.gz are read"
            raise error(file.name, rule)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        rule = f"must be UTF-8: byte {bad.start} is not"
        raise error(file.name, rule) from None
    return parse_json(text, file.name, error)


def save_json(path: str | os.PathLike[str], document: Mapping[str, object]) -> None:
    """Write a document atomically (a half-written file is never left); ``.gz`` is compressed."""
    file = Path(path)
    packer = zlib.compressobj(9, zlib.DEFLATED, _GZIP) if file.suffix == ".gz" else None
    with writing(file) as draft, draft.open("wb") as sink:
        for piece in json_pieces(document):
            data = piece.encode()
            sink.write(data if packer is None else packer.compress(data))
        if packer is not None:
            sink.write(packer.flush())


def check_fields(
    document: object,
    required: Collection[str],
    optional: Collection[str] = (),
    *,
    path: str = "",
    error: type[PlacedError] = InstanceError,
) -> Document:
    """Return ``document`` if it is an object with just these fields.

    Raises
    ------
    error
        For a value that is no object, and for a missing or an unknown field.
    """
    if not isinstance(document, dict):
        raise error(path, "must be an object", shown(document))
    joint = f"{path}." if path else ""
    for name in document:
        if name not in required and name not in optional:
            known = (*required, *optional)
            raise error(f"{joint}{name}", f"is an unknown field (known: {', '.join(known)})")
    for name in required:
        if name not in document:
            raise error(f"{joint}{name}", "is missing")
    return document


def check_list(
    value: object, path: str, error: type[PlacedError] = InstanceError
) -> Sequence[object]:
    """Return ``value`` if it is a JSON array."""
    if not isinstance(value, list | OnDemand):
        raise error(path, "must be a list", shown(value))
    return value


def check_string(value: object, path: str, error: type[PlacedError] = InstanceError) -> str:
    """Return ``value`` if it is a JSON string (numbers are not)."""
    if not isinstance(value, str) or isinstance(value, NumberText):
        raise error(path, "must be a string", shown(value))
    return value


def check_format(document: Document, wanted: str, error: type[PlacedError]) -> None:
    """Check the ``format`` field; another version is refused by name."""
    if "format" not in document:
        raise error("format", f'is missing (must be "{wanted}")')
    if document["format"] != wanted:
        family, _, version = str(document["format"]).rpartition("/")
        if family == wanted.rpartition("/")[0]:
            rule = f'is version {version}, but this release reads "{wanted}"'
        else:
            rule = f'must be "{wanted}"'
        raise error("format", rule, shown(document["format"]))


def placed(path: str, make: Callable[[], T_]) -> T_:
    """Return ``make()``; an error that it raises gets ``path`` before its own."""
    try:
        return make()
    except PlacedError as bad:
        raise bad.below(path) from None
