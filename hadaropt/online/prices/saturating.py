"""Tables U share(g), where the share grows to 1: what the exponential prices have in common.

The steepness of a table is ln of the factor by which its exponential grows from g = 0 to its end.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.lazy import LazyTable
from hadaropt.online.prices.logarithms import expm1
from hadaropt.online.prices.tables import Declared, ExactPrice

Share = Callable[[int, Declared], float]
"""(g, what is declared of the resource) -> k(g)/U, up to rounding in [0, 1]."""


def saturating_table(at: Declared, share: Share) -> LazyTable[ExactPrice]:
    """Return U share(g) for g = 0 .. c, with U itself where the share is 1 or more.

    A float is an exact number, so the products are exact. Rounding errors of the share never make
    the table fall: each share counts as at least the one before.
    """
    highest = 0.0

    def price(g: int, before: ExactPrice | None) -> ExactPrice:
        nonlocal highest
        highest = max(highest, share(g, at))
        return at.U if highest >= 1 else Fraction(highest) * at.U

    return LazyTable(at.c + 1, price)


def exponential_theta(known: list[Declared], steepness: Callable[[Declared], float]) -> float:
    """Return max(1, max_r (c/w)(e^(s w/N) - 1)) with w = min(m, N) and s the steepness.

    It is the factor theta of theorems T5 and T7: how much the dual may rise when w GPUs are sold,
    over their price.
    """
    theta = 1.0
    for at in known:
        w = min(at.m, at.N)
        theta = max(theta, at.c / w * expm1(steepness(at) * w / at.N))
    return theta


def used(known: Foreknowledge) -> list[Declared]:
    """Return the distinct kinds of resources that some job of value can use."""
    return [at for at in dict.fromkeys(known.resources().values()) if at.U > 0]
