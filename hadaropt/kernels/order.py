"""An order that several kernels need."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Ints = npt.NDArray[np.int64]

SHORT = 24
"""So many prices or fewer are sorted by insertion."""


@kernel
def by_price(price: Ints, order: Ints) -> None:
    """Write the stable order of increasing price into `order`.

    Many prices are those of further units of a few types, each of which rises: such runs are
    merged two by two.
    """
    size = price.shape[0]
    if size > SHORT:
        _merge_runs(price, order)
        return
    for r in range(size):
        i = r
        while i > 0 and price[order[i - 1]] > price[r]:
            order[i] = order[i - 1]
            i -= 1
        order[i] = r


@kernel
def by_price_in(t: int, price: Ints, order: Ints) -> None:
    """Write what `by_price` does with row t of the prices into row t of `order`.

    Short rows are not sliced: to count the references takes longer than to sort.
    """
    size = price.shape[1]
    if size > SHORT:
        _merge_runs(price[t], order[t])
        return
    for r in range(size):
        i = r
        while i > 0 and price[t, order[t, i - 1]] > price[t, r]:
            order[t, i] = order[t, i - 1]
            i -= 1
        order[t, i] = r


@kernel
def _merge_runs(price: Ints, order: Ints) -> None:
    size = price.shape[0]
    ends = np.empty(size, np.int64)
    runs = 0
    for i in range(size):
        order[i] = i
        if i + 1 == size or price[i + 1] < price[i]:
            ends[runs] = i + 1
            runs += 1
    merged = np.empty(size, np.int64)
    while runs > 1:
        begin = 0
        for pair in range(runs // 2):
            middle, end = ends[2 * pair], ends[2 * pair + 1]
            i, j = begin, middle
            for k in range(begin, end):
                if j == end or (i < middle and price[order[i]] <= price[order[j]]):
                    merged[k] = order[i]
                    i += 1
                else:
                    merged[k] = order[j]
                    j += 1
            order[begin:end] = merged[begin:end]
            ends[pair] = end
            begin = end
        if runs % 2 == 1:
            ends[runs // 2] = ends[runs - 1]
        runs = (runs + 1) // 2
