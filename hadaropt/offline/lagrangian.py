"""The Lagrangian bound: min over prices k >= 0 of D(k) = sum_j mu*_j(k) + sum c k."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.instance import Instance
from hadaropt.kernels import lagrangian as kernel
from hadaropt.offline.job_table import JobTable, job_table
from hadaropt.offline.model import Floats, Ints
from hadaropt.offline.subgradient import Search
from hadaropt.pricing import dual_bound
from hadaropt.results import Prices, SolveResult, Timings

COARSE_TOLERANCE = 5e-4
TOLERANCE = 2e-6
FINE = 8
FINEST = (32, 128)
"""Details of the last tables: ever finer, as long as the bound gains from it."""
TABLE_ENTRIES = 2**26
"""Most entries of a table over progress."""


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
    """

    def __init__(self, instance: Instance, table: JobTable) -> None:
        self.instance, self.table = instance, table
        cluster = instance.cluster
        rounds, types = instance.num_rounds, len(cluster.accelerators)
        self.capacity = np.array(cluster.pooled_capacity, np.int64)
        ways = table.ways
        sizes = [len(way.rows) for way in ways]
        rows = [row for way in ways for row in way.rows]
        self._rows = np.array(rows, np.int64).reshape(-1, types)
        self._row_start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        self._gang = np.array([way.gang for way in ways], np.int64)
        self._picks = np.array([way.picks for way in ways], np.int64)
        self._cost = np.empty((len(ways), rounds), np.int64)
        self._use = np.empty((len(ways), rounds, types), np.int64)
        self._pad = int(table.gain.max(initial=0))
        self._space = np.empty((rounds + 1, table.width), np.int64)
        self._top = np.empty(rounds + 1, np.int64)
        self._active = np.empty(len(table), np.int64)
        self._used = np.zeros((rounds, types), np.int64)
        self.payoff = np.zeros(len(table), np.int64)
        self.finish = np.full(len(table), -1, np.int64)

    def __call__(self, units: Ints) -> Evaluation:
        """Return D at prices ``units / scale``."""
        t = self.table
        kernel.way_costs(
            units, self._row_start, self._rows, self._gang, self._picks, self._cost, self._use
        )
        total = kernel.relaxed(
            t.group_start, t.group_release, t.option_start, t.gain, t.way, self._cost, self._use,
            t.weight, t.need, t.kind, t.a, t.b, t.last, t.values, self._pad, self._space,
            self._top, self._active, self.payoff, self.finish, self._used,
        )  # fmt: skip
        held = sum(int(c) * int(k) for c, k in zip(self.capacity, units.sum(axis=0), strict=True))
        return Evaluation(int(total) + held, self.capacity - self._used)


