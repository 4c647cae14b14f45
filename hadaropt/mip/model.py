"""A linear or mixed-integer program as plain arrays, and a collector of its non-zeros."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy import sparse

Floats = NDArray[np.float64]
"""Values, costs and prices."""
Ints = NDArray[np.int64]
"""Exact quantities: GPUs, rounds, units of progress, prices in units."""
Indices = NDArray[np.int32]
"""Rows and columns, as HiGHS takes them."""


@dataclass(frozen=True)
class LinearModel:
    """``max`` (or ``min``) cost . x over row_lower <= A x <= row_upper, lower <= x <= upper.

    Attributes
    ----------
    cost, lower, upper : ndarray of float64, shape (n,)
    row_lower, row_upper : ndarray of float64, shape (m,)
    start, index, value : ndarray
        A by columns (CSC): ``start`` has shape (n + 1,).
    integer : ndarray of bool, shape (n,)
    maximise : bool
    column_names, row_names : callable
        Make the names on demand: writing them costs more than building the arrays.
    """

    cost: Floats
    lower: Floats
    upper: Floats
    row_lower: Floats
    row_upper: Floats
    start: Indices
    index: Indices
    value: Floats
    integer: NDArray[np.bool_]
    maximise: bool
    column_names: Callable[[], list[str]]
    row_names: Callable[[], list[str]]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.row_upper), len(self.cost)

    @property
    def matrix(self) -> sparse.csc_matrix:
        """A as a scipy matrix that shares the arrays."""
        from scipy import sparse

        return sparse.csc_matrix((self.value, self.index, self.start), shape=self.shape)

    def relaxed(self) -> LinearModel:
        """Return the LP relaxation, without upper limits of columns.

        For programs whose rows imply those limits, so that every price belongs to a row.
        """
        free, none = np.full(len(self.cost), np.inf), np.zeros(len(self.cost), np.bool_)
        return replace(self, upper=free, integer=none)

    def dual(self) -> LinearModel:
        """Return ``min b y, A' y >= c, y >= 0``, the dual of ``max c x, A x <= b, x >= 0``.

        Its columns carry the names of this program's rows, and its rows those of the columns.

        Raises
        ------
        ValueError
            If this program is not of that form.
        """
        plain = np.isposinf(self.upper).all() and np.isneginf(self.row_lower).all()
        if not (self.maximise and plain and not self.lower.any() and not self.integer.any()):
            raise ValueError("the dual is written for max c x, A x <= b, x >= 0 only")
        rows, columns = self.shape
        turned = self.matrix.T.tocsc()
        return LinearModel(
            self.row_upper,
            np.zeros(rows),
            np.full(rows, np.inf),
            self.cost,
            np.full(columns, np.inf),
            turned.indptr.astype(np.int32, copy=False),
            turned.indices.astype(np.int32, copy=False),
            turned.data,
            np.zeros(rows, np.bool_),
            False,
            self.row_names,
            self.column_names,
        )


FEW_ENTRIES = 10_000
"""Non-zeros up to which they are compressed without scipy, which takes a quarter of a second to
load; more of them it sorts several times faster."""


class Entries:
    """Collects the non-zeros of A; `columns` compresses them."""

    def __init__(self) -> None:
        self._rows: list[Ints] = []
        self._cols: list[Ints] = []
        self._values: list[Floats] = []

    def add(self, rows: Ints, cols: Ints, values: Floats | Ints | float) -> None:
        """Add entries; ``values`` may be one number for all of them."""
        self._rows.append(rows)
        self._cols.append(cols)
        self._values.append(np.broadcast_to(np.asarray(values, np.float64), rows.shape))

    def columns(self, rows: int, cols: int) -> tuple[Indices, Indices, Floats]:
        """Return start, index and value of the compressed columns."""
        if not self._rows:
            empty = np.zeros(0, np.int32)
            return np.zeros(cols + 1, np.int32), empty, np.zeros(0)
        place = np.concatenate(self._rows), np.concatenate(self._cols)
        values = np.concatenate(self._values)
        if len(values) <= FEW_ENTRIES:
            return _few_columns(values, *place, rows, cols)
        from scipy import sparse

        matrix = sparse.coo_matrix((values, place), (rows, cols)).tocsc()
        return (
            cast(Indices, matrix.indptr.astype(np.int32, copy=False)),
            cast(Indices, matrix.indices.astype(np.int32, copy=False)),
            cast(Floats, matrix.data),
        )


def _few_columns(
    values: Floats, row: Ints, col: Ints, rows: int, cols: int
) -> tuple[Indices, Indices, Floats]:
    """Return what scipy would, rows ascending in a column and equal places added, by a sort."""
    key = col * np.int64(rows) + row
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    col = key[first] // rows
    start = np.concatenate(([0], np.cumsum(np.bincount(col, minlength=cols))))
    return (
        start.astype(np.int32),
        (key[first] - col * rows).astype(np.int32),
        np.add.reduceat(values[order], first),
    )


def linear_program(
    cost: Floats,
    columns: tuple[Floats, Floats],
    rows: tuple[Floats, Floats],
    entries: Entries,
    *,
    maximise: bool,
) -> LinearModel:
    """Return a program of continuous columns without names.

    Parameters
    ----------
    cost : ndarray, shape (n,)
    columns, rows : (lower, upper)
        Limits of the columns, and of the rows.
    entries : Entries
        The non-zeros.
    maximise : bool
    """
    n, m = len(cost), len(rows[0])
    start, index, value = entries.columns(m, n)
    return LinearModel(
        cost=cost,
        lower=columns[0],
        upper=columns[1],
        row_lower=rows[0],
        row_upper=rows[1],
        start=start,
        index=index,
        value=value,
        integer=np.zeros(n, np.bool_),
        maximise=maximise,
        column_names=list,
        row_names=list,
    )


def spans(counts: Ints) -> tuple[Ints, Ints]:
    """Return (owner, position) of ``counts[i]`` consecutive elements for each i.

    >>> [a.tolist() for a in spans(np.array([2, 0, 1]))]
    [[0, 0, 2], [0, 1, 0]]
    """
    owner = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts) - counts
    return owner, np.arange(len(owner)) - before[owner]
