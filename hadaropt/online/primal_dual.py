"""The online primal-dual algorithm: accept the best schedule at current prices iff it pays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.frozen import Value, freeze_fields
from hadaropt.instance import Instance
from hadaropt.modes import is_pooled
from hadaropt.online.completions import Completions
from hadaropt.online.pooled import commit_pooled
from hadaropt.online.prices.rounding import RoundedTables
from hadaropt.online.state import Ints, Occupancy
from hadaropt.pricing import PricedSchedule, Pricer
from hadaropt.results import Pool, Prices
from hadaropt.schedule import Allocation, Schedule


@dataclass(frozen=True)
class Decisions:
    """What an algorithm that commits at arrival decided.

    Attributes
    ----------
    schedule : Schedule
    completion : tuple of (int or None)
    payoffs : tuple of Fraction
        Payoff at arrival, 0 if rejected.
    slack : Fraction
        Sum of the proved bounds on what inexact pricing may have missed (theory: e_j of T4').
    prices : Prices
        Final prices.
    """

    schedule: Schedule
    completion: tuple[int | None, ...]
    payoffs: tuple[Fraction, ...]
    slack: Fraction
    prices: Prices


@dataclass(frozen=True, eq=False)
class Arrival(Value):
    """What happened when one job arrived.

    Attributes
    ----------
    job : int
    best : PricedSchedule
        The best schedule that fitted; accepted iff its payoff is > 0.
    free : ndarray
        GPUs that were free before, in the form in which the job was priced.
    before, after : Prices
        Prices that the job was quoted, and those after the decision.
    marginal : bool
        Whether further units of a resource were charged prices of their own, not those in
        ``before``.
    """

    job: int
    best: PricedSchedule
    free: Ints
    before: Prices
    after: Prices
    marginal: bool

    def __post_init__(self) -> None:
        freeze_fields(self)


class _Market:
    """Current prices: k(g) of every resource at the number g of GPUs sold.

    Attributes
    ----------
    units : ndarray, shape (T, R) or (T, H, R)
        Dual prices.
    marginals : ndarray or None
        With one more axis: what each further unit is charged, where that is not the dual price.
    """

    def __init__(self, instance: Instance, tables: RoundedTables | None, pool: Pool) -> None:
        cluster = instance.cluster
        shape: tuple[int, ...] = (instance.num_rounds, len(cluster.accelerators))
        if pool == "node":
            shape = (shape[0], len(cluster.nodes), shape[1])
        self.units: Ints = np.zeros(shape, np.int64)
        self.marginals: Ints | None = None
        self._sold: Ints = np.zeros(shape, np.int64)
        tables = RoundedTables({}, Fraction(1), None, {}) if tables is None else tables
        self._rows = tables.marginals or {}
        if self._rows:
            steps = len(next(iter(self._rows.values()))[0])
            self.marginals = np.zeros((*shape, steps), np.int64)
        self.post(tables)

    def post(self, tables: RoundedTables) -> None:
        """Take the prices from these tables from now on, at what is sold."""
        self._tables = tables
        for place in tables.tables:
            self._show(place)

    def _show(self, place: tuple[int, ...]) -> None:
        sold = int(self._sold[place])
        self.units[place] = self._tables.units(place, sold)
        if self.marginals is not None and sold < len(self._rows[place]):
            self.marginals[place] = self._rows[place][sold]

    def sell(self, allocations: Iterable[Allocation], *, back: bool = False) -> None:
        """Raise the prices of what was taken; with ``back``, lower those of what was not used."""
        changed = set()
        for allocation in allocations:
            for h, r, count in allocation.gpus:
                t = allocation.round
                place = (t, r) if self.units.ndim == 2 else (t, h, r)
                if place in self._tables.tables:
                    self._sold[place] += -count if back else count
                    changed.add(place)
        for place in sorted(changed):
            self._show(place)


def commit_at_arrival(
    instance: Instance,
    tables: RoundedTables | None,
    pool: Pool,
    scale: Fraction,
    observe: Callable[[Arrival], None] | None = None,
) -> Decisions:
    """Run the algorithm of problem section 3 on the jobs in order of release (ties: index).

    On arrival of j: the best schedule at the current prices among those that fit the remaining
    capacity is accepted irrevocably iff its payoff is > 0; then the prices rise.

    Parameters
    ----------
    instance : Instance
    tables : RoundedTables or None
        None: all prices stay 0, so that every job takes its earliest completion (FIFO).
    pool : {"type", "node"}
    scale : Fraction
        Units of the prices.
    observe : callable, optional
        Called after each decision, with copies of what changes.
    """
    linear = tables is None or tables.marginals is None
    if observe is None and pool == "type" and linear and is_pooled(instance):
        order = [
            j for j in arrival_order(instance) if instance.jobs[j].release < instance.num_rounds
        ]
        return Decisions(*commit_pooled(instance, tables, scale, order))
    return commit_one_by_one(instance, tables, pool, scale, observe)


def commit_one_by_one(
    instance: Instance,
    tables: RoundedTables | None,
    pool: Pool,
    scale: Fraction,
    observe: Callable[[Arrival], None] | None = None,
    truth: Instance | None = None,
    repost: Callable[[int], RoundedTables | None] = lambda j: None,
) -> Decisions:
    """Run the algorithm of `commit_at_arrival` one job at a time: any instance, any prices.

    With ``truth`` the iterations of ``instance`` are only declared: what jobs that complete earlier
    had planned beyond is free for later arrivals, at prices of what is used. ``repost`` may return
    new tables, of prices per GPU, when job j arrives.
    """
    ends = Completions(instance if truth is None else truth)
    pricer = Pricer(instance, scale)
    occupancy, market = Occupancy(instance), _Market(instance, tables, pool)
    jobs: list[tuple[Allocation, ...]] = [()] * len(instance.jobs)
    completion: list[int | None] = [None] * len(instance.jobs)
    payoffs = [Fraction(0)] * len(instance.jobs)
    slack = Fraction(0)
    for j in arrival_order(instance):
        if instance.jobs[j].release >= instance.num_rounds:
            continue
        unused = ends.freed(instance.jobs[j].release)
        occupancy.give_back(unused)
        market.sell(unused, back=True)
        changed = repost(j)
        if changed is not None:
            market.post(changed)
        free = occupancy.free(j, pool)
        best = (
            pricer.price(j, market.units, free=free)
            if market.marginals is None
            else pricer.price_marginal(j, market.marginals, free=free)
        )
        slack += best.slack
        seen = None if observe is None else (free.copy(), market.units.copy())
        if best.payoff > 0:
            jobs[j] = occupancy.take(best)
            completion[j], payoffs[j] = best.completion, best.payoff
            market.sell(jobs[j])
            if truth is not None:
                ends.plan(j, jobs[j])
        if observe is not None and seen is not None:
            before, after = (Prices(k, scale, pool) for k in (seen[1], market.units.copy()))
            observe(Arrival(j, best, seen[0], before, after, market.marginals is not None))
    market.sell(ends.freed(instance.num_rounds), back=True)
    prices = Prices(market.units, scale, pool)
    return Decisions(Schedule(tuple(jobs)), tuple(completion), tuple(payoffs), slack, prices)


def arrival_order(instance: Instance) -> list[int]:
    """Return the jobs in order of release, ties by index."""
    return sorted(range(len(instance.jobs)), key=lambda j: instance.jobs[j].release)
