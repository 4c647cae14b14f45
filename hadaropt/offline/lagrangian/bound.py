"""The Lagrangian bound: min over prices k >= 0 of D(k) = sum_j mu*_j(k) + sum c k."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.errors import USE_ILP, check_type, limited
from hadaropt.instance import Instance
from hadaropt.interrupts import interrupted_once
from hadaropt.mip.model import Floats, Ints
from hadaropt.offline.clock import Clock
from hadaropt.offline.known import Known
from hadaropt.offline.lagrangian.job_table import JobTable, finer_table, job_table
from hadaropt.offline.lagrangian.params import LagrangianParams
from hadaropt.offline.lagrangian.pricing_workers import pricing_workers
from hadaropt.offline.lagrangian.shard import Shard
from hadaropt.offline.lagrangian.subgradient import Search
from hadaropt.offline.lagrangian.workers import OneThread, Workers
from hadaropt.offline.spare import without_spare
from hadaropt.pricing import dual_bound
from hadaropt.results import Prices, Result, Status, Termination, Timings

EVALUATION_OPERATIONS = 50_000
"""What an evaluation of the dual counts for in a limit of work, beside the work on its jobs."""


@dataclass(frozen=True)
class _Stage:
    """One descent: on every so many-th job, on tables of some detail, down to a tolerance."""

    every: int
    detail: int
    tolerance: float
    drop: float


@dataclass(frozen=True)
class Evaluation:
    """D at integer prices, and a subgradient.

    Attributes
    ----------
    bound : int
        Upper bound on D(k) times scale, hence on the optimum.
    excess : (T, R) int64
        Capacity minus the use of all best schedules: a subgradient.
    """

    bound: int
    excess: Ints


class Oracle:
    """Evaluates D at prices of types; unless jobs may run as copies, every value is a bound.

    Parameters
    ----------
    instance : Instance
    table : JobTable
        With progress rounded up for bounds.
    copies : int
        How many jobs each job of the table stands for (then the value is no bound).
    workers : Workers, optional
        Who prices the jobs; this thread by default.
    """

    def __init__(
        self,
        instance: Instance,
        table: JobTable,
        copies: int = 1,
        workers: Workers | None = None,
    ) -> None:
        cluster = instance.cluster
        self.capacity = np.array(cluster.pooled_capacity, np.int64)
        self._weight = copies
        self._shard = Shard(table, instance.num_rounds, len(cluster.accelerators))
        self._pricing = (OneThread() if workers is None else workers).share(self._shard)
        self.operations = EVALUATION_OPERATIONS + int(self._shard.operations().sum())

    @property
    def table(self) -> JobTable:
        """The jobs."""
        return self._shard.table

    @property
    def payoff(self) -> Ints:
        """Payoff times scale of every job at the last prices; not of jobs priced elsewhere."""
        return self._shard.payoff

    @property
    def finish(self) -> Ints:
        """Flow time of every job's best schedule at the last prices, or -1; as for `payoff`."""
        return self._shard.finish

    def __call__(self, units: Ints) -> Evaluation:
        """Return D at prices ``units / scale``."""
        total, used = self._pricing(units)
        held = sum(int(c) * int(k) for c, k in zip(self.capacity, units.sum(axis=0), strict=True))
        weight = self._weight
        return Evaluation(weight * total + held, self.capacity - weight * used)

    def narrowed(self, rows: Ints) -> Oracle:
        """Return the oracle of some jobs (increasing rows of the table); it shares work space."""
        other = copy.copy(self)
        other._shard = self._shard.subset(rows)
        other._pricing = other._shard.price
        other.operations = self.operations * len(rows) // max(1, len(self.table))
        return other

    def within(self, units: Ints, free: Ints) -> tuple[float, Floats]:
        """Return D times scale (rounded) and a subgradient for free capacities (T, R)."""
        total, used = self._pricing(units)
        held = float((free * units.astype(np.float64)).sum())
        left = free - self._weight * used
        return self._weight * float(total) + held, left.astype(np.float64)


