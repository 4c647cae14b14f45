"""Insertion in batches at prices that follow what is left of the jobs and of the capacity.

Prices of the whole instance are no guide to the end: jobs to which several plans are worth the same
all take the same one. So after each batch the prices are corrected for the remaining jobs and the
free capacity by a few dual steps, as in linear programming with arrivals in a random order, where
re-solving keeps the loss small however many there are (Agrawal, Wang and Ye, 2014,
doi:10.1287/opre.2013.1237; Li and Ye, 2022, doi:10.1287/opre.2021.2164).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from hadaropt.mip.model import Floats, Ints
from hadaropt.offline.lagrangian.bound import Lagrangian, Oracle
from hadaropt.offline.lagrangian.job_table import job_table
from hadaropt.offline.lagrangian.subgradient import Search
from hadaropt.offline.lns.insertion import Insertion
from hadaropt.offline.lns.params import BatchParams, Effort


def orders(state: Insertion, seed: int, noise: float = BatchParams.noise) -> Iterator[Ints]:
    """Yield orders of insertion without end: large gangs first, else dense or random jobs first.

    The last jobs fill what the others leave, and small ones do that best.

    Parameters
    ----------
    state : Insertion
    seed : int
    noise : float
        Standard deviation of the noise on the logarithm of the keys.
    """
    rng = np.random.default_rng(seed)
    jobs, n = state.jobs, len(state.table)
    while True:
        for key in (-np.log(np.maximum(jobs.density, 1e-300)), np.zeros(n)):
            yield np.lexsort((key + noise * rng.standard_normal(n), -jobs.gang))


class Resolving:
    """Builds schedules by insertion with re-solved prices.

    Parameters
    ----------
    state : Insertion
    relaxation : Lagrangian
        Gives the first prices.
    params : BatchParams, optional
    """

    def __init__(
        self, state: Insertion, relaxation: Lagrangian, params: BatchParams | None = None
    ) -> None:
        self._state, self._relaxation = state, relaxation
        self._params = BatchParams() if params is None else params
        # Estimates need no fine table if they are not biased.
        table = state.table
        if not table.exact.all():
            table = job_table(state.instance, rounding="nearest")
        self._oracle = Oracle(state.instance, table)
        place = np.full(len(state.instance.jobs), -1, np.int64)
        place[table.index] = np.arange(len(table))
        self._place = place[state.table.index]

    def build(self, order: Ints, effort: Effort, stop: Callable[[], bool]) -> bool:
        """Build a schedule of the jobs (rows of the table) in that order.

        Once `stop` returns True the rest is inserted at the prices reached; return whether it never
        did.
        """
        state = self._state
        state.clear()
        prices = self._relaxation.units / self._relaxation.scale
        begin = 0
        while begin < len(order):
            if begin > 0:
                prices = self._corrected(prices, order[begin:], effort.evaluations)
            stopped = stop()
            size = max(self._params.least_batch, math.floor((len(order) - begin) * effort.share))
            end = len(order) if stopped else begin + size
            state.insert(order[begin:end], self._relaxation.to_units(prices))
            self._relaxation.clock.spend(state.operations * (end - begin))
            if stopped:
                return False
            begin = end
        return True

    def _corrected(self, prices: Floats, rest: Ints, evaluations: int) -> Floats:
        """Return better prices for the remaining jobs and the free capacity."""
        rows = self._place[rest]
        oracle = self._oracle.narrowed(np.sort(rows[rows >= 0]))
        relaxation, free = self._relaxation, self._state.held.pooled

        def function(prices: Floats) -> tuple[float, Floats]:
            relaxation.clock.spend(oracle.operations)
            value, slope = oracle.within(relaxation.to_units(prices), free)
            return value / relaxation.scale, slope

        search = Search(prices, drop=self._params.drop, params=relaxation.params.subgradient)
        search.run(function, 0.0, lambda: search.evaluations >= evaluations)
        return search.prices
