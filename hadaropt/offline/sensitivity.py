"""What capacity is worth, and where value is lost: the dual side of an answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hadaropt.errors import check_type
from hadaropt.instance import Instance
from hadaropt.mip.model import Ints
from hadaropt.modes import is_pooled
from hadaropt.pricing import DualBound, Pricer, dual_bound
from hadaropt.results import Prices, Result
from hadaropt.schedule import Schedule, check_schedule, trim_schedule

Exacts = npt.NDArray[Any]
"""An array of Fractions."""


@dataclass(frozen=True)
class Range:
    """A number that is proved to lie in ``low .. high``."""

    low: Fraction
    high: Fraction


class Sensitivity:
    """Prices of an answer read as what GPUs are worth, with what is proved about that.

    Attributes
    ----------
    prices : Prices
        k, in value per GPU and round, shape (T, R), or (T, H, R) where nodes matter.
    dual : DualBound
        D(k) and its parts.
    value : Fraction
        P, of the schedule: P <= OPT <= D(k).

    Notes
    -----
    k is the derivative of D: one more GPU raises the bound D by its price. What it does to OPT is
    known up to the gap D(k) - P only, and `gain` and `loss` say what is proved.
    """

    def __init__(self, instance: Instance, result: Result) -> None:
        if result.prices is None or result.schedule is None:
            raise ValueError("the answer has no prices or no schedule: its method finds only one")
        self.instance, self.prices = instance, _by_place(instance, result.prices)
        self.schedule: Schedule = trim_schedule(instance, result.schedule)
        self.value = check_schedule(instance, self.schedule).value
        self._completion = check_schedule(instance, self.schedule).completion
        self._pricer = Pricer(instance, result.prices.scale)

    @cached_property
    def dual(self) -> DualBound:
        """D(k)."""
        return dual_bound(self.instance, self.prices)

    def gain(self, *place: int) -> Range:
        """Return what one more GPU at (t, r) or (t, h, r) adds to OPT: 0 <= gain <= high.

        ``high = D'(k) - P``, where D' is D with the capacity of that place and round raised by one
        (jobs whose gang then has new choices are priced again).
        """
        counts = self._capacity.copy()
        counts[place] += 1
        high = self.dual.value + self.prices.price(*place) - self.value
        for j in range(len(self.instance.jobs)):
            if self._may_choose_anew(j):
                found = self._pricer.price(j, self.prices.units.copy(), free=counts)
                high += max(Fraction(0), found.payoff + found.slack - self.dual.payoffs[j])
        return Range(Fraction(0), high)

    def loss(self, *place: int) -> Range:
        """Return what taking one GPU away at (t, r) or (t, h, r) costs: low <= loss <= high.

        ``low = k - (D(k) - P)``: without it the bound falls by its price, and no payoff rises.
        ``high``: the gap and the least valuable job that runs there, which may have to go.

        Raises
        ------
        ValueError
            If there is no GPU at that place.
        """
        if self._capacity[place] == 0:
            raise ValueError(f"there is no GPU at {place}")
        gap = self.dual.value - self.value
        low = self.prices.price(*place) - gap
        return Range(max(Fraction(0), low), self._cheapest_user(place) + gap)

    @cached_property
    def _capacity(self) -> Ints:
        cluster, rounds = self.instance.cluster, self.instance.num_rounds
        by_node = self.prices.pool == "node"
        counts = np.array(cluster.capacity if by_node else cluster.pooled_capacity, np.int64)
        return np.repeat(counts[None], rounds, axis=0)

    def _may_choose_anew(self, j: int) -> bool:
        """Whether one GPU more could give job j a choice, or make one cheaper."""
        gang, usable = self.instance.jobs[j].gang_size, self.instance.throughput[j]
        least = self._capacity[0][..., [r for r, x in enumerate(usable) if x > 0]]
        return bool((least < gang).any())

    def _held(self, j: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield (place, GPUs) of job j."""
        by_node = self.prices.pool == "node"
        for allocation in self.schedule.jobs[j]:
            for h, r, count in allocation.gpus:
                yield (allocation.round, h, r) if by_node else (allocation.round, r), count

    @cached_property
    def _free(self) -> Ints:
        free = self._capacity.copy()
        for j in range(len(self.instance.jobs)):
            for place, count in self._held(j):
                free[place] -= count
        return free

    def _worth(self, j: int) -> Fraction:
        finish = self._completion[j]
        return Fraction(0) if finish is None else self.instance.value(j, finish)

    def _cheapest_user(self, place: tuple[int, ...]) -> Fraction:
        """Value of the least valuable job that holds the place; 0 where a GPU is free."""
        if self._free[place] > 0:
            return Fraction(0)
        jobs = range(len(self.instance.jobs))
        return min(self._worth(j) for j in jobs if any(at == place for at, _ in self._held(j)))

    def slackness(self) -> Slackness:
        """Return where D(k) - P comes from, exactly: unused GPUs that have a price, and regret."""
        lost = np.empty(self._free.shape, object)
        for place, count in np.ndenumerate(self._free):
            lost[place] = int(count) * self.prices.price(*place)
        regret = []
        for j, payoff in enumerate(self.dual.payoffs):
            units = sum(count * int(self.prices.units[place]) for place, count in self._held(j))
            regret.append(payoff - self._worth(j) + units / self.prices.scale)
        return Slackness(lost, tuple(regret))


@dataclass(frozen=True)
class Slackness:
    """Complementary slackness: all of it 0 iff schedule and prices are both optimal.

    Attributes
    ----------
    unused : ndarray of Fraction
        Price times free GPUs at every (t, r) or (t, h, r).
    regret : tuple of Fraction
        mu*_j(k) minus the payoff of what job j does, at these prices (>= 0).
    """

    unused: Exacts
    regret: tuple[Fraction, ...]

    @property
    def total(self) -> Fraction:
        """D(k) - P."""
        return sum(self.unused.ravel().tolist(), sum(self.regret, Fraction(0)))


def _by_place(instance: Instance, prices: Prices) -> Prices:
    """Return prices of nodes where nodes matter, else as they are."""
    if prices.pool == "node" or is_pooled(instance):
        return prices
    nodes = len(instance.cluster.nodes)
    return Prices(np.repeat(prices.units[:, None], nodes, axis=1), prices.scale, "node")


def sensitivity(instance: Instance, result: Result) -> Sensitivity:
    """Return the dual side of an answer that has a schedule and prices.

    Parameters
    ----------
    instance : Instance
    result : Result
        Of `solve`, or of another method with a schedule and prices.

    Raises
    ------
    ValueError
        If the answer has no prices or no schedule.

    Examples
    --------
    >>> from hadaropt import Cluster, Instance, Job, sensitivity, solve
    >>> from hadaropt.utility import Linear
    >>> jobs = [Job(name, 0, 1, 1, {"V100": 1}, Linear(4, 1)) for name in "ab"]
    >>> instance = Instance(Cluster.of({"n0": {"V100": 1}}), jobs, 2, round_seconds=1)
    >>> found = sensitivity(instance, solve(instance))
    >>> found.slackness().total == found.dual.value - found.value
    True
    """
    check_type("instance", instance, Instance, "sensitivity(instance, result)")
    check_type("result", result, Result, "solve(instance) returns one")
    return Sensitivity(instance, result)
