"""Minimal covers of a knapsack, and their lifting: exact dynamic programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hadaropt.mip.model import Floats, Ints
from hadaropt.tolerances import FRACTIONAL


@dataclass(frozen=True)
class LiftedCover:
    """An inequality ``sum a_i z_i <= rhs`` on a knapsack.

    Attributes
    ----------
    coefficients : dict of item to int
    rhs : int
        Items of the cover minus one.
    cover, order : tuple of int
        The cover, and the items that were lifted into it.
    violation : float
        Of the point that it was made for.
    """

    coefficients: dict[int, int]
    rhs: int
    cover: tuple[int, ...]
    order: tuple[int, ...]
    violation: float


def lifted_cover(y: Floats, gang: Ints, capacity: int, may: Ints) -> LiftedCover | None:
    """Return a minimal cover that a point violates, lifted by the items ``may``, or None."""
    cover = minimum_cover(y, gang, capacity)
    if cover is None:
        return None
    # Large values first, then large gangs: they gain most from lifting.
    order = may[np.lexsort((may, -gang[may], -y[may]))]
    coefficients, lifted = lift(cover, gang, capacity, order.tolist())
    rhs = len(cover) - 1
    violation = sum(a * float(y[i]) for i, a in coefficients.items()) - rhs
    return LiftedCover(coefficients, rhs, tuple(cover), tuple(lifted), violation)


def minimum_cover(y: Floats, gang: Sequence[int] | np.ndarray, capacity: int) -> list[int] | None:
    """Return a minimal cover of least sum of 1 - y, or None if none is violated by y.

    A dynamic program over the total gang size.
    """
    items = [i for i in np.flatnonzero(y > FRACTIONAL).tolist()]
    if sum(int(gang[i]) for i in items) <= capacity:
        return None
    items.sort(key=lambda i: (-y[i], -int(gang[i]), i))
    need = capacity + 1
    best = np.full(need + 1, np.inf)
    best[0] = 0.0
    taken = np.zeros((len(items), need + 1), np.bool_)
    for k, i in enumerate(items):
        w, loss = int(gang[i]), max(0.0, 1.0 - float(y[i]))
        # best[d]: least loss with total size >= d (d = need: a cover).
        shifted = np.concatenate([np.zeros(min(w, need)), best[: need + 1 - min(w, need)]]) + loss
        shifted[0] = np.inf
        taken[k] = shifted < best - 1e-12
        best = np.where(taken[k], shifted, best)
    if best[need] >= 1 - 1e-6:
        return None
    cover, d = [], need
    for k in range(len(items) - 1, -1, -1):
        if d > 0 and taken[k, d]:
            cover.append(items[k])
            d = max(0, d - int(gang[items[k]]))
    total = sum(int(gang[i]) for i in cover)
    for i in sorted(cover, key=lambda i: (int(gang[i]), y[i], i)):
        if total - int(gang[i]) > capacity:
            cover.remove(i)
            total -= int(gang[i])
    return sorted(cover)


def lift(
    cover: Sequence[int], gang: Sequence[int] | np.ndarray, capacity: int, order: Sequence[int]
) -> tuple[dict[int, int], list[int]]:
    """Return the coefficients of the lifted cover, and the jobs lifted with a coefficient > 0.

    Job j gets rhs - max { sum of coefficients over a set of the jobs so far that fits beside j }.
    """
    rhs = len(cover) - 1
    far = 2**40
    # least[v]: least total size of jobs so far whose coefficients sum to at least v.
    least = np.full(rhs + 1, far, np.int64)
    least[0] = 0
    coefficients: dict[int, int] = {}

    def include(i: int, a: int) -> None:
        coefficients[i] = a
        shifted = np.concatenate([np.zeros(min(a, rhs + 1), np.int64), least[: rhs + 1 - a]])
        np.minimum(least, shifted + int(gang[i]), out=least)
        least[0] = 0

    for i in cover:
        include(i, 1)
    lifted = []
    for i in order:
        if i in coefficients:
            continue
        room = capacity - int(gang[i])
        reached = int(np.flatnonzero(least <= room)[-1]) if room >= 0 else 0
        a = rhs - reached if room >= 0 else rhs
        if a > 0:
            include(i, a)
            lifted.append(i)
    return coefficients, lifted
