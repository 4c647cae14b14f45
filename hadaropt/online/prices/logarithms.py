"""Logarithms of exact numbers of any size, in floating point."""

from __future__ import annotations

import math
from fractions import Fraction


def log_ratio(a: Fraction, b: Fraction) -> float:
    """Return ln(a / b) for positive Fractions of any size."""
    return log(a) - log(b)


def log(x: Fraction) -> float:
    """Return ln(x) for a positive Fraction of any size."""
    return _log_integer(x.numerator) - _log_integer(x.denominator)


def _log_integer(n: int) -> float:
    shift = max(0, n.bit_length() - 900)
    return math.log(n >> shift) + shift * math.log(2)


def expm1(x: float) -> float:
    """Return e^x - 1, inf where it overflows."""
    return math.expm1(x) if x < 700 else math.inf
