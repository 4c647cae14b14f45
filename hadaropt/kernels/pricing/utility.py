"""Utilities as integers, without a value per round: floors, fractions, and the best completion.

``U(d) * scale`` is, for a flow time d,

- LINEAR: ``(a - b * (d - 1)) / c`` for d <= last (linear, step and completion utilities);
- INVERSE: ``a / (b * d)`` for d <= last (effective throughput);
- TABLE: entry ``a + d - 1`` of a shared table of (floor, rank of the fraction), for d <= last;

and 0 for d > last. Payoffs are compared by their floor and, where that is equal, exactly by the
fraction, since charges are integers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Ints = npt.NDArray[np.int64]

INF = np.int64(2**62)
LINEAR = 0
INVERSE = 1
TABLE = 2


@kernel
def worths(kind: int, par: Ints, last: int, floors: Ints, ranks: Ints) -> tuple[Ints, Ints, Ints]:
    """Return U(d) * scale for d = 1 .. last: floors, and fractions ``part / weight``.

    Parameters
    ----------
    kind : int
    par : (3,) int64
        a, b, c.
    last : int
        At most the largest flow time of positive value.
    floors, ranks : int64
        The shared tables.
    """
    whole = np.empty(last, np.int64)
    part = np.empty(last, np.int64)
    weight = np.ones(last, np.int64)
    for d in range(1, last + 1):
        if kind == LINEAR:
            above, below = par[0] - par[1] * (d - 1), par[2]
        elif kind == INVERSE:
            above, below = par[0], par[1] * d
            weight[d - 1] = d
        else:
            whole[d - 1] = floors[par[0] + d - 1]
            part[d - 1] = ranks[par[0] + d - 1]
            continue
        whole[d - 1] = above // below
        part[d - 1] = above - whole[d - 1] * below
    return whole, part, weight


@kernel
def rounds_worth(least: int, kind: int, par: Ints, first: int, last: int, floors: Ints) -> int:
    """Return the most rounds, first .. last, of which the last one is worth `least` or more.

    Or `first`, if ``U(first + 1) * scale`` is less. Parameters as in `worths`.
    """
    low, high = first, last
    while low < high:
        d = (low + high + 1) // 2
        if kind == LINEAR:
            whole = (par[0] - par[1] * (d - 1)) // par[2]
        elif kind == INVERSE:
            whole = par[0] // (par[1] * d)
        else:
            whole = floors[par[0] + d - 1]
        if whole >= least:
            low = d
        else:
            high = d - 1
    return low


@kernel
def best_completion(whole: Ints, part: Ints, weight: Ints, least: Ints, tie: int) -> int:
    """Return the first index of maximum ``U * scale - least // tie`` if that is > 0, else -1.

    Parameters
    ----------
    whole, part, weight : (N,) int64
        From `worths`.
    least : (N,) int64
        Keys ``charge * tie + gangs``, 2**62 where impossible.
    """
    best, best_part, best_weight, at = 0, 0, 1, -1
    for n in range(whole.shape[0]):
        if least[n] == INF:
            continue
        payoff = int(whole[n] - least[n] // tie)
        if payoff > best or (
            payoff == best and int(part[n]) * best_weight > best_part * int(weight[n])
        ):
            best, best_part, best_weight, at = payoff, int(part[n]), int(weight[n]), n
    return at