class Lagrangian:
    """A search for the best prices of one instance, and the best bound proved so far.

    `run` may be called again: it goes on where it stopped.

    Parameters
    ----------
    instance : Instance
    start : Prices, optional
        To begin with; zero by default.
    clock : Clock, optional
    params : LagrangianParams, optional
    workers : Workers, optional
        Who prices the jobs; the answer does not depend on it, but where time is limited.

    Attributes
    ----------
    table : JobTable
    units : (T, R) int64
        Prices of the best bound, in units of 1 / ``table.scale``.
    bound : Fraction
        Proven: OPT <= bound.
    history : list of (seconds, None, bound)
    """

    @limited("the tables of the dual search", USE_ILP)
    def __init__(
        self,
        instance: Instance,
        *,
        start: Prices | None = None,
        clock: Clock | None = None,
        params: LagrangianParams | None = None,
        workers: Workers | None = None,
    ) -> None:
        self.workers = workers
        self.begin = time.perf_counter()
        self.params = params = LagrangianParams() if params is None else params
        self.instance = instance
        self.clock = Clock() if clock is None else clock
        instance.check_size()
        self.copies = any(instance.max_copies(j) > 1 for j in range(len(instance.jobs)))
        self.table = job_table(instance)
        self._fine: JobTable | None = None
        self.scale = self.table.scale
        # Prices on a coarser grid than worths: keys of pricing need the bits.
        self._grid = 1 << max(0, min(12, self.scale.bit_length() - 20))
        shape = (instance.num_rounds, len(instance.cluster.accelerators))
        self.units = np.zeros(shape, np.int64)
        self.bound: Fraction | None = None
        self.history: list[tuple[float, Fraction | None, Fraction | None]] = []
        first = np.zeros(shape) if start is None else _type_prices(start, shape)
        self.search = Search(first, drop=params.subgradient.first_drop, params=params.subgradient)
        self.stages = self._stages() if start is None else self._stages()[-1:]
        self.assembled = time.perf_counter()

    def _stages(self) -> list[_Stage]:
        """Descents that follow on each other: on samples of the jobs, on coarse and fine tables."""
        params = self.params
        sampled, coarse = params.sample_tolerance, params.coarse_tolerance
        stages = [
            _Stage(every, 1, sampled, sampled * params.drop_factor)
            for every in params.samples
            if len(self.table) >= every * params.least_sample
        ]
        if not self.table.exact.all():
            stages.append(_Stage(1, 1, coarse, coarse * params.drop_factor))
            return [*stages, _Stage(1, params.fine, params.tolerance, coarse)]
        return [*stages, _Stage(1, 1, params.tolerance, coarse * params.drop_factor)]

    @limited("the dual search", USE_ILP)
    def run(
        self,
        *,
        seconds: float = math.inf,
        target: Fraction | float | None = None,
        settle: bool = True,
    ) -> Termination:
        """Search for better prices; return why it stopped.

        Parameters
        ----------
        seconds : float
            From now on; one evaluation is always made.
        target : number, optional
            Stop once the bound is at most this.
        settle : bool
            Whether to evaluate the bound on finer tables at the end.
        """
        end = last = self.clock.part(seconds)
        if settle and not self.copies and not self.table.exact.all() and end.limited:
            last = end.part((1 - self.params.settle_share) * end.left())

        def reached() -> bool:
            return self.bound is not None and target is not None and self.bound <= target

        def stop() -> bool:
            return last.over() or reached()

        interrupted = False
        try:
            while self.stages:
                stage = self.stages[0]
                if not self._descend(stage, stop):
                    break
                self.stages.pop(0)
                if self.stages:
                    self.search.drop = max(self.search.drop, self.stages[0].drop)
        except KeyboardInterrupt:
            interrupted = True
        if self.copies:
            self._settle_copies()
        elif settle:
            self._settle(end)
        if interrupted:
            return Termination.INTERRUPTED
        if reached():
            return Termination.TARGET
        return end.reached() if self.stages else Termination.OPTIMAL

    def _descend(self, stage: _Stage, stop: Callable[[], bool]) -> bool:
        table = self._finer(stage.detail)
        if stage.every > 1:
            table = table.sample(stage.every)
        oracle = Oracle(self.instance, table, stage.every, self.workers)

        def function(prices: Floats) -> tuple[float, Floats]:
            self.clock.spend(oracle.operations)
            units = self.to_units(prices)
            found = oracle(units)
            if stage.every == 1:
                self._note(units, found.bound)
            return found.bound / self.scale, found.excess.astype(np.float64)

        done = self.search.run(function, stage.tolerance, stop)
        if not done and stage.every > 1:
            self._note_exact(self.search.prices)
        return done

    def _finer(self, detail: int) -> JobTable:
        """Return the table of that detail, or the coarse one where it would be too wide."""
        if detail == 1 or self.table.exact.all():
            return self.table
        if detail == self.params.fine and self._fine is not None:
            return self._fine
        entries = self.params.table_entries
        table = finer_table(self.instance, "up", detail, entries) or self.table
        if detail == self.params.fine:
            self._fine = table
        return table

    def _note(self, units: Ints, value: int) -> None:
        bound = Fraction(value, self.scale)
        if not self.copies and (self.bound is None or bound < self.bound):
            self.bound, self.units = bound, units
            self.history.append((time.perf_counter() - self.begin, None, bound))

    def to_units(self, prices: Floats) -> Ints:
        """Return prices in units of 1 / scale, rounded to the grid."""
        found = np.rint(prices * (self.scale // self._grid)).astype(np.int64) * self._grid
        return np.ascontiguousarray(found)

    def _note_exact(self, prices: Floats) -> None:
        """Evaluate the bound of all jobs at the prices of a sample."""
        units = self.to_units(prices)
        self._note(units, Oracle(self.instance, self.table, 1, self.workers)(units).bound)

    def _settle(self, end: Clock) -> None:
        """Evaluate the bound at the best prices as exactly as it pays."""
        took = 0.0
        for detail in self.params.finest:
            begin, before = end.seconds(), self.bound
            # Each detail takes about four times as long as the one before.
            if self.table.exact.all() or before is None or 4 * took >= end.left():
                return
            table = self._finer(detail)
            if table is self.table:
                return
            oracle = Oracle(self.instance, table, 1, self.workers)
            self.clock.spend(oracle.operations)
            self._note(self.units, oracle(self.units).bound)
            assert self.bound is not None  # it was known before
            if before - self.bound <= before * self.params.tolerance or table.exact.all():
                return
            took = end.seconds() - begin

    def _settle_copies(self) -> None:
        """Evaluate the bound over copies of all kinds, by pricing job after job."""
        for units in (self.to_units(self.search.prices), np.zeros_like(self.units)):
            if self.bound is not None and self.clock.over():
                return
            found = dual_bound(self.instance, self.prices(units)).value
            if self.bound is None or found < self.bound:
                self.bound, self.units = found, units
                self.history.append((time.perf_counter() - self.begin, None, found))

    def prices(self, units: Ints | None = None) -> Prices:
        """Return prices (the best ones by default) for everybody else."""
        found = self.units if units is None else units
        return Prices(found // self._grid, Fraction(self.scale // self._grid))

    def result(self, termination: Termination) -> Result:
        """Return the answer."""
        assert self.bound is not None  # an evaluation was made
        total = time.perf_counter() - self.begin
        assembling = self.assembled - self.begin
        return Result(
            method="lagrangian",
            termination=termination,
            status=Status.BOUND,
            bound=self.bound,
            prices=self.prices(),
            raw_status=f"{self.search.evaluations} evaluations",
            timings=Timings(assembling, total - assembling, 0.0),
            history=tuple(self.history),
        )


def _type_prices(start: Prices, shape: tuple[int, ...]) -> Floats:
    """Return prices per type: of prices per node, the mean over nodes."""
    units = start.units.astype(np.float64) / float(start.scale)
    if start.pool == "node":
        units = units.mean(axis=1)
    if units.shape != shape:
        raise ValueError(f"start has prices of shape {units.shape}, must be {shape}")
    return np.ascontiguousarray(units)


@without_spare
def lagrangian_bound(
    instance: Instance,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    target: Fraction | float | None = None,
    start: Prices | None = None,
    threads: int | None = None,
    dask: str | None = None,
    params: LagrangianParams | None = None,
) -> Result:
    """Return prices with a small D(k) and that bound, exactly.

    ``D(k) = sum_j mu*_j(k) + sum c k >= OPT`` for any prices k >= 0 of types (theorem T2); its
    minimum is the value of the configuration LP. Found by deflected subgradient steps without any
    solver. Jobs of equal release and speeds share a table, no array has a row per job and round,
    and every evaluation is made in integers: progress that is too fine for a table is rounded up,
    ever more finely as the search converges.

    Parameters
    ----------
    instance : Instance
    time_limit : float, optional
        Seconds; one evaluation is always made.
    work_limit : int, optional
        Units of work, see `hadaropt.offline.clock`: the answer is the same on every run.
    target : number, optional
        Stop once the bound is at most this.
    start : Prices, optional
        Prices to start from; zero by default.
    threads : int, optional
        Threads that price jobs; 1 by default. The answer does not depend on it unless time is
        limited.
    dask : str, optional
        Address of a Dask cluster whose workers price jobs instead. What a lost worker held goes to
        the others, or comes back to this process.
    params : LagrangianParams, optional
        What can be tuned.

    Returns
    -------
    Result
        Method ``lagrangian``, status ``bound``. ``bound`` is a Fraction, ``prices`` are on types.
        ``termination`` is ``optimal`` (converged), ``target``, ``time_limit``,
        ``work_limit`` or ``interrupted`` (before the first evaluation: with the bound that every
        job completes at its release).

    Raises
    ------
    LimitError
        If the utilities are too large for sums in 64 bits.
    ClusterError
        If no cluster answers, it has no worker, or its workers have another hadaropt.

    Examples
    --------
    >>> from hadaropt import Cluster, Instance, Job
    >>> from hadaropt.utility import Linear
    >>> job = Job("a", 0, 1, 10, {"V100": 5}, Linear(3, 1))
    >>> instance = Instance(Cluster.of({"n": {"V100": 1}}), (job,), 3, 1)
    >>> float(lagrangian_bound(instance).bound)
    2.0
    """
    params = LagrangianParams() if params is None else params
    check_type("params", params, LagrangianParams)
    clock = Clock(time_limit, work_limit)
    known, work = Known(instance, "lagrangian"), None
    with interrupted_once():
        try:
            with pricing_workers(threads, dask, clock.left) as workers:
                work = Lagrangian(
                    instance, start=start, clock=clock, params=params, workers=workers
                )
                ended = work.run(seconds=clock.left(), target=target)
        except KeyboardInterrupt:
            ended = Termination.INTERRUPTED
        if work is None or (ended == Termination.INTERRUPTED and work.bound is None):
            return known.best(ended)
        return work.result(ended)
