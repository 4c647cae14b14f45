"""Many jobs priced, decided and booked in order of arrival, on pooled types under linear charges.

This is the algorithm of the online primal-dual run, without any array of jobs x rounds: runs of
jobs whose progress fits a table go through one kernel, the others through `Pricer`. Both take the
same decisions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from hadaropt.instance import Instance
from hadaropt.kernels.pricing import batch
from hadaropt.modes import is_pooled
from hadaropt.pricing.cover import DENSE_UNITS, INF
from hadaropt.pricing.encoding import Rows
from hadaropt.pricing.model import Ints, gang_levels, to_units
from hadaropt.pricing.pricer import Pricer
from hadaropt.pricing.worth import Code, encode

_TABLE_ENTRIES = 2**21
_CHUNK = 20_000


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

    def plans(self) -> list[list[tuple[int, tuple[int, ...]]]]:
        """Return (round, units of each type) of every job, by job index."""
        found: list[list[tuple[int, tuple[int, ...]]]] = [[] for _ in range(len(self.completion))]
        for jobs, start, rounds, use in self._chunks:
            for k, j in enumerate(jobs):
                for e in range(start[k], start[k + 1]):
                    found[j].append((int(rounds[e]), tuple(int(w) for w in use[e])))
        return found


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
    prices = np.ascontiguousarray(tables[table_of, :, 0])
    done = Arrivals(
        np.full(total, -1, np.int64),
        np.zeros(total, np.int64),
        {},
        np.zeros((rounds, types), np.int64),
        prices,
    )
    pricer = Pricer(instance, scale)
    encoder = _Encoder(instance, Fraction(scale))
    limit = int(tables.max(initial=0))

    def flush(chunk: Rows) -> Rows:
        if chunk.jobs:
            _run(chunk, types, tables, table_of, capacity, done)
        return Rows()

    chunk = Rows()
    for j in jobs:
        found = encoder.encode(j, limit)
        if found is None:
            chunk = flush(chunk)
            _one(pricer, j, tables, table_of, capacity, done)
        elif found[1].last > 0:
            need, code, further = found
            chunk.add(j, instance.jobs[j].gang_size, need, code, *further)
            if len(chunk.jobs) >= _CHUNK or chunk.entries >= _TABLE_ENTRIES:
                chunk = flush(chunk)
    flush(chunk)
    return done


class _Encoder:
    """Rows of jobs for the kernel; what jobs of equal speeds share is computed once."""

    def __init__(self, instance: Instance, scale: Fraction) -> None:
        self.instance, self.scale = instance, scale
        self._levels: dict[tuple[Fraction, ...], tuple[tuple[int, ...], tuple[int, ...]]] = {}
        self.types = len(instance.cluster.accelerators)

    def encode(self, j: int, dearest: int) -> tuple[int, Code, tuple[int, ...]] | None:
        """Return need, utility, and (release, progress, masks); None: it needs the slow path."""
        job, instance = self.instance.jobs[j], self.instance
        speeds = instance.throughput[j]
        if speeds not in self._levels:
            levels = gang_levels(instance, j)
            masks = [sum(1 << int(r) for r in np.flatnonzero(row)) for row in levels.admitted]
            blank = (0,) * (self.types - len(masks))
            self._levels[speeds] = ((*blank, *levels.progress), (*blank, *masks))
        progress, masks_ = self._levels[speeds]
        whole = job.iterations
        divisor = math.gcd(*(p for p in progress if p < whole)) or whole
        need = -(-whole // divisor)
        if need > DENSE_UNITS or self.types > 60:
            return None
        horizon = max(0, instance.num_rounds - job.release)
        code = encode(job.utility, whole, instance.round_seconds, self.scale, horizon)
        peak = job.utility.value(1, whole, instance.round_seconds) * self.scale
        # Keys are charge * (T + 1) + gangs; up to eight of them are added (see `Pricer.worth`).
        # A charge is computed before it is compared with the peak.
        sums = max((int(peak) + 1) * 8 * (instance.num_rounds + 1), job.gang_size * dearest)
        if sums >= INF:
            return None
        units = to_units(progress, whole, divisor)
        return need, code, (job.release, *map(int, units), *masks_)


def _run(
    chunk: Rows, types: int, tables: Ints, table_of: Ints, capacity: Ints, done: Arrivals
) -> None:
    """Run the kernel on a chunk."""
    completion, charge, start, plan_round, plan_use = batch.arrivals(
        chunk.further(0, 1).ravel(),
        chunk.column("gang"),
        chunk.column("need"),
        chunk.further(1, types),
        chunk.further(1 + types, types)[..., None] >> np.arange(types) & 1 > 0,
        chunk.column("kind"),
        chunk.parameters(),
        chunk.column("last"),
        *chunk.tables(),
        np.ascontiguousarray(tables),
        np.ascontiguousarray(table_of),
        capacity,
        done.used,
        done.prices,
    )
    done.completion[chunk.jobs] = completion
    done.charge[chunk.jobs] = charge
    done._chunks.append((chunk.jobs, start, plan_round, plan_use))


def _one(
    pricer: Pricer, j: int, tables: Ints, table_of: Ints, capacity: Ints, done: Arrivals
) -> None:
    """Price, decide and book one job without the kernel."""
    best = pricer.price(j, done.prices, free=capacity - done.used)
    pricer.forget(j)
    if best.slack:
        done.slack[j] = best.slack
    if best.completion is None:
        return
    done.completion[j] = best.completion
    done.charge[j] = int(best.cost * pricer.scale)
    rounds = np.array([choice.round for choice in best.rounds], np.int64)
    use = np.array([choice.use for choice in best.rounds], np.int64)
    done.used[rounds] += use
    types = np.arange(use.shape[1])
    done.prices[rounds] = tables[table_of[rounds][:, None], types[None], done.used[rounds]]
    done._chunks.append(([j], np.array([0, len(rounds)]), rounds, use))
