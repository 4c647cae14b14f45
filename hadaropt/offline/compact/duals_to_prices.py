"""From the duals of capacity rows to prices of GPUs, and the exact bound that they prove."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from hadaropt.instance import Instance
from hadaropt.mip.model import Floats
from hadaropt.modes.plans import JobPlan
from hadaropt.offline.compact.hall_separation import Row
from hadaropt.results import Prices
from hadaropt.tolerances import PRICE_BITS


def price_scale(instance: Instance, plans: Sequence[JobPlan]) -> Fraction:
    """Return the largest power of two up to 2**PRICE_BITS at which exact pricing fits 64 bits.

    Of every job that is priced: also of one that has no plan, since it can never complete.
    """
    most = 1
    planned = {plan.job for plan in plans}
    for j, job in enumerate(instance.jobs):
        if j not in planned and job.release < instance.num_rounds:
            rounds, copies = instance.num_rounds - job.release + 1, instance.max_copies(j)
            factor = max(8 * (rounds * copies + 1) * copies, 2 * job.gang_size)
            most = max(most, (math.ceil(instance.value(j, job.release)) + 2) * factor)
    for plan in plans:
        rounds = plan.last - plan.release + 2
        copies = plan.max_copies
        factor = max(8 * (rounds * copies + 1) * copies, 2 * plan.gang_size)
        most = max(most, (math.ceil(plan.values[0]) + 2) * factor)
    return Fraction(2) ** min(PRICE_BITS, 60 - most.bit_length())


def _rounded(values: Floats, scale: Fraction) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Round prices up to multiples of 1/scale; noise below a hundredth of one is 0."""
    return np.maximum(0, np.ceil(values * float(scale) - 0.01)).astype(np.int64)


def prices_of_sets(
    instance: Instance, plans: Sequence[JobPlan], rows: Sequence[Row], duals: Floats
) -> Prices:
    """Return k[t, r] = sum of the prices pi[t, S] of the subset rows with r in S.

    Then sum c k = sum pi C(S), and D(k) is at most the dual value of the compact form.
    """
    scale = price_scale(instance, plans)
    return Prices(_rounded(_by_type(instance, rows, duals), scale), Fraction(scale), "type")


def _by_type(instance: Instance, rows: Sequence[Row], duals: Floats) -> Floats:
    table = np.zeros((instance.num_rounds, len(instance.cluster.accelerators)))
    for (t, types), dual in zip(rows, duals.tolist(), strict=True):
        if dual > 0:
            table[t, sorted(types)] += dual
    return table


def prices_of_single_nodes(
    instance: Instance,
    plans: Sequence[JobPlan],
    rows: Sequence[Row],
    duals: Floats,
    single_node: Sequence[tuple[int, int, int]],
    kept: Floats,
) -> Prices:
    """Return k[t, h, r]: prices of the subset rows, plus those of ``together`` on large nodes.

    A gang kept on a node pays at least what its rows ask; gangs that these rows spare pay as well,
    which only lowers payoffs, so D(k) holds but may exceed the dual value of the compact form.

    Parameters
    ----------
    kept : ndarray
        Duals of the rows ``together`` of every round, round by round.
    """
    capacity = np.array(instance.cluster.capacity, np.int64)
    table = np.repeat(_by_type(instance, rows, duals)[:, None, :], len(capacity), axis=1)
    for i, (r, size, _) in enumerate(single_node):
        large = capacity[:, r] >= size
        table[:, large, r] += np.maximum(0.0, kept[i :: len(single_node)])[:, None]
    scale = price_scale(instance, plans)
    return Prices(_rounded(table, scale), Fraction(scale), "node")


def prices_of_cells(instance: Instance, plans: Sequence[JobPlan], table: Floats) -> Prices:
    """Return k[t, h, r] from the duals of the capacity rows of nodes, shape (T, H, R)."""
    scale = price_scale(instance, plans)
    return Prices(_rounded(table, scale), Fraction(scale), "node")


def free_bound(plans: Sequence[JobPlan]) -> Fraction:
    """Return D(0): every job completes as if it were alone."""
    return sum((plan.values[0] for plan in plans), Fraction(0))


def certified_bound(
    instance: Instance, plans: Sequence[JobPlan], prices: Prices | None
) -> Fraction | None:
    """Return an exact upper bound on the optimum from prices, by weak duality.

    D(k), lowered by a quick `Instance.round_down`.

    Raises
    ------
    OverflowError
        If the scale of the prices is too fine for exact sums in 64 bits.
    """
    if prices is None:
        return None
    from hadaropt.pricing import dual_bound  # numba: loaded when needed

    bound = min(dual_bound(instance, prices).value, free_bound(plans))
    return instance.round_down(bound, quick=True)
