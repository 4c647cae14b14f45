"""What a command answers, as one JSON document or as aligned lines."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from hadaropt.exact import to_text

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
    """

    document: Mapping[str, object]
    lines: Lines
    tables: Sequence[Table] = field(default_factory=tuple)
    exit_code: int = 0


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
    """Return the document as strict JSON text (ASCII, no NaN)."""
    return json.dumps(jsonable(document), indent=1, allow_nan=False)


def printable(text: str) -> str:
    """Return ``text`` with its control characters escaped: names come from files."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def number(value: Fraction | float) -> str:
    """Return a number for people: exact where it is exact, with a decimal beside a fraction."""
    if not isinstance(value, Fraction):
        return "none" if math.isnan(value) else f"{value:.9g}"
    text = to_text(value)
    if value.denominator == 1:
        return text
    decimal = Decimal(value.numerator) / Decimal(value.denominator)  # no float: it may overflow
    return f"{text} = {decimal:.6g}" if len(text) <= 24 else f"{decimal:.12g} (rounded)"


def to_people(answer: Answer) -> str:
    """Return the answer as aligned lines and tables."""
    width = max((len(label) for label, _ in answer.lines), default=0)
    lines = [f"{label:<{width}}  {printable(text)}".rstrip() for label, text in answer.lines]
    parts = ["\n".join(lines)]
    parts += [_table(table) for table in answer.tables if table.rows]
    return "\n\n".join(parts)


def _table(table: Table) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in table.columns:
        grid.add_column(name, no_wrap=True)
    for row in table.rows:
        grid.add_row(*(Text(printable(cell)) for cell in row))
    console = Console(width=10_000, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(grid)
    return "\n".join(line.rstrip() for line in capture.get().rstrip().splitlines())
