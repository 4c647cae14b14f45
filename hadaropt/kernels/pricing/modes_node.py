"""What one job can do in each round, where its placement on nodes matters.

A gang inside one node runs at full speed, a gang over several nodes at a reduced one; a copy of a
forked job lies inside one node. Units of a node are filled cheapest first among the admitted types.
Candidates and keys are those of
`hadaropt.kernels.pricing.modes_pooled`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.kernels.dispatch import kernel
from hadaropt.kernels.gang_fill import fill_gang, gang_charge
from hadaropt.kernels.order import by_price

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

INF = np.int64(2**62)


@kernel
def _node_charges(
    price: Ints, free: Ints, gang: int, admitted: Bools, order: Ints, charge: Ints
) -> None:
    """Charge of a gang inside every node, (H,); 2**62 where it does not fit.

    `order` is the (H, R) order of the prices on each node.
    """
    for h in range(charge.shape[0]):
        charge[h] = gang_charge(gang, admitted, order[h], price[h], free[h])


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
        As in `hadaropt.kernels.pricing.modes_pooled.pooled`.

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
    charge = np.empty(nodes, np.int64)
    inside = np.empty((nodes, types), np.int64)
    everywhere = np.empty((candidates, nodes * types), np.bool_)
    for i in range(candidates):
        for k in range(nodes * types):
            everywhere[i, k] = admitted[i, k % types]
    for t in range(rounds):
        flat_price, flat_free = price[t].ravel(), free[t].ravel()
        over = np.argsort(flat_price, kind="mergesort")
        for h in range(nodes):
            by_price(price[t, h], inside[h])
        for i in range(candidates):
            if spread[i]:
                total = gang_charge(gang, everywhere[i], over, flat_price, flat_free)
                if total <= limit:
                    cost[t, i] = total * tie + 1
            else:
                _node_charges(price[t], free[t], gang, admitted[i], inside, charge)
                for h in range(nodes):
                    if charge[h] <= limit and charge[h] * tie + 1 < cost[t, i]:
                        cost[t, i] = charge[h] * tie + 1
                        host[t, i] = h
    return cost, host


@kernel
def copies(price: Ints, free: Ints, gang: int, admitted: Bools, tie: int, limit: int) -> Ints:
    """Key of the cheapest copy on each node at each level, (T, H, L); 2**62 where none fits."""
    rounds, nodes, types = price.shape
    levels = admitted.shape[0]
    cost = np.full((rounds, nodes, levels), INF, np.int64)
    charge = np.empty(nodes, np.int64)
    inside = np.empty((nodes, types), np.int64)
    for t in range(rounds):
        for h in range(nodes):
            by_price(price[t, h], inside[h])
        for i in range(levels):
            _node_charges(price[t], free[t], gang, admitted[i], inside, charge)
            for h in range(nodes):
                if charge[h] <= limit:
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
    allowed = np.empty(nodes * types, np.bool_)
    for k in range(nodes * types):
        allowed[k] = admitted[k % types] and (host < 0 or k // types == host)
    held = np.zeros(nodes * types, np.int64)
    order = np.argsort(price.ravel(), kind="mergesort")
    if not fill_gang(gang, allowed, order, free.ravel(), held):
        held[:] = 0
    return held.reshape(nodes, types)
