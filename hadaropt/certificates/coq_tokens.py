"""Tokens of exported Coq terms: integers, and what is built of them; no text of a file."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from hadaropt.errors import CertificateError, LimitError
from hadaropt.exact import to_text

MAX_BITS = 13_000
"""Of one integer: longer ones take Coq too long to read."""


def integer(value: int) -> str:
    """Return the one kind of token that data become: a decimal integer, in brackets below 0."""
    if type(value) is not int:
        raise TypeError(f"{type(value).__name__} is no integer: only integers are exported")
    if value.bit_length() > MAX_BITS:
        raise LimitError(
            f"the certificate is too large for Coq: over the common denominator of all its numbers "
            f"one is an integer of {value.bit_length()} bits, at most {MAX_BITS}; "
            "hadaropt verify without --coq checks all of it"
        )
    return str(value) if value >= 0 else f"({value})"


def nat(value: int) -> str:
    """Return a natural number."""
    return f"{integer(value)}%nat"


def ratio(value: Fraction) -> str:
    """Return a fraction as a pair of integers."""
    return f"({integer(value.numerator)}, {integer(value.denominator)})"


def scaled(number: Fraction, scale: int | Fraction) -> int:
    """Return number x scale, an integer.

    Raises
    ------
    CertificateError
        If it is none.
    """
    product = number * scale
    if product.denominator != 1:
        raise CertificateError("scale", f"must make {to_text(number)} an integer", str(scale))
    return product.numerator


def items(entries: Iterable[str], gap: str = " ") -> str:
    """Return a list of terms."""
    return f"[{f';{gap}'.join(entries)}]"


def record(**fields: str) -> str:
    """Return a record by the names of its fields."""
    return "{| " + "; ".join(f"{name} := {value}" for name, value in fields.items()) + " |}"
