"""Rows of many jobs as columns for the kernels, with shared tables of utilities."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from hadaropt.kernels.pricing import batch
from hadaropt.pricing.model import Ints
from hadaropt.pricing.worth import Code, worth

_COLUMNS = ("gang", "need", "kind", "a", "b", "c", "last")


class Rows:
    """Jobs with their gang, need and utility; equal tables of values are stored once.

    Attributes
    ----------
    jobs : list of int
        Indices of the jobs, in order of the rows.
    entries : int
        Size of the tables of values.
    """

    def __init__(self) -> None:
        self.jobs: list[int] = []
        self.entries = 1
        self._rows: list[tuple[int, ...]] = []
        self._floors: list[Ints] = [np.zeros(1, np.int64)]
        self._ranks: list[Ints] = [np.zeros(1, np.int64)]
        self._known: dict[tuple[int, tuple[int, ...]], int] = {}

    def add(self, j: int, gang: int, need: int, code: Code, *further: int) -> None:
        """Append job j; `further` integers become further columns."""
        a, b, c = code.parameters
        if code.kind == batch.TABLE:
            key = (c, code.values)
            if key not in self._known:
                found = worth(code)
                self._known[key] = self.entries
                self._floors.append(found.floors)
                self._ranks.append(found.parts)
                self.entries += code.last
            a = self._known[key]
            b = c = 0
        self.jobs.append(j)
        self._rows.append((gang, need, code.kind, a, b, c, code.last, *further))

    @cached_property
    def _array(self) -> Ints:
        return np.array(self._rows, np.int64)

    def column(self, name: str) -> Ints:
        """Return one of the columns gang, need, kind, a, b, c, last."""
        return self.columns(_COLUMNS.index(name), 1).ravel()

    def columns(self, first: int, size: int) -> Ints:
        """Return adjacent columns as a contiguous array."""
        return np.ascontiguousarray(self._array[:, first : first + size])

    def further(self, first: int, size: int) -> Ints:
        """Return adjacent further columns as a contiguous array."""
        return self.columns(len(_COLUMNS) + first, size)

    def parameters(self) -> Ints:
        """Return the utility parameters a, b, c, (J, 3)."""
        return self.columns(_COLUMNS.index("a"), 3)

    def tables(self) -> tuple[Ints, Ints]:
        """Return the tables of floors and of ranks of fractions."""
        return np.concatenate(self._floors), np.concatenate(self._ranks)
