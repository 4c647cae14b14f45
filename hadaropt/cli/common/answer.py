"""What a command answers, as one JSON document or as aligned lines."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from hadaropt.errors import printable
from hadaropt.exact import to_text
from hadaropt.figures import at_most as at_most
from hadaropt.figures import decimal as decimal
from hadaropt.figures import number as number

SCHEMA = 1
"""Number of the keys of JSON answers: it grows when a key goes or means something else, not when
one is added."""

NOTE_COLUMNS = 100
"""Notes are wrapped at so many columns; values, which people paste, never are."""
NOTES = ("note", "paired", "statement", "warning")
KEPT = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"
"""An equation, which is not broken."""

Lines = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Table:
    """Rows for people, under a heading for each column."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Answer:
    """The answer of a command.

    Parameters
    ----------
    document : mapping
        The answer for programs. Exact numbers are strings ``p`` or ``p/q``, floats are JSON
        numbers, and a float that is not finite is null.
    lines : sequence of (label, text)
        The answer for people.
    tables : sequence of Table
    exit_code : int
    text : str
        Text for people that is laid out already; it comes first.
    troubles : sequence of BaseException
        What went wrong beside this answer.
    """

    document: Mapping[str, object]
    lines: Lines
    tables: Sequence[Table] = field(default_factory=tuple)
    exit_code: int = 0
    text: str = ""
    troubles: Sequence[BaseException] = ()


def jsonable(value: object) -> object:
    """Return ``value`` in terms that strict JSON can hold.

    Raises
    ------
    TypeError
        For a value of a kind that no answer holds.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case Fraction():
            return to_text(value)
        case float():
            return float(value) if math.isfinite(value) else None
        case Mapping():
            return {str(key): jsonable(item) for key, item in value.items()}
        case list() | tuple():
            return [jsonable(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no place in an answer")


def to_json(document: Mapping[str, object]) -> str:
    """Return the document as strict JSON text (ASCII, no NaN), after the number of its schema."""
    return json.dumps(jsonable({"schema": SCHEMA, **document}), indent=1, allow_nan=False)


def to_people(answer: Answer) -> str:
    """Return the answer as aligned lines and tables."""
    pairs = [(printable(label), printable(text)) for label, text in answer.lines]
    width = max((len(label) for label, _ in pairs), default=0)
    lines = [_line(label, text, width) for label, text in pairs]
    parts = ["\n".join(map(printable, answer.text.rstrip("\n").split("\n"))), "\n".join(lines)]
    parts += [_table(table) for table in answer.tables if table.rows]
    return "\n\n".join(part for part in parts if part)


def _line(label: str, text: str, width: int) -> str:
    if label not in NOTES:
        return f"{label:<{width}}  {text}".rstrip()
    wrapped = textwrap.fill(
        text.replace(" = ", KEPT),
        NOTE_COLUMNS,
        initial_indent=f"{label:<{width}}  ",
        subsequent_indent=" " * (width + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapped.replace(KEPT, " = ")


def _table(table: Table) -> str:
    from rich.cells import cell_len  # columns of a terminal; rich's own tables take long for many

    rows = [tuple(map(printable, row)) for row in (table.columns, *table.rows)]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ).rstrip()
