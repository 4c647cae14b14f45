"""Tokens of exported Coq terms: integers, and what is built of them; no text of a file."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from hadaropt.errors import CertificateError, LimitError
from hadaropt.exact import to_text

MAX_BITS = 13_000
"""Of one integer: longer ones take Coq too long to read."""
MAX_DIGITS = 2_000
"""Of a number that stands for many, but for the last of them."""


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


def digits(rows: Iterable[Iterable[int]]) -> str:
    """Return rows of integers as a list of terms of type ``CheckerDigits.digits``.

    Coq reads them several times faster than lists of integers. Each is a hexadecimal number: the
    digits 0 - 9 write the integers, a ends one, b one below zero, c a row. One number goes on where
    another ends, after at most `MAX_DIGITS` and the last integer: Coq needs room on its stack.
    """
    numbers, now, size = [], ["0x0"], 0
    for r, row in enumerate(rows):
        written = [integer(value).strip("(-)") + ("b" if value < 0 else "a") for value in row]
        for token in ["c", *written] if r else written:
            if size > MAX_DIGITS:
                numbers.append("".join(now))
                now, size = ["0x0"], 0
            now.append(token)
            size += len(token)
    return items(f"{number}%digits" for number in [*numbers, "".join(now)])


def record(**fields: str) -> str:
    """Return a record by the names of its fields."""
    return "{| " + "; ".join(f"{name} := {value}" for name, value in fields.items()) + " |}"
