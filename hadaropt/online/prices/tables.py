"""What is declared of a resource, and the prices that are made from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Resource = tuple[int, ...]
"""GPUs that share a price: (t, r), those of type r in round t; or (t, h, r), those on node h."""

ExactPrice = int | Fraction
"""A price: never a float."""


@dataclass(frozen=True)
class Declared:
    """What is declared of one resource.

    Attributes
    ----------
    c : int
        Its capacity in GPUs, >= 1.
    m : int
        The largest bundle, 1 .. c: most of its GPUs that one schedule of any job holds.
    U : Fraction
        Most value per GPU, >= 0: u <= U w for every schedule of value u that holds w of its GPUs.
        0: no job of any value can use it.
    L : Fraction
        Least value per GPU: u >= L w for every schedule of value u > 0 that holds w GPUs of all
        resources together. Larger than 0 unless no job is worth anything.
    """

    c: int
    m: int
    U: Fraction
    L: Fraction

    @property
    def N(self) -> int:
        """C - m + 1: with so many GPUs sold or more, a largest bundle may not fit."""
        return self.c - self.m + 1


@dataclass(frozen=True)
class PriceTables:
    """Prices of every resource by the number of its GPUs that are sold.

    Attributes
    ----------
    prices : mapping
        Resource -> c + 1 prices k(0) .. k(c), each int or Fraction, >= 0, non-decreasing: what a
        GPU costs when g of the c are sold. Each resource of the foreknowledge has one.
    charges : mapping or None
        None: a bundle of w GPUs is charged w k(g). Else resource -> for g = 0 .. c - 1 the charge
        for each further GPU of a bundle, `Foreknowledge.most_charged` of them, non-decreasing; the
        price table is then the dual price, at least the charge per GPU of every bundle.
    closed_form : float or None
        The constant that the theorem gives for the formula itself, where there is one (inf where
        it overflows); for comparison with that of the rounded table.
    parameters : mapping of str to str
        What the function chose, for the record.
    """

    prices: Mapping[Resource, Sequence[ExactPrice]]
    charges: Mapping[Resource, Sequence[Sequence[ExactPrice]]] | None = None
    closed_form: float | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
