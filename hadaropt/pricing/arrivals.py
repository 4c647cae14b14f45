"""Many jobs priced, decided and booked in order of arrival, on pooled types under linear charges.

This is the algorithm of the online primal-dual run, without any array of jobs x rounds: runs of
jobs go through one kernel, and the few of which the labels are too many, or the numbers too large,
through `Pricer`. Both take the same decisions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from hadaropt.instance import Instance
from hadaropt.kernels.pricing.arrivals import Market, price_jobs
from hadaropt.modes import is_pooled
from hadaropt.pricing.cover import LABEL_BUDGET
from hadaropt.pricing.encoding import PooledRows, PooledSpeeds
from hadaropt.pricing.model import Ints
from hadaropt.pricing.pricer import Pricer
from hadaropt.pricing.worth import encode_jobs

_TABLE_ENTRIES, _CHUNK = 2**19, 4000
"""Entries of tables of utilities, and jobs, of one call of the kernel: both bound its memory."""


class Plans(NamedTuple):
    """When jobs run, and on how many units; entries follow each other in the order of decision.

    Attributes
    ----------
    jobs : list of int
        The jobs in the order of decision.
    bounds : (jobs + 1,) int64
        Those of ``jobs[k]`` are entries bounds[k] .. bounds[k + 1] - 1.
    rounds : (entries,) int64
        Increasing within a job.
    use : (entries, R) int64
        Units of each type.
    """

    jobs: list[int]
    bounds: Ints
    rounds: Ints
    use: Ints


@dataclass
class Arrivals:
    """The decisions on jobs in order of arrival, and the state that they left.

    Attributes
    ----------
    completion : (J,) int64
        f_j, -1 if rejected.
    charge : (J,) int64
        What the schedule was charged, in units of 1 / scale.
    slack : dict of int to Fraction
        For jobs that were priced with rounded progress: the bound on what that may have missed.
    used, prices : (T, R) int64
        Units booked, and the prices at them.
    """

    completion: Ints
    charge: Ints
    slack: dict[int, Fraction]
    used: Ints
    prices: Ints
    _chunks: list[tuple[list[int], Ints, Ints, Ints]] = field(default_factory=list, repr=False)

    def plans(self) -> Plans:
        """Return the rounds and units of all jobs that were priced, in the order of decision."""
        jobs = [j for chunk in self._chunks for j in chunk[0]]
        lengths = [np.diff(start) for _, start, _, _ in self._chunks]
        bounds = np.concatenate([[0], *lengths]).cumsum()
        empty = np.empty(0, np.int64), self.used[:0]
        rounds = np.concatenate([empty[0], *(chunk[2] for chunk in self._chunks)])
        use = np.concatenate([empty[1], *(chunk[3] for chunk in self._chunks)])
        return Plans(jobs, bounds, rounds, use)


def price_arrivals(
    instance: Instance,
    tables: Ints,
    table_of: Ints,
    *,
    scale: int | Fraction,
    jobs: Sequence[int],
) -> Arrivals:
    """Price, decide and book jobs in the given order: accept iff the best payoff is > 0.

    Parameters
    ----------
    instance : Instance
        Pooled (`is_pooled`).
    tables : (K, R, units) int64
        Price of one unit of a type when g units are booked, in units of 1 / scale, >= 0 and
        non-decreasing in g, up to the largest capacity or the gangs of all jobs together.
        Every unit of a bundle pays the price before the bundle.
    table_of : (T,) int64
        Table of each round.
    scale : int or Fraction
        Number of price units in 1.
    jobs : sequence of int
        Job indices in order of arrival.

    Returns
    -------
    Arrivals
        The decisions of `price_job` at every arrival, ties included.

    Raises
    ------
    OverflowError
        If utility * scale is too large for exact sums in 64 bits.
    """
    if not is_pooled(instance):
        raise ValueError("the instance is not pooled: nodes matter to some job")
    rounds, total = instance.num_rounds, len(instance.jobs)
    types = len(instance.cluster.accelerators)
    capacity = np.array(instance.cluster.pooled_capacity, np.int64)
    demand = sum(instance.jobs[j].gang_size for j in jobs)
    most = min(int(capacity.max(initial=0)), demand)
    if tables.shape[1] != types or tables.shape[2] <= most:
        raise ValueError(f"tables has shape {tables.shape}, must be (K, {types}, > {most})")
    if (np.diff(tables, axis=2) < 0).any() or (tables < 0).any():
        raise ValueError("tables must be >= 0 and non-decreasing in the units booked")
    market = Market(
        np.ascontiguousarray(tables[table_of, :, 0]),
        np.repeat(capacity[None], rounds, axis=0),
        np.ascontiguousarray(tables),
        np.ascontiguousarray(table_of),
        capacity,
    )
    done = Arrivals(
        np.full(total, -1, np.int64),
        np.zeros(total, np.int64),
        {},
        np.zeros((rounds, types), np.int64),
        market.price,
    )
    pricer = Pricer(instance, scale)
    speeds = PooledSpeeds(instance)
    dearest = int(tables.max(initial=0))
    chunk = PooledRows(speeds)
    for j, code in encode_jobs(instance, jobs, pricer.scale):
        if not chunk.append(j, code, dearest):
            _run(chunk, pricer, market, done)
            chunk = PooledRows(speeds)
            _one(pricer, j, market, done)
        elif len(chunk.jobs) >= _CHUNK or chunk.entries >= _TABLE_ENTRIES:
            _run(chunk, pricer, market, done)
            chunk = PooledRows(speeds)
    _run(chunk, pricer, market, done)
    done.used[:] = capacity - market.free
    return done


def _run(chunk: PooledRows, pricer: Pricer, market: Market, done: Arrivals) -> None:
    """Run the kernel on a chunk; what it leaves out is priced alone."""
    jobs, size = np.array(chunk.jobs, np.int64), len(chunk.jobs)
    arrays = chunk.arrays() if size else None
    first = 0
    while arrays is not None and first < size:
        stopped, completion, charge, start, rounds, use = price_jobs(
            first, arrays, market, True, LABEL_BUDGET
        )
        decided = jobs[first:stopped]
        done.completion[decided] = completion[first:stopped]
        done.charge[decided] = charge[first:stopped]
        start, rounds, use = start[first : stopped + 1], _small(rounds), _small(use)
        done._chunks.append((chunk.jobs[first:stopped], start, rounds, use))
        if stopped < size:
            _one(pricer, chunk.jobs[stopped], market, done)
        first = stopped + 1


def _small(plan: Ints) -> Ints:
    """Return rounds or GPUs in half the space, if they fit: the plans of all jobs are kept."""
    return plan.astype(np.int32) if plan.max(initial=0) < 2**31 else plan


def _one(pricer: Pricer, j: int, market: Market, done: Arrivals) -> None:
    """Price, decide and book one job without the kernel."""
    best = pricer.price(j, market.price, free=market.free)
    pricer.forget(j)
    if best.slack:
        done.slack[j] = best.slack
    if best.completion is None:
        return
    done.completion[j] = best.completion
    done.charge[j] = int(best.cost * pricer.scale)
    rounds = np.array([choice.round for choice in best.rounds], np.int64)
    use = np.array([choice.use for choice in best.rounds], np.int64)
    market.free[rounds] -= use
    booked = market.capacity - market.free[rounds]
    types = np.arange(use.shape[1])
    market.price[rounds] = market.steps[market.row_of[rounds][:, None], types[None], booked]
    done._chunks.append(([j], np.array([0, len(rounds)]), rounds, use))
