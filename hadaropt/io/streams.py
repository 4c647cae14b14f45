"""Long JSON documents piece by piece: the text is never whole in memory, nor are their entries."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from hadaropt.frozen import OnDemand

Take = Callable[[Any], Any]
"""An entry of a list -> what is kept of it."""
Takers = Mapping[tuple[str, ...], Callable[[Mapping[str, object]], Take]]
"""Place of a list -> what is told of the document so far, and answers with what takes entries."""

CHUNK = 1 << 20
"""Characters that are read, and written, at a time."""
_GOES_ON = ("", ".", "e", "E")
"""What may follow the part of a number whose rest has not been read yet."""
_BLANK = re.compile(r"[ \t\n\r]*")
_ENCODER = json.JSONEncoder(indent=1, ensure_ascii=False)


class UnlikeError(Exception):
    """A document is not what can be read piece by piece; whether it is good JSON is not said."""


def json_pieces(document: Mapping[str, object]) -> Iterator[str]:
    """Yield the text of a document with an indent of 1 and a newline at its end, in pieces.

    Together they are what ``json.dumps(document, indent=1, ensure_ascii=False)`` returns, but for
    the newline. Entries that are made on demand are made one at a time.
    """
    held: list[str] = []
    size = 0
    for piece in _pieces(document, 0):
        held.append(piece)
        size += len(piece)
        if size > CHUNK:
            yield "".join(held)
            held, size = [], 0
    yield "".join(held) + "\n"


def _pieces(value: Any, depth: int) -> Iterator[str]:
    """Yield a value: lists and objects entry by entry, to a depth of 2 or where made on demand."""
    walked = depth < 2 or isinstance(value, OnDemand)
    gap = "\n" + " " * depth
    if walked and value and isinstance(value, Mapping) and all(isinstance(k, str) for k in value):
        lead = "{"
        for key, part in value.items():
            yield f"{lead}{gap} {_ENCODER.encode(key)}: "
            yield from _pieces(part, depth + 1)
            lead = ","
        yield gap + "}"
    elif walked and value and isinstance(value, list | tuple | OnDemand):
        lead = "["
        for part in value:
            yield f"{lead}{gap} "
            yield from _pieces(part, depth + 1)
            lead = ","
        yield gap + "]"
    else:
        plain = list(value) if isinstance(value, OnDemand) else value
        yield _ENCODER.encode(plain).replace("\n", gap)  # no string holds a newline itself


def read_parts(
    file: Path, decoder: json.JSONDecoder, takers: Takers, never: re.Pattern[str]
) -> dict[str, object]:
    """Return the object in a JSON file (``.gz`` too), whose long lists are taken entry by entry.

    Parameters
    ----------
    file : Path
        A regular file.
    decoder : JSONDecoder
        Of every value that is not taken apart.
    takers : mapping
        For each long list, by the names that lead to it, what makes the function that is given its
        entries, one by one, and returns what stands in their place. It is told the fields of the
        document that were read before.
    never : pattern
        Of what the text must not hold.

    Raises
    ------
    UnlikeError, ValueError, EOFError, zlib.error
        If it is not good JSON, or holds ``never``; and whatever the decoder raises.
    """
    with (
        gzip.open(file, "rb") if file.suffix == ".gz" else file.open("rb") as data,
        TextIOWrapper(data, encoding="utf-8-sig", newline="") as text,
    ):
        window = _Window(text, decoder, never)
        document: dict[str, object] = {}
        _object(window, (), takers, document, document)
        if window.peek():
            raise UnlikeError
    return document


class _Window:
    """The part of a text that is being read."""

    def __init__(self, source: TextIO, decoder: json.JSONDecoder, never: re.Pattern[str]) -> None:
        self._source, self._decoder, self._never = source, decoder, never
        self._text, self._at, self._ended = "", 0, False

    def _fill(self) -> None:
        """Drop what was read, and read on: the more, the more is left unread."""
        rest = self._text[self._at :]
        more = self._source.read(max(CHUNK, len(rest)))
        self._ended = not more
        self._text, self._at = rest + more, 0
        if self._never.search(self._text):
            raise UnlikeError

    def peek(self) -> str:
        """Return the next character that is not blank; an empty text at the end."""
        while True:
            found = _BLANK.match(self._text, self._at)
            self._at = self._at if found is None else found.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._fill()

    def take(self, sign: str) -> bool:
        """Take the next character that is not blank, if it is ``sign``."""
        taken = self.peek() == sign
        self._at += taken
        return taken

    def value(self) -> Any:
        """Take the next value."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError:
                if self._ended:
                    raise
            else:
                if self._ended or self._text[end : end + 1] not in _GOES_ON:
                    self._at = end
                    return value
            self._fill()


def _object(
    window: _Window,
    path: tuple[str, ...],
    takers: Takers,
    document: dict[str, object],
    found: dict[str, object],
) -> None:
    """Read an object on the way to a long list into ``found``."""
    if not window.take("{"):
        raise UnlikeError
    if window.take("}"):
        return
    while True:
        key = window.value() if window.peek() == '"' else None
        if not isinstance(key, str) or key in found or not window.take(":"):
            raise UnlikeError
        place = (*path, key)
        if place in takers and window.peek() == "[":
            found[key] = _entries(window, takers[place](document))
        elif window.peek() == "{" and any(place == way[: len(place)] for way in takers):
            inner: dict[str, object] = {}
            found[key] = inner
            _object(window, place, takers, document, inner)
        else:
            found[key] = window.value()
        if not window.take(","):
            break
    if not window.take("}"):
        raise UnlikeError


def _entries(window: _Window, take: Take) -> Sequence[object]:
    """Read a list, of which each entry is taken."""
    found: list[object] = []
    window.take("[")
    if window.take("]"):
        return found
    while True:
        found.append(take(window.value()))
        if not window.take(","):
            break
    if not window.take("]"):
        raise UnlikeError
    return found
