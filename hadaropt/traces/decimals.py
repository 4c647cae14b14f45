"""Exact numbers from the text of a trace; nothing passes through a double."""

from __future__ import annotations

import re
from fractions import Fraction

from hadaropt.errors import TraceError, shown

#: Spellings that public traces use for "no value".
MISSING = frozenset({"", "none", "null", "na", "n/a", "nan"})

_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_MAX_CHARS = 400
_LARGEST = Fraction(10**100)
"""Products of two numbers, and quotients of them, still fit into a double when they are shown."""


def is_missing(text: str) -> bool:
    """Whether `text` is empty or one of the spellings of "no value" (NaN among them)."""
    return text.strip().lower() in MISSING


def exact(text: str, place: str) -> Fraction | None:
    """Return the decimal in `text` as an exact fraction, None where it is missing or NaN.

    Parameters
    ----------
    text : str
        A decimal literal of at most 400 characters; 0 or between 1e-100 and 1e100 in size.
    place : str
        Where the text stands, for the error.

    Raises
    ------
    TraceError
        If the text is neither such a decimal nor a spelling of "no value" (infinity included).

    Examples
    --------
    >>> exact("0.46", "pods.csv line 3: num_gpu")
    Fraction(23, 50)
    """
    stripped = text.strip()
    if stripped.isascii() and stripped.isdigit() and len(stripped) <= 100:  # most are: be quick
        return Fraction(int(stripped))
    if is_missing(stripped):
        return None
    if len(stripped) > _MAX_CHARS or not _DECIMAL.fullmatch(stripped):
        raise TraceError(place, "must be a finite decimal number", shown(stripped))
    value = Fraction(stripped)
    if value and not 1 / _LARGEST <= abs(value) <= _LARGEST:
        raise TraceError(place, "must be 0 or between 1e-100 and 1e100 in size", shown(stripped))
    return value