class Lagrangian:
    """A search for the best prices of one instance, and the best bound proved so far.

    Attributes
    ----------
    units : (T, R) int64
        Prices of the best bound, in units of 1 / scale.
    scale : int
    bound : Fraction
        Proven: OPT <= bound.
    """

    def __init__(
        self,
        instance: Instance,
        *,
        time_limit: float | None = None,
        target: Fraction | float | None = None,
        start: Prices | None = None,
    ) -> None:
        if time_limit is not None and not time_limit >= 0:
            raise ValueError(f"time_limit = {time_limit}, must be >= 0 or None")
        self.begin = time.perf_counter()
        self.instance = instance
        self._limit = math.inf if time_limit is None else time_limit
        self._target = -math.inf if target is None else target
        self.copies = any(instance.max_copies(j) > 1 for j in range(len(instance.jobs)))
        self.table = job_table(instance)
        self.scale = self.table.scale
        # Prices on a coarser grid than worths: keys of pricing need the bits.
        self._grid = 1 << max(0, min(12, self.scale.bit_length() - 20))
        shape = (instance.num_rounds, len(instance.cluster.accelerators))
        self.units = np.zeros(shape, np.int64)
        self.bound: Fraction | None = None
        self.history: list[tuple[float, Fraction | None, Fraction | None]] = []
        first = np.zeros(shape) if start is None else _type_prices(start, shape)
        self.search = Search(first)
        self.assembled = time.perf_counter()

    def run(self) -> str:
        """Search for the best prices; return why it stopped."""
        table, converged = self.table, True
        try:
            if not table.exact.all() and len(table):
                self._descend(table, COARSE_TOLERANCE)
                table = self._finer(table, FINE)
            converged = self._descend(table, TOLERANCE)
        except KeyboardInterrupt:
            self._settle(table)
            return "interrupted"
        self._settle(table)
        if self._reached():
            return "target"
        return "optimal" if converged else "time_limit"

    def _finer(self, table: JobTable, detail: int) -> JobTable:
        """Return the table of that detail, or the given one where it would be too wide."""
        finer = job_table(self.instance, detail=detail)
        return finer if finer.width * (self.instance.num_rounds + 1) <= TABLE_ENTRIES else table

    def _descend(self, table: JobTable, tolerance: float) -> bool:
        oracle = Oracle(self.instance, table)

        def function(prices: Floats) -> tuple[float, Floats]:
            units = np.rint(prices * (self.scale // self._grid)).astype(np.int64) * self._grid
            found = oracle(units)
            self._note(units, found.bound)
            return found.bound / self.scale, found.excess.astype(np.float64)

        return self.search.run(function, tolerance, self._stop)

    def _note(self, units: Ints, value: int) -> None:
        bound = Fraction(value, self.scale)
        if self.copies:
            return
        if self.bound is None or bound < self.bound:
            self.bound, self.units = bound, units
            self.history.append((time.perf_counter() - self.begin, None, bound))

    def _settle(self, table: JobTable) -> None:
        """Evaluate the bound at the best prices as exactly as it pays."""
        if self.copies:
            self._settle_copies()
            return
        for detail in FINEST:
            if table.exact.all() or self._out_of_time():
                return
            before, finer = self.bound, self._finer(table, detail)
            if finer is table:
                return
            table = finer
            self._note(self.units, Oracle(self.instance, table)(self.units).bound)
            if before is None or self.bound is None or before - self.bound <= before * TOLERANCE:
                return

    def _settle_copies(self) -> None:
        self.units = np.rint(self.search.prices * (self.scale // self._grid)).astype(np.int64)
        self.units *= self._grid
        for units in (self.units, np.zeros_like(self.units)):
            found = dual_bound(self.instance, self._published(units)).value
            if self.bound is None or found < self.bound:
                self.bound, self.units = found, units
        self.history.append((time.perf_counter() - self.begin, None, self.bound))

    def _published(self, units: Ints) -> Prices:
        return Prices(units // self._grid, Fraction(self.scale // self._grid))

    def _reached(self) -> bool:
        return self.bound is not None and self.bound <= self._target

    def _out_of_time(self) -> bool:
        return time.perf_counter() - self.begin >= self._limit

    def _stop(self) -> bool:
        return self._out_of_time() or self._reached()

    def result(self, termination: str) -> SolveResult:
        """Return the answer."""
        assert self.bound is not None  # one evaluation is always made
        total = time.perf_counter() - self.begin
        assembling = self.assembled - self.begin
        return SolveResult(
            "lagrangian",
            termination,
            "none",
            f"{self.search.evaluations} evaluations",
            math.nan,
            self.bound,
            "bound",
            None,
            self._published(self.units),
            Timings(assembling, total - assembling, 0.0),
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


def lagrangian_bound(
    instance: Instance,
    *,
    time_limit: float | None = None,
    target: Fraction | float | None = None,
    start: Prices | None = None,
) -> SolveResult:
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
    target : number, optional
        Stop once the bound is at most this.
    start : Prices, optional
        Prices to start from; zero by default.

    Returns
    -------
    SolveResult
        Method ``lagrangian``, grade ``bound``. ``bound`` is a Fraction, ``prices`` are on types.
        ``termination`` is ``optimal`` (converged), ``target``, ``time_limit`` or ``interrupted``.

    Raises
    ------
    OverflowError
        If the utilities are too large for sums in 64 bits.

    Examples
    --------
    >>> from hadaropt import Cluster, Instance, Job
    >>> from hadaropt.utility import Linear
    >>> job = Job("a", 0, 1, 10, {"V100": 5}, Linear(3, 1))
    >>> instance = Instance(Cluster.of({"n": {"V100": 1}}), (job,), 3, 1)
    >>> float(lagrangian_bound(instance).bound)
    2.0
    """
    work = Lagrangian(instance, time_limit=time_limit, target=target, start=start)
    return work.result(work.run())
