"""All jobs of an instance at one vector of prices, each alone on the empty cluster.

Where no capacity binds a gang, a running job fills its cheapest admitted type, so the cost per GPU
does not depend on the gang: jobs of equal release and speeds share one covering table. Other jobs
to which nodes do not matter are priced in one call of a kernel, the rest one by one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.errors import USE_ILP, limited
from hadaropt.instance import Instance
from hadaropt.kernels.pricing import cover
from hadaropt.kernels.pricing import modes_pooled as choices
from hadaropt.kernels.pricing.arrivals import Market, price_jobs
from hadaropt.kernels.pricing.shared_table import share
from hadaropt.modes import is_pooled
from hadaropt.pricing.cover import DENSE_UNITS, INF, LABEL_BUDGET
from hadaropt.pricing.encoding import PooledRows, PooledSpeeds, Rows
from hadaropt.pricing.held import RoundChoice
from hadaropt.pricing.model import Bools, Ints, Levels, gang_levels, to_units
from hadaropt.pricing.pricer import EMPTY, PricedSchedule, Pricer
from hadaropt.pricing.worth import Code, encode_jobs

_NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class _Class:
    """Jobs that share a table: units of progress and admitted types of each candidate."""

    release: int
    units: Ints
    admitted: Bools
    rows: Rows
    limit: int


@dataclass(frozen=True)
class _Speeds:
    """What jobs of equal speeds share.

    Attributes
    ----------
    divisor : int
        The greatest common divisor of the progress of all candidates.
    progress : tuple of int
    admitted : (L, R) bool
        Types of each candidate.
    fewest : int or float
        The fewest GPUs that there are of an admitted type: larger gangs are bound by capacity.
    """

    divisor: int
    progress: tuple[int, ...]
    admitted: Bools
    fewest: float

    @classmethod
    def of(cls, levels: Levels, capacity: Ints) -> _Speeds:
        """Return what jobs of these levels share on types of this capacity."""
        usable = capacity[levels.admitted.any(axis=0)]
        fewest = min(usable[usable > 0].tolist(), default=math.inf)
        return cls(math.gcd(*levels.progress) or 1, levels.progress, levels.admitted, fewest)


@dataclass(frozen=True)
class _Plans:
    """Plans of the jobs of a class: round and type held of each entry."""

    members: _Class
    start: Ints
    rounds: Ints
    types: Ints


class BestSchedules:
    """Best schedules of all jobs at one vector of prices.

    Attributes
    ----------
    completion : (J,) int64
        f_j, -1 for the empty schedule.
    charge : (J,) int64
        Cost in units of 1 / scale.
    """

    def __init__(
        self, instance: Instance, scale: Fraction, place: dict[int, tuple[int, int]]
    ) -> None:
        total = len(instance.jobs)
        self._instance, self._scale, self._place = instance, scale, place
        self.completion: Ints = np.full(total, -1, np.int64)
        self.charge: Ints = np.zeros(total, np.int64)
        self._plans: list[_Plans] = []
        self._label_span: dict[int, tuple[int, int]] = {}
        self._label_plans: tuple[Ints, Ints] = _NONE, np.empty((0, 0), np.int64)
        self._alone: dict[int, PricedSchedule] = {}

    def upper_payoff(self, j: int) -> Fraction:
        """Return the maximum payoff of job j, or an upper bound where that was not found."""
        if j in self._alone:
            return self._alone[j].payoff + self._alone[j].slack
        completion = int(self.completion[j])
        if completion < 0:
            return Fraction(0)
        return self._instance.value(j, completion) - int(self.charge[j]) / self._scale

    @property
    def exact(self) -> bool:
        """Whether every upper payoff is the maximum itself."""
        return all(priced.exact for priced in self._alone.values())

    def schedule(self, j: int) -> PricedSchedule:
        """Return the schedule of job j, equal to that of `price_job`."""
        if j in self._alone:
            return self._alone[j]
        if self.completion[j] < 0:
            return EMPTY
        cost = int(self.charge[j]) / self._scale
        completion = int(self.completion[j])
        payoff = self._instance.value(j, completion) - cost
        if j in self._label_span:
            return PricedSchedule(payoff, completion, cost, self._labelled(j))
        chunk, k = self._place[j]
        plans = self._plans[chunk]
        job, types = self._instance.jobs[j], len(self._instance.cluster.accelerators)
        alone = self._instance.progress(j)
        rounds = []
        for e in range(plans.start[k], plans.start[k + 1]):
            r = int(plans.types[e])
            use = (0,) * r + (job.gang_size,) + (0,) * (types - r - 1)
            rounds.append(RoundChoice(int(plans.rounds[e]), alone[r], use))
        return PricedSchedule(payoff, completion, cost, tuple(rounds))

    def _labelled(self, j: int) -> tuple[RoundChoice, ...]:
        """Return the rounds of a job that was priced by labels."""
        begin, end = self._label_span[j]
        rounds, units = self._label_plans
        alone = self._instance.progress(j)
        choices = []
        for t, use in zip(rounds[begin:end].tolist(), units[begin:end].tolist(), strict=True):
            progress = min(p for p, held in zip(alone, use, strict=True) if held)
            choices.append(RoundChoice(t, progress, tuple(use)))
        return tuple(choices)

    def usage(self) -> Ints:
        """Return the units that all schedules together hold, (T, R)."""
        used = np.zeros(
            (self._instance.num_rounds, len(self._instance.cluster.accelerators)), np.int64
        )
        for plans in self._plans:
            gangs = np.repeat(plans.members.rows.column("gang"), np.diff(plans.start))
            np.add.at(used, (plans.rounds, plans.types), gangs)
        np.add.at(used, self._label_plans[0], self._label_plans[1].reshape(-1, used.shape[1]))
        for priced in self._alone.values():
            for choice in priced.rounds:
                held = np.array(choice.use, np.int64)
                used[choice.round] += held if held.ndim == 1 else held.sum(axis=0)
        return used


class BulkPricer:
    """Prices all jobs of an instance again and again, keeping what does not depend on the prices.

    Parameters
    ----------
    instance : Instance
    scale : int or Fraction
        Prices are integers in units of 1 / scale.
    """

    @limited("the pricing tables", USE_ILP)
    def __init__(self, instance: Instance, scale: int | Fraction) -> None:
        instance.check_size()
        self.instance, self.scale = instance, Fraction(scale)
        self.pricer = Pricer(instance, scale)
        self._capacity = np.array(instance.cluster.pooled_capacity, np.int64)
        self._classes: list[_Class] = []
        self._alone: list[int] = []
        self._labelled = PooledRows(PooledSpeeds(instance))
        # Prices above it are beyond every worth; a gang at it is charged less than 2**62.
        self._dearest = (INF - 1) // max((job.gang_size for job in instance.jobs), default=1)
        self._place: dict[int, tuple[int, int]] = {}
        self._sort()

    def _sort(self) -> None:
        """Sort the jobs into classes, those priced by labels, and those priced alone."""
        instance = self.instance
        # Equal speeds are one object (see `Instance.throughput`): fractions are slow to hash.
        speeds: dict[int, _Speeds] = {}
        limits: dict[tuple[int, int], int] = {}
        rows: dict[tuple[int, int], Rows] = {}
        pooled = [j for j in range(len(instance.jobs)) if is_pooled(instance, j)]
        self._alone.extend(j for j in range(len(instance.jobs)) if not is_pooled(instance, j))
        for j, code in encode_jobs(instance, pooled, self.scale):
            job, kind = instance.jobs[j], id(instance.throughput[j])
            if kind not in speeds:
                speeds[kind] = _Speeds.of(gang_levels(instance, j), self._capacity)
            own = speeds[kind]
            need = -(-job.iterations // own.divisor)
            if need > DENSE_UNITS:
                self._by_labels(j, code)
                continue
            horizon = max(0, instance.num_rounds - job.release)
            if not own.progress or code.last == 0:
                continue
            peak = code.peak
            sums = 8 * (peak // job.gang_size + 2) * (horizon + 1) * max(job.gang_size, horizon + 1)
            if own.fewest < job.gang_size or sums >= INF:  # capacity binds, or sums are too large
                self._by_labels(j, code)
                continue
            key = (job.release, kind)
            rows.setdefault(key, Rows()).add(j, job.gang_size, need, code)
            limits[key] = max(limits.get(key, 0), peak // job.gang_size)
        for key, found in rows.items():
            own = speeds[key[1]]
            longest = max(instance.jobs[j].iterations for j in found.jobs)
            units = to_units(own.progress, longest, own.divisor)
            for k, j in enumerate(found.jobs):
                self._place[j] = (len(self._classes), k)
            self._classes.append(_Class(key[0], units, own.admitted, found, limits[key]))

    def _by_labels(self, j: int, code: Code) -> None:
        """Let job j be priced by labels, or alone where its numbers are too large."""
        if not self._labelled.append(j, code, self._dearest, cut=True):
            self._alone.append(j)

    @limited("the pricing tables", USE_ILP)
    def price(self, prices: Ints) -> BestSchedules:
        """Return the best schedule of every job.

        Parameters
        ----------
        prices : (T, R) or (T, H, R) int64
            As in `price_job`. Prices on nodes are worked through job by job.
        """
        self.pricer.check(prices)
        found = BestSchedules(self.instance, self.scale, self._place)
        alone = list(self._alone)
        for members in self._classes:
            if prices.ndim == 3:
                alone.extend(members.rows.jobs)
            else:
                self._share(members, prices, found)
        if prices.ndim == 3:
            alone.extend(self._labelled.jobs)
        else:
            alone.extend(self._label(prices, found))
        for j in alone:
            priced = self.pricer.price(j, prices)
            found._alone[j] = priced
            found.charge[j] = int(priced.cost * self.scale)
            if priced.completion is not None:
                found.completion[j] = priced.completion
        return found

    def _label(self, prices: Ints, found: BestSchedules) -> list[int]:
        """Price jobs by labels in calls of the kernel; return those with too many of them."""
        jobs = self._labelled.jobs
        if not jobs:
            return []
        shape = prices.shape
        nothing = np.empty((0, shape[1], 0), np.int64)
        free = np.repeat(self._capacity[None], shape[0], axis=0)
        market = Market(
            np.minimum(prices, self._dearest), free, nothing, _NONE, self._capacity
        )  # fmt: skip
        rows, left = self._labelled.arrays(), []
        first, entries, plans = 0, 0, []
        while first < len(jobs):
            stopped, completion, charge, start, rounds, use = price_jobs(
                first, rows, market, False, LABEL_BUDGET
            )
            for k in range(first, stopped):
                span = int(start[k]) + entries, int(start[k + 1]) + entries
                found._label_span[jobs[k]] = span
            part = jobs[first:stopped]
            found.completion[part] = completion[first:stopped]
            found.charge[part] = charge[first:stopped]
            plans.append((rounds, use))
            entries += len(rounds)
            left += jobs[stopped : stopped + 1]
            first = stopped + 1
        rounds, use = zip(*plans, strict=True)
        found._label_plans = np.concatenate(rounds), np.concatenate(use)
        return left

    def _share(self, members: _Class, prices: Ints, found: BestSchedules) -> None:
        """Price the jobs of a class from one table."""
        rows = members.rows
        need, last = rows.column("need"), rows.column("last")
        window = slice(members.release, members.release + int(last.max()))
        price = np.ascontiguousarray(np.minimum(prices[window], members.limit + 1))
        free = np.repeat(self._capacity[None], len(price), axis=0)
        tie = len(price) + 1
        keys = choices.pooled(price, free, 1, members.admitted, tie, members.limit)
        start, progress, cost, candidate = choices.undominated(members.units, keys)
        _, table, top = cover.dense(start, progress, cost, int(need.max()), _NONE, tie)
        completion, charge, plan_start, plan = share(
            start,
            progress,
            cost,
            table,
            top,
            tie,
            rows.column("gang"),
            need,
            rows.column("kind"),
            rows.parameters(),
            last,
            *rows.tables(),
        )
        found.completion[rows.jobs] = np.where(completion < 0, -1, completion + members.release)
        found.charge[rows.jobs] = charge
        # The cheapest admitted type that exists, the first of equals: one GPU fills it.
        offset, option = plan[:, 0], plan[:, 1]
        usable = members.admitted[candidate[option]] & (self._capacity > 0)
        types = np.where(usable, price[offset], INF).argmin(axis=1)
        found._plans.append(_Plans(members, plan_start, offset + members.release, types))


def best_schedules(instance: Instance, prices: Ints, scale: int | Fraction) -> list[PricedSchedule]:
    """Return `price_job` of every job, each alone on the empty cluster.

    See `BulkPricer` for many vectors of prices, or for many jobs.
    """
    found = BulkPricer(instance, scale).price(prices)
    return [found.schedule(j) for j in range(len(instance.jobs))]
