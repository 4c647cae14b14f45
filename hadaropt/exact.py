"""Exact numbers: one strict grammar from text to Fraction, and back."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Rational, Real

from hadaropt.errors import InstanceError, shown

Exact = int | float | str | Decimal | Fraction
"""What a caller may pass where an exact number is meant."""

MAX_DIGITS = 400
MAX_EXPONENT = 400
MAX_CLAIM_DIGITS = 4000
"""Digits of a claimed value: a sum over many jobs has the least common denominator of its terms."""
MAX_COUNT = 2**31 - 1
MAX_THREADS = 1024
"""Threads that a solve may be given: more than any machine has, and few enough to be started."""
MAX_ITERATIONS = 2**62

_DECIMAL = re.compile(r"([+-]?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?", re.ASCII)
_SHORT = re.compile(r"([+-]?[0-9]{1,20})(?:\.([0-9]{1,20})|/([0-9]{1,20}))?", re.ASCII)
_RATIO = re.compile(r"([+-]?[0-9]+)/([0-9]+)", re.ASCII)


class NumberText(str):
    """The literal text of a JSON number, kept as it was written."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@lru_cache(maxsize=4096)
def _short(text: str) -> Fraction | None:
    """Return the value of a short text, one object for equal texts; None where that is not it."""
    match = _SHORT.fullmatch(text)
    if match is None:
        return None
    whole, part, denominator = match.groups()
    if part is not None:
        return Fraction(int(whole + part), 10 ** len(part))
    below = 1 if denominator is None else int(denominator)
    return Fraction(int(whole), below) if below else None


def parse_text(text: str, path: str, *, digits: int = MAX_DIGITS) -> Fraction:
    """Return the exact value of ``text``: ``p``, ``p/q`` or a decimal.

    Numerator, denominator and the digits of a decimal each have at most ``digits`` digits, also
    when an exponent (at most 400 in absolute value) is written out, so that whatever can be read
    can be written and read again. ASCII only, no spaces.

    Raises
    ------
    InstanceError
        If the text is not in the grammar; ``path`` names the place.
    """
    if len(text) <= 40 and (value := _short(text)) is not None:
        return value
    if text.isascii() and text.isdigit() and len(text) <= digits:
        return Fraction(int(text))
    quoted = shown(text)
    too_long = InstanceError(path, f"must have at most {digits} digits", quoted)
    if max(sum(map(str.isdigit, part)) for part in text.split("/")) > digits:
        raise too_long
    if match := _RATIO.fullmatch(text):
        denominator = int(match[2])
        if denominator == 0:
            raise InstanceError(path, "must have a non-zero denominator", quoted)
        return Fraction(int(match[1]), denominator)
    match = _DECIMAL.fullmatch(text)
    if match is None:
        raise InstanceError(path, 'must be a number: "p", "p/q" or a decimal', quoted)
    sign, whole, part, exponent = match[1], match[2], match[3] or "", int(match[4] or 0)
    if abs(exponent) > MAX_EXPONENT:
        raise InstanceError(path, f"must have an exponent within +-{MAX_EXPONENT}", quoted)
    scale = exponent - len(part)
    value, power = Fraction(int(sign + whole + part)), Fraction(10) ** abs(scale)
    value = value * power if scale >= 0 else value / power
    if scale and max(abs(value.numerator), value.denominator) >= 10**digits:
        raise too_long
    return value


def to_fraction(value: object, path: str) -> Fraction:
    """Return ``value`` as a Fraction; a float means its shortest decimal text.

    Integers of numpy and its float64 are taken like Python's. A float32 is refused: the one that
    was made from 0.1 is 0.10000000149011612 as a float, and it does not say which of both is meant.

    Raises
    ------
    InstanceError
        If it is not a finite number (booleans are not numbers).
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool) or value is None:
        raise InstanceError(path, "must be a number", shown(value))
    if isinstance(value, str):
        return parse_text(value, path)
    if isinstance(value, Integral):
        return Fraction(int(value))
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, float):
        text = float.__repr__(value)
    elif isinstance(value, Decimal):
        text = str(value)
    elif isinstance(value, Real):  # numpy's float32 and its like
        rule = "must be a number that says its decimal: pass str(x), or float(x) for all its digits"
        raise InstanceError(path, rule, shown(value))
    else:
        raise InstanceError(path, "must be a number", shown(value))
    if text.lower().lstrip("+-") in ("nan", "inf", "infinity", "snan"):
        raise InstanceError(path, "must be finite", text)
    return parse_text(text, path)


def to_non_negative(value: object, path: str) -> Fraction:
    """Return ``value`` as a Fraction that is at least 0."""
    number = to_fraction(value, path)
    if number.numerator < 0:
        raise InstanceError(path, "must be >= 0", to_text(number))
    return number


def to_integer(value: object, path: str, *, least: int = 0, most: int = MAX_COUNT) -> int:
    """Return ``value`` (4, 4.0 or "4") as an int within ``least..most``."""
    plain = type(value) is int or (
        isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19
    )
    if plain and least <= (whole := int(value)) <= most:  # type: ignore[call-overload]
        return int(whole)
    number = to_fraction(value, path)
    if number.denominator != 1:
        raise InstanceError(path, "must be an integer", to_text(number))
    if number < least:
        raise InstanceError(path, f"must be >= {least}", to_text(number))
    if number > most:
        raise InstanceError(path, f"must be <= {most} (overflow)", to_text(number))
    return int(number)


def nearest_float(number: Fraction) -> float:
    """Return the nearest float, infinite beyond their range: in the order of the numbers."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def to_text(number: Fraction | int) -> str:
    """Return the reduced text ``p`` or ``p/q`` of a number."""
    return str(number if type(number) is int else Fraction(number))
