"""Useful choices of one job in each round, where its placement on nodes matters.

A gang inside one node runs at full speed, a gang over several nodes at a reduced one; a copy of a
forked job lies inside one node. Units of a node are filled cheapest first among the admitted types.
Candidates and keys are those of `choices`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

INF = np.int64(2**62)


@kernel
def _fill_nodes(
    order: Ints, price: Ints, free: Ints, gang: int, admitted: Bools, missing: Ints, charge: Ints
) -> None:
    """Fill one gang inside every node: units still missing and charge so far, both (H,)."""
    types = price.shape[1]
    missing[:] = gang
    charge[:] = 0
    for k in range(order.shape[0]):
        h = order[k] // types
        r = order[k] % types
        if admitted[r] and missing[h] > 0 and free[h, r] > 0:
            take = min(missing[h], free[h, r])
            missing[h] -= take
            charge[h] += take * price[h, r]


@kernel
def gangs(
    price: Ints, free: Ints, gang: int, admitted: Bools, spread: Bools, tie: int, limit: int
) -> tuple[Ints, Ints]:
    """Cost of every candidate in every round for one gang, inside a node or over several.

    Parameters
    ----------
    price, free : (T, H, R) int64
        Price of one unit and number of free units of each type on each node in each round.
    gang : int
        Units that a running job holds.
    admitted : (L, R) bool
        Types that each candidate may use.
    spread : (L,) bool
        Whether the candidate may span nodes.
    tie, limit : int
        As in `choices.pooled`.

    Returns
    -------
    cost : (T, L) int64
        Key of each candidate; 2**62 where it does not fit or charges more than `limit`.
    host : (T, L) int64
        The node of a candidate that may not span nodes, else -1.
    """
    rounds, nodes, types = price.shape
    candidates = admitted.shape[0]
    cost = np.full((rounds, candidates), INF, np.int64)
    host = np.full((rounds, candidates), -1, np.int64)
    missing = np.empty(nodes, np.int64)
    charge = np.empty(nodes, np.int64)
    for t in range(rounds):
        order = np.argsort(price[t].ravel(), kind="mergesort")
        for i in range(candidates):
            if spread[i]:
                need = gang
                total = np.int64(0)
                for k in range(order.shape[0]):
                    h = order[k] // types
                    r = order[k] % types
                    if admitted[i, r] and free[t, h, r] > 0:
                        take = min(need, free[t, h, r])
                        total += take * price[t, h, r]
                        need -= take
                        if need == 0:
                            break
                if need == 0 and total <= limit:
                    cost[t, i] = total * tie + 1
            else:
                _fill_nodes(order, price[t], free[t], gang, admitted[i], missing, charge)
                for h in range(nodes):
                    if missing[h] == 0 and charge[h] <= limit and charge[h] * tie + 1 < cost[t, i]:
                        cost[t, i] = charge[h] * tie + 1
                        host[t, i] = h
    return cost, host


@kernel
def copies(price: Ints, free: Ints, gang: int, admitted: Bools, tie: int, limit: int) -> Ints:
    """Key of the cheapest copy on each node at each level, (T, H, L); 2**62 where none fits."""
    rounds, nodes, _ = price.shape
    levels = admitted.shape[0]
    cost = np.full((rounds, nodes, levels), INF, np.int64)
    missing = np.empty(nodes, np.int64)
    charge = np.empty(nodes, np.int64)
    for t in range(rounds):
        order = np.argsort(price[t].ravel(), kind="mergesort")
        for i in range(levels):
            _fill_nodes(order, price[t], free[t], gang, admitted[i], missing, charge)
            for h in range(nodes):
                if missing[h] == 0 and charge[h] <= limit:
                    cost[t, h, i] = charge[h] * tie + 1
    return cost


@kernel
def use(price: Ints, free: Ints, gang: int, admitted: Bools, host: int) -> Ints:
    """Units of each type on each node, (H, R), in the cheapest placement of one gang in one round.

    `price` and `free` are the (H, R) slices of that round, `admitted` the (R,) row of the
    candidate, `host` its node or -1. Equal prices are filled in order of node, then type. All zero
    when the gang does not fit.
    """
    nodes, types = price.shape
    held = np.zeros((nodes, types), np.int64)
    order = np.argsort(price.ravel(), kind="mergesort")
    need = gang
    for k in range(order.shape[0]):
        h = order[k] // types
        r = order[k] % types
        if admitted[r] and free[h, r] > 0 and (host < 0 or h == host):
            held[h, r] = min(need, free[h, r])
            need -= held[h, r]
            if need == 0:
                return held
    held[:] = 0
    return held
