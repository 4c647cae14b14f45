"""Exact numbers from the text of a trace; nothing passes through a double."""

from __future__ import annotations

import re
from fractions import Fraction

from hadaropt.errors import TraceError, shown

#: Spellings that public traces use for "no value".
MISSING = frozenset({"", "none", "null", "na", "n/a", "nan"})

_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_MAX_CHARS = 400


def is_missing(text: str) -> bool:
    """Whether `text` is empty or one of the spellings of "no value" (NaN among them)."""
    return text.strip().lower() in MISSING


def exact(text: str, place: str) -> Fraction | None:
    """Return the decimal in `text` as an exact fraction, None where it is missing or NaN.

    Parameters
    ----------
    text : str
        A decimal literal of at most 400 characters, exponent below 1000 in size.
    place : str
        Where the text stands, for the error.

    Raises
    ------
    TraceError
        If the text is neither a decimal nor a spelling of "no value" (infinity included).

    Examples
    --------
    >>> exact("0.46", "pods.csv line 3: num_gpu")
    Fraction(23, 50)
    """
    stripped = text.strip()
    if stripped.isascii() and stripped.isdigit() and len(stripped) <= _MAX_CHARS:
        return Fraction(int(stripped))
    if is_missing(stripped):
        return None
    if len(stripped) > _MAX_CHARS or not _DECIMAL.fullmatch(stripped):
        raise TraceError(place, "must be a finite decimal number", shown(stripped))
    return Fraction(stripped)
