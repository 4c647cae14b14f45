"""Price tables of which only the prices that are looked at are computed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar, overload

from hadaropt.online.prices.tables import ExactPrice

T = TypeVar("T")

KEPT = 2
"""Entries of a `LoneTable` that are kept: a row of charges is asked for together with its price."""
MOST_CHARGES = 5_000_000
"""Charges for bundles, over the numbers of GPUs sold and those of a bundle, that are looked at."""


class _Computed(Sequence[T]):
    """Entries 0 .. length - 1, computed when they are looked at."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        """Return the number of entries."""
        return self._length

    @overload
    def __getitem__(self, g: int) -> T: ...
    @overload
    def __getitem__(self, g: slice) -> Sequence[T]: ...

    def __getitem__(self, g: int | slice) -> T | Sequence[T]:
        """Return the entry at g, or those of a slice."""
        if isinstance(g, slice):
            return self._several(range(*g.indices(self._length)))
        if not -self._length <= g < self._length:
            raise IndexError(f"g = {g}: must be below {self._length}")
        return self._one(g % self._length)

    @abstractmethod
    def _one(self, g: int) -> T:
        """Return the entry at g = 0 .. length - 1."""

    def _several(self, wanted: range) -> Sequence[T]:
        return [self._one(g) for g in wanted]


class LazyTable(_Computed[T]):
    """The prices k(0), k(1), ... of a formula (or rows of charges), as many as are looked at.

    A resource may have far more GPUs than jobs can ever hold; prices beyond are never computed.

    Parameters
    ----------
    length : int
        c + 1.
    price : callable
        (g, the price at g - 1) -> the price at g; None stands for the one before the first.
    """

    def __init__(self, length: int, price: Callable[[int, T | None], T]) -> None:
        super().__init__(length)
        self._price = price
        self._known: list[T] = []

    def _one(self, g: int) -> T:
        known = self._known
        for i in range(len(known), g + 1):
            known.append(self._price(i, known[-1] if known else None))
        return known[g]

    def _several(self, wanted: range) -> Sequence[T]:
        known = self._known
        if wanted:
            self._one(max(wanted))  # those before it are then known
        step = wanted.step
        return known[wanted.start : wanted.stop] if step == 1 else [known[g] for g in wanted]


class LoneTable(_Computed[T]):
    """A table of which every entry is computed on its own, when it is looked at.

    Only the last few are kept: a row of charges may hold as many numbers as there are GPUs.

    Parameters
    ----------
    length : int
    entry : callable
        g -> the entry at g.
    """

    def __init__(self, length: int, entry: Callable[[int], T]) -> None:
        super().__init__(length)
        self._entry = lru_cache(maxsize=KEPT)(entry)

    def _one(self, g: int) -> T:
        return self._entry(g)


@dataclass(frozen=True)
class UnitRow(Sequence[Fraction]):
    """Charges as whole multiples of 1/scale.

    Attributes
    ----------
    units : list of int
    scale : Fraction
    """

    units: list[int]
    scale: Fraction

    def __len__(self) -> int:
        """Return their number."""
        return len(self.units)

    @overload
    def __getitem__(self, i: int) -> Fraction: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Fraction]: ...

    def __getitem__(self, i: int | slice) -> Fraction | Sequence[Fraction]:
        """Return a charge, or those of a slice."""
        if isinstance(i, slice):
            return [units / self.scale for units in self.units[i]]
        return self.units[i] / self.scale


def constant_table(length: int, price: ExactPrice) -> LazyTable[ExactPrice]:
    """Return a table of one price throughout."""
    return LazyTable(length, lambda g, before: price)
