"""D(k): the exact upper bound on the optimum that any prices prove, by weak duality."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.instance import Instance
from hadaropt.pricing.bulk import BulkPricer
from hadaropt.results import Prices


@dataclass(frozen=True)
class DualBound:
    """D(k) = sum_j mu*_j(k) + sum c k >= OPT.

    Attributes
    ----------
    value : Fraction
        D(k), or an upper bound on it where a payoff is known only with slack.
    payoffs : tuple of Fraction
        Upper bounds on the maximum payoffs mu*_j over ALL schedules, fitting or not.
    capacity_cost : Fraction
        sum c k over all rounds.
    exact : bool
        Whether every payoff is the maximum itself.
    """

    value: Fraction
    payoffs: tuple[Fraction, ...]
    capacity_cost: Fraction
    exact: bool


def dual_bound(instance: Instance, prices: Prices) -> DualBound:
    """Return D(k) and its parts, exactly.

    Any prices k >= 0 give a bound (theorem T2); it needs no solver.
    """
    # A copy, since kernels are compiled once more for arrays that cannot be written.
    found = BulkPricer(instance, prices.scale).price(prices.units.copy())
    payoffs = tuple(found.upper_payoff(j) for j in range(len(instance.jobs)))
    cluster = instance.cluster
    counts = cluster.capacity if prices.pool == "node" else cluster.pooled_capacity
    by_place = prices.units.sum(axis=0, dtype=object) if prices.units.size else 0
    cost = Fraction(int(np.sum(by_place * np.array(counts, dtype=object)))) / prices.scale
    return DualBound(sum(payoffs, cost), payoffs, cost, found.exact)
