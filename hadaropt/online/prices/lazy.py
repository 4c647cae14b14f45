"""Price tables of which only the prices that are looked at are computed, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

from hadaropt.online.prices.tables import ExactPrice

T = TypeVar("T")


class LazyTable(Sequence[T]):
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
        self._length, self._price = length, price
        self._known: list[T] = []

    def __len__(self) -> int:
        """Return c + 1."""
        return self._length

    @overload
    def __getitem__(self, g: int) -> T: ...
    @overload
    def __getitem__(self, g: slice) -> Sequence[T]: ...

    def __getitem__(self, g: int | slice) -> T | Sequence[T]:
        """Return the price with g GPUs sold, or those of a slice."""
        if isinstance(g, slice):
            return [self[i] for i in range(*g.indices(self._length))]
        if not -self._length <= g < self._length:
            raise IndexError(f"g = {g}: must be below {self._length}")
        g %= self._length
        known = self._known
        for i in range(len(known), g + 1):
            known.append(self._price(i, known[-1] if known else None))
        return known[g]


def constant_table(length: int, price: ExactPrice) -> LazyTable[ExactPrice]:
    """Return a table of one price throughout."""
    return LazyTable(length, lambda g, before: price)
