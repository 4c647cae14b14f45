"""What one job can do in one round, and its least cost at given prices: exact, vectorised.

An option set holds K progress values and their least costs in every round. Costs are integers in
units of ``1 / scale``; a Python-integer (object) array is used where 64 bits might not hold a sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hadaropt.errors import LimitError
from hadaropt.instance import Instance

IntArray = NDArray[Any]
"""int64, or object holding Python integers."""

WORD = 2**62
"""Sums of costs below this are held in 64 bits; larger ones in Python integers."""

MAX_COPY_STATES = 20_000
MAX_DENOMINATOR_BITS = 200_000


@dataclass(frozen=True)
class ExactPrices:
    """Prices over a common denominator.

    Attributes
    ----------
    units : ndarray
        Shape (T, R) for ``pool="type"``, (T, H, R) for ``pool="node"``; price = units / scale.
    scale : int
    by_node : bool
    unavailable : int
        Cost of an option that does not exist in a round; above every sum of costs.
    """

    units: IntArray
    scale: int
    by_node: bool
    unavailable: int

    @classmethod
    def of(
        cls,
        instance: Instance,
        prices: Mapping[tuple[int, ...], Fraction],
        *,
        by_node: bool,
        tolls: Iterable[Fraction] = (),
    ) -> ExactPrices:
        """Return the prices of a sparse mapping (t, r) or (t, h, r) -> price; absent means 0.

        ``tolls`` are further charges that a job may have to pay, all of them at the most.
        """
        cluster = instance.cluster
        shape: tuple[int, ...] = (instance.num_rounds, len(cluster.accelerators))
        if by_node:
            shape = (shape[0], len(cluster.nodes), shape[1])
        extra = tuple(tolls)
        scale = _common_denominator((*prices.values(), *extra))
        largest = max((price * scale for price in prices.values()), default=Fraction(0))
        gang = max((job.gang_size for job in instance.jobs), default=1) * len(cluster.nodes)
        most = int(largest * gang * instance.num_rounds + sum(extra) * scale)
        fits = most < WORD // 2
        units = np.zeros(shape, dtype=np.int64 if fits else object)
        for place, price in prices.items():
            units[place] = price.numerator * (scale // price.denominator)
        return cls(units, scale, by_node, WORD if fits else 4 << most.bit_length())

    def capacity_cost(self, instance: Instance) -> Fraction:
        """Return sum c k over all rounds, exactly."""
        cluster = instance.cluster
        capacity = np.array(
            cluster.capacity if self.by_node else cluster.pooled_capacity, dtype=object
        )
        total = (self.units.astype(object) * capacity).sum() if self.units.size else 0
        return Fraction(int(total), self.scale)


def _common_denominator(numbers: Iterable[Fraction]) -> int:
    """Return the least common denominator of prices.

    Raises
    ------
    LimitError
        If it is too long: every sum of costs would be.
    """
    scale = 1
    for number in numbers:
        scale = lcm(scale, number.denominator)
        if scale.bit_length() > MAX_DENOMINATOR_BITS:
            raise LimitError(
                f"the prices: their common denominator has more than {MAX_DENOMINATOR_BITS} bits"
            )
    return scale


@dataclass(frozen=True)
class Options:
    """Options of a job in every round.

    Attributes
    ----------
    progress : tuple of int
        K distinct progress values, decreasing, all > 0.
    cost : ndarray, shape (T, K)
        Least cost of making that progress in that round.
    unavailable : int
        The cost where it is impossible; above every sum of costs.
    """

    progress: tuple[int, ...]
    cost: IntArray
    unavailable: int


Charge = Callable[[int | None, tuple[int, ...]], Mapping[int, int]]
"""(node of a copy or None for the only gang, admitted types) -> round -> further units of cost."""


def charged(cost: IntArray, more: Mapping[int, int]) -> IntArray:
    """Return the cost by round with further charges in some rounds."""
    if more:
        cost = cost.copy()
        for t, units in more.items():
            cost[t] += units
    return cost


def fill_cost(prices: IntArray, capacity: Sequence[int], gang_size: int) -> IntArray | None:
    """Return the least cost of ``gang_size`` GPUs per round, cheapest first within capacity.

    Parameters
    ----------
    prices : ndarray, shape (T, K)
        Unit prices of K resources.
    capacity : sequence of K ints

    Returns
    -------
    ndarray, shape (T,), or None if the resources together hold fewer GPUs.
    """
    if sum(capacity) < gang_size:
        return None
    if len(capacity) == 1:
        return prices[:, 0] * gang_size
    order = np.argsort(prices, axis=1, kind="stable")
    counts = np.minimum(np.array(capacity, dtype=np.int64), gang_size)[order]
    before = np.cumsum(counts, axis=1) - counts
    taken = np.clip(gang_size - before, 0, counts)
    cost: IntArray = (taken * np.take_along_axis(prices, order, axis=1)).sum(axis=1)
    return cost


def levels_of(instance: Instance, j: int) -> dict[tuple[int, ...], int]:
    """Return admitted types -> a slowest type, for every level of job j."""
    usable = [r for r, x in enumerate(instance.throughput[j]) if x > 0]
    if instance.parallelism == "single_type":
        return {(r,): r for r in usable}
    return {instance.admitted(j, r): r for r in usable}


def slows(instance: Instance, j: int, types: tuple[int, ...], h: int) -> bool:
    """Return whether a copy of job j on node h can be as slow as the level of these types.

    Then the node holds a GPU of the slowest of them.
    """
    speed, row = instance.throughput[j], instance.cluster.capacity[h]
    slowest = min(speed[r] for r in types)
    return any(row[r] > 0 and speed[r] == slowest for r in types)


def gang_progress(instance: Instance, j: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the progress of job j as one gang by slowest type: inside a node, and anywhere.

    A gang of one GPU cannot span nodes, so it is nowhere slowed.
    """
    whole = instance.progress(j)
    return whole, instance.progress(j, spread=True) if instance.jobs[j].gang_size > 1 else whole


