"""Exact maximum payoffs of all jobs at given prices, and the bound D(k) that they prove."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from hadaropt.certificates.covering import least_costs
from hadaropt.certificates.options import ExactPrices, OptionTable
from hadaropt.instance import Instance


@dataclass(frozen=True)
class Payoffs:
    """Upper bounds on the payoffs mu*_j(k) = max(0, max_s u_s - sum k w^s) over ALL schedules.

    Attributes
    ----------
    upper : tuple of Fraction
        m_j >= mu*_j, with equality where ``exact[j]``.
    lower : tuple of Fraction
        Lower bounds on mu*_j, of schedules that exist; equal to ``upper`` where the maximum is
        exact, perhaps below it where the upper bound comes from a relaxation (progress rounded up,
        or copies that use a node twice).
    bound : Fraction
        D(k) = sum_j m_j + sum c k >= OPT (weak duality).
    """

    upper: tuple[Fraction, ...]
    lower: tuple[Fraction, ...]
    bound: Fraction


def max_payoffs(
    instance: Instance, prices: ExactPrices, *, relaxed: frozenset[int] = frozenset()
) -> Payoffs:
    """Return the maximum payoff of every job over all its schedules, and D(k).

    Jobs with equal release and equal options share one table.

    Parameters
    ----------
    instance : Instance
    prices : ExactPrices
    relaxed : frozenset of int
        Jobs for which an upper bound from the relaxation is enough (faster on large rates).
    """
    table = OptionTable(instance, prices)
    groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for j, job in enumerate(instance.jobs):
        if job.release < instance.num_rounds:
            groups[(job.release, j in relaxed, *table.shape(j))].append(j)
    upper = [Fraction(0)] * len(instance.jobs)
    lower = [Fraction(0)] * len(instance.jobs)
    for members in groups.values():
        first = instance.jobs[members[0]].release
        worth = max(ceil(instance.value(j, first) * prices.scale) for j in members)
        if worth == 0:
            continue
        needs = sorted({instance.jobs[j].iterations for j in members})
        last, exact = instance.num_rounds - 1, members[0] not in relaxed
        found = least_costs(table.options(members[0]), first, last, needs, worth=worth, exact=exact)
        above = found.above
        if table.relaxed(members[0]):
            sure = table.surely(members[0])
            above = least_costs(sure, first, last, needs, worth=worth, exact=exact).above
        place = {need: i for i, need in enumerate(needs)}
        for j in members:
            column = place[instance.jobs[j].iterations]
            upper[j] = _best(instance, j, first, found.cost[:, column].tolist(), prices)
            lower[j] = upper[j]
            if above is not found.cost:
                lower[j] = _best(instance, j, first, above[:, column].tolist(), prices)
    bound = sum(upper, Fraction(0)) + prices.capacity_cost(instance)
    return Payoffs(tuple(upper), tuple(lower), bound)


def _best(
    instance: Instance, j: int, first: int, costs: list[int], prices: ExactPrices
) -> Fraction:
    """Return max(0, max_f U_j(f) - cost(f)); only rounds at which the cost falls can be best."""
    best, last = Fraction(0), prices.unavailable
    for i, cost in enumerate(costs):
        if cost >= last:
            continue
        last = cost
        value = instance.value(j, first + i)
        if value <= best:
            break
        best = max(best, value - Fraction(cost, prices.scale))
    return best
