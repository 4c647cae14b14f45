"""A trace file as text: decoding, delimited rows with their line numbers, typed fields."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from hadaropt.errors import TraceError, shown
from hadaropt.traces.containers import foreign_kind
from hadaropt.traces.decimals import exact, is_missing

_GZIP = b"\x1f\x8b"
_LINE_END = re.compile(r"\r\n|\r|\n")
_SWF = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:;|[-.\d]+(?:[ \t]+[-.\d]+){17}[ \t]*[\r\n])")
_COMMENT = re.compile(rb"(?:(?<![^\r\n])|(?<=\A\xef\xbb\xbf))[ \t]*;[^\r\n]*")


def read_text(path: Path) -> str:
    """Return the text of a (possibly gzipped) UTF-8 file without its byte-order mark.

    Comment lines (``;``) of a Standard Workload Format file may be in any encoding: if the file is
    not UTF-8, what is not ASCII in them becomes ``?``.

    Raises
    ------
    TraceError
        If the file is empty, not UTF-8, a damaged gzip, or no text but a file of a kind that is
        known (an archive, a page, a pointer), which is named.
    """
    raw = path.read_bytes()
    if raw.startswith(_GZIP) or (path.suffix == ".gz" and raw and foreign_kind(raw) is None):
        try:
            raw = gzip.decompress(raw)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise TraceError(path.name, f"is a damaged gzip file ({error})") from error
    kind = foreign_kind(raw)
    if kind is not None:
        raise TraceError(path.name, f"is {kind}")
    try:
        text = _decoded(raw)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        rule = f"must be UTF-8, byte {error.start} is not (line {line})"
        raise TraceError(path.name, rule) from error
    if not text.strip():
        raise TraceError(path.name, "is empty")
    return text


def lines_of(text: str) -> list[str]:
    """Return the lines that end at LF, CRLF or CR, and at nothing else (a form feed ends none)."""
    return _LINE_END.split(text)


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        if not _SWF.match(raw):
            raise
    return _COMMENT.sub(_ascii, raw).decode("utf-8-sig")


def _ascii(found: re.Match[bytes]) -> bytes:
    """Return as many bytes: the place of an error behind them stays true."""
    return bytes(byte if byte < 128 else ord("?") for byte in found[0])


@dataclass(frozen=True, slots=True)
class Row:
    """One record: fields by column name, and where it stands."""

    place: str
    fields: dict[str, str]

    def text(self, column: str) -> str | None:
        """Return the field as written, None where it is missing."""
        value = self.fields.get(column, "")
        return None if is_missing(value) else value.strip()

    def number(self, column: str) -> Fraction | None:
        """Return the field as an exact fraction, None where it is missing or NaN."""
        value = self.fields.get(column, "")
        return exact(value, f"{self.place}: {column}")

    def integer(self, column: str) -> int | None:
        """Return the field as an integer (``4.0`` is 4), None where it is missing."""
        value = self.number(column)
        if value is not None and value.denominator != 1:
            place = f"{self.place}: {column}"
            raise TraceError(place, "must be an integer", shown(self.fields[column]))
        return None if value is None else value.numerator


@dataclass(frozen=True)
class Table:
    """A delimited file cut into records with their line numbers; blank lines are no records."""

    source: str
    records: tuple[tuple[int, tuple[str, ...]], ...]

    @property
    def first(self) -> tuple[str, ...]:
        """The fields of the first record, stripped: the header, where the layout has one."""
        if not self.records:
            raise TraceError(self.source, "has no row that holds anything")
        return tuple(value.strip() for value in self.records[0][1])

    def rows(self, columns: Sequence[str] | None = None) -> Iterator[Row]:
        """Yield the rows below the header, or all rows under the given `columns`.

        Raises
        ------
        TraceError
            If the header names a column twice, or a row has another number of fields.
        """
        names = self.first if columns is None else tuple(columns)
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            place = f"{self.source} line {self.records[0][0]}"
            raise TraceError(place, f"names column {twice[0]!r} twice")
        for line, values in self.records[1 if columns is None else 0 :]:
            place = f"{self.source} line {line}"
            if len(values) != len(names):
                raise TraceError(place, f"must have {len(names)} fields, has {len(values)}")
            yield Row(place, dict(zip(names, values, strict=True)))


def parse_table(text: str, source: str, *, delimiter: str = ",") -> Table:
    """Cut `text` into a table; LF and CRLF line ends read alike.

    Raises
    ------
    TraceError
        On broken quoting (comma-separated files only; tab-separated ones do not quote).
    """
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        strict=True,
        quoting=csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE,
    )
    records: list[tuple[int, tuple[str, ...]]] = []
    try:
        for values in reader:
            if any(value.strip() for value in values):
                records.append((reader.line_num, tuple(values)))
    except csv.Error as error:
        raise TraceError(f"{source} line {reader.line_num}", f"is no csv ({error})") from error
    return Table(source, tuple(records))