class OptionTable:
    """Options of the jobs of an instance at fixed prices; shared between jobs of equal shape."""

    def __init__(self, instance: Instance, prices: ExactPrices) -> None:
        self.instance, self.prices = instance, prices
        self._fills: dict[tuple[object, ...], IntArray | None] = {}
        self._options: dict[tuple[object, ...], Options] = {}
        self._allocations: dict[
            tuple[object, ...], list[tuple[int, IntArray, tuple[int, ...] | None]]
        ] = {}
        self._relaxed: set[tuple[object, ...]] = set()
        kinds: dict[tuple[int, ...], int] = {}
        for h, row in enumerate(instance.cluster.capacity):
            kinds.setdefault((h, *row) if prices.by_node else row, h)
        self._distinct_nodes = tuple(kinds.values())

    def shape(self, j: int) -> tuple[object, ...]:
        """Return a key that is equal for jobs with equal options."""
        instance, job = self.instance, self.instance.jobs[j]
        return (
            job.gang_size,
            instance.throughput[j],
            job.spread_factor,
            instance.max_copies(j),
            self.cap(j),
        )

    def cap(self, j: int) -> int | None:
        """Return the progress beyond which runs of copies are not told apart, or None.

        The iterations of the job where the copies could otherwise be counted in too many ways.
        """
        most = self.instance.max_copies(j)
        if most < 2:
            return None
        levels = len(self._copy_levels(j))
        many = comb(most + levels, levels) > MAX_COPY_STATES
        return self.instance.jobs[j].iterations if many else None

    def options(self, j: int) -> Options:
        """Return the options of job j."""
        key = self.shape(j)
        if key not in self._options:
            self._options[key] = self.merged(
                (progress, cost) for progress, cost, _ in self.allocations(j)
            )
        return self._options[key]

    def allocations(self, j: int) -> Iterable[tuple[int, IntArray, tuple[int, ...] | None]]:
        """Yield (progress, cost, admitted types) of every way of job j to run in a round.

        The admitted types are those of the level of a gang; None for several copies.
        """
        key = self.shape(j)
        if key not in self._allocations:
            self._allocations[key] = list(self._raw(j))
        return self._allocations[key]

    def merged(self, raw: Iterable[tuple[int, IntArray]]) -> Options:
        """Return options with distinct progress, decreasing, each at its least cost."""
        best: dict[int, IntArray] = {}
        for progress, cost in raw:
            if progress > 0:
                best[progress] = np.minimum(best[progress], cost) if progress in best else cost
        values = tuple(sorted(best, reverse=True))
        if values:
            cost = np.stack([best[p] for p in values], axis=1)
        else:
            cost = np.zeros((self.instance.num_rounds, 0), dtype=self.prices.units.dtype)
        return Options(values, cost, self.prices.unavailable)

    def _raw(self, j: int) -> Iterable[tuple[int, IntArray, tuple[int, ...] | None]]:
        instance, gang = self.instance, self.instance.jobs[j].gang_size
        whole, apart = gang_progress(instance, j)
        for types, r in levels_of(instance, j).items():
            anywhere = self._anywhere(types, gang)
            if anywhere is None:
                continue
            yield apart[r], anywhere, types
            if whole[r] > apart[r]:
                for h in self._distinct_nodes:
                    inside = self._inside(h, types, gang)
                    if inside is not None:
                        yield whole[r], inside, types
        if instance.max_copies(j) >= 2:
            yield from ((progress, cost, None) for progress, cost in self.copies(j))

    def relaxed(self, j: int) -> bool:
        """Return whether the progress of several copies of job j may be overstated."""
        self.allocations(j)
        return self.shape(j) in self._relaxed

    def surely(self, j: int) -> Options:
        """Return options that job j truly has: all of them, without copies where it is relaxed."""
        if not self.relaxed(j):
            return self.options(j)
        ways = self.allocations(j)
        return self.merged((gain, cost) for gain, cost, types in ways if types is not None)

    def _copy_levels(self, j: int) -> list[tuple[int, tuple[int, ...]]]:
        reduced = self.instance.progress(j, copies=True)
        levels = levels_of(self.instance, j).items()
        return [(reduced[r], types) for types, r in levels if reduced[r] > 0]

    def _inside(self, h: int, types: tuple[int, ...], gang: int) -> IntArray | None:
        key = (h, types, gang)
        if key not in self._fills:
            units = self.prices.units[:, h, :] if self.prices.by_node else self.prices.units
            row = self.instance.cluster.capacity[h]
            columns = list(types)
            self._fills[key] = fill_cost(units[:, columns], [row[r] for r in types], gang)
        return self._fills[key]

    def _anywhere(self, types: tuple[int, ...], gang: int) -> IntArray | None:
        key = (None, types, gang)
        if key not in self._fills:
            cluster, columns = self.instance.cluster, list(types)
            units = self.prices.units
            if self.prices.by_node:
                units = units[:, :, columns].reshape(units.shape[0], -1)
                counts = [row[r] for row in cluster.capacity for r in types]
            else:
                units = units[:, columns]
                counts = [cluster.pooled_capacity[r] for r in types]
            self._fills[key] = fill_cost(units, counts, gang)
        return self._fills[key]

    def copies(self, j: int, charge: Charge | None = None) -> Iterable[tuple[int, IntArray]]:
        """Yield (progress, cost) of every way to run 2 .. max_copies copies on distinct nodes.

        ``charge`` says what a copy on a node at a level costs besides its GPUs, by round.
        Exact by a recursion over nodes with states (copies, progress); copies beyond two are not
        counted where every node may have one. Where the states are too many, nodes may be used
        twice: a relaxation, its costs never too high. Copies without progress are left out: without
        them a job does no worse (lemma ``lean_value`` of ``proofs/coq``). So are levels whose
        slowest type a node does not hold: a copy there is faster (lemma ``slowed_found``).
        """
        instance, gang = self.instance, self.instance.jobs[j].gang_size
        most = instance.max_copies(j)
        levels = self._copy_levels(j)
        usable = [
            [(i, fill if charge is None else charged(fill, charge(h, types)))
             for i, (_, types) in enumerate(levels)
             if slows(instance, j, types, h)
             and (fill := self._inside(h, types, gang)) is not None]
            for h in range(len(instance.cluster.nodes))
        ]  # fmt: skip
        usable = [choices for choices in usable if choices]
        most = min(most, len(usable))
        if most < 2:
            return
        enough, cap = (2 if most == len(usable) else most), self.cap(j)
        start = np.zeros(instance.num_rounds, dtype=self.prices.units.dtype)
        states: dict[tuple[int, int], IntArray] = {(0, 0): start}
        for choices in usable:
            grown = dict(states)
            for (copies, progress), cost in states.items():
                if copies == most:
                    continue
                for i, fill in choices:
                    made = progress + levels[i][0]
                    to = min(enough, copies + 1), made if cap is None else min(cap, made)
                    new = cost + fill
                    grown[to] = np.minimum(grown[to], new) if to in grown else new
            states = grown
            if len(states) > MAX_COPY_STATES:
                self._relaxed.add(self.shape(j))
                yield from self._relaxed_copies(levels, usable, most)
                return
        for (copies, progress), cost in states.items():
            if copies >= 2:
                yield progress, cost

    def _relaxed_copies(
        self,
        levels: list[tuple[int, tuple[int, ...]]],
        usable: list[list[tuple[int, IntArray]]],
        most: int,
    ) -> Iterable[tuple[int, IntArray]]:
        """Yield optimistic (progress, cost): c copies, all at the fastest and all at least cost."""
        everywhere = [fill for choices in usable for _, fill in choices]
        cheapest = np.minimum.reduce(everywhere)
        fastest = max(progress for progress, _ in levels)
        for copies in range(2, most + 1):
            yield copies * fastest, copies * cheapest
