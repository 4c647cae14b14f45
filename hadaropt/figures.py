"""Numbers as text for people: exact where that is short, and rounded to the safe side."""

from __future__ import annotations

from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
)
from fractions import Fraction

from hadaropt.exact import to_text

SHOWN_WHOLE = 24
"""Fractions of at most so many characters are shown exactly."""


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, in the singular where it is one.

    Examples
    --------
    >>> counted(1, "instance"), counted(1200, "job"), counted(2, "copy")
    ('1 instance', '1,200 jobs', '2 copies')
    """
    ending = "" if count == 1 else "s"
    if ending and noun.endswith("y") and noun[-2:-1] not in "aeiou":
        noun, ending = noun[:-1], "ies"
    return f"{count:,} {noun}{ending}"


def number(value: Fraction | float | None, *, up: bool = False) -> str:
    """Return a number for people: exact where it is exact, with a decimal beside a fraction.

    Parameters
    ----------
    value : Fraction, float or None
    up : bool
        Round the decimal up, so that what it says of an upper bound stays true.
    """
    if value is None:
        return "none"
    if not isinstance(value, Fraction):
        return f"{value:.9g}"
    text = to_text(value)
    if value.denominator == 1:
        return text
    if len(text) <= SHOWN_WHOLE:
        return f"{decimal(value, 9, up=up)} ({text})"
    return f"{decimal(value, 9, up=up)} (rounded{' up' if up else ''})"


def decimal(value: Fraction, digits: int, *, up: bool = False, down: bool = False) -> str:
    """Return ``value`` to so many significant digits; no float, which may overflow.

    Examples
    --------
    >>> decimal(Fraction(4000), 6), decimal(Fraction(4 * 10**9), 6), decimal(Fraction(1, 3), 2)
    ('4000', '4e+9', '0.33')
    """
    rounding = ROUND_CEILING if up else ROUND_FLOOR if down else ROUND_HALF_EVEN
    context = Context(prec=digits, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN)
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    short = quotient.normalize(context)
    return f"{short:f}" if 0 <= short.adjusted() < digits else f"{short:g}"


def at_most(bound: Fraction, value: Fraction) -> str:
    """Return bound / value rounded up: 1 when both are 0, inf when only ``value`` is 0."""
    if value == 0:
        return "1" if bound == 0 else "inf"
    return decimal(bound / value, 6, up=True)
