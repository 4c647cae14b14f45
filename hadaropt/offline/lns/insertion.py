"""Schedules of many jobs under construction: arrays for the insertion kernels, and back."""

from __future__ import annotations

import gc
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from hadaropt.instance import Instance
from hadaropt.kernels.pricing.lagrangian import worth
from hadaropt.kernels.search import insertion as kernel
from hadaropt.mip.model import Ints
from hadaropt.modes import is_pooled
from hadaropt.offline.lagrangian.bound import Oracle
from hadaropt.offline.lagrangian.job_table import JobTable, finer_table, job_table
from hadaropt.offline.lagrangian.params import LagrangianParams
from hadaropt.offline.lns.params import ChainParams
from hadaropt.schedule import Allocation, Schedule, check_schedule, trim_schedule

PLAN_OPERATIONS = 20
"""What a round of a plan counts for at least, per option, in a limit of work."""


class Saved(NamedTuple):
    """What all jobs held at some time.

    Attributes
    ----------
    start, size : (n,) int64
        Job i holds the entries start[i] .. start[i] + size[i] - 1 of ``store``.
    finish : (n,) int64
        Flow time of its completion; 0 if it does not complete.
    value : (n,) int64
        Its worth then, in units of 1 / scale.
    store : (entries, 4) int32
        Round, cell, GPUs and job of each entry.
    """

    start: Ints
    size: Ints
    finish: Ints
    value: Ints
    store: kernel.Small


class Insertion:
    """A schedule into which jobs are inserted, with room for ejection chains.

    Parameters
    ----------
    instance : Instance
    prices : (T, R) int64
        Base prices of types, in units of 1 / ``table.scale``.
    params : ChainParams, optional
    tables : LagrangianParams, optional
        Says how fine the table of progress is.
    """

    def __init__(
        self,
        instance: Instance,
        prices: Ints,
        params: ChainParams | None = None,
        tables: LagrangianParams | None = None,
    ) -> None:
        self.instance = instance
        self._params = params = ChainParams() if params is None else params
        tables = LagrangianParams() if tables is None else tables
        finer = finer_table(instance, "down", tables.fine, tables.table_entries)
        self.table = finer or job_table(instance, rounding="down")
        self.pooled = is_pooled(instance)
        self.jobs = _jobs(self.table, len(instance.cluster.accelerators), self._payoff(prices))
        self.held = self._held(prices)
        self.space = self._space()
        n = len(self.table)
        self.operations = _operations(self.jobs, instance.num_rounds)
        """What an insertion counts for in a limit of work."""
        self._taken = np.zeros(n, np.bool_)
        size = self._most_in_chain
        self._chosen, self._key = np.empty(size, np.int64), np.empty(size, np.float64)
        self._old = np.empty((size, 5), np.int64)

    @property
    def value(self) -> int:
        """Total worth of the jobs that complete, times scale (rounded up)."""
        return int(self.held.value.sum())

    @property
    def _most_in_chain(self) -> int:
        """Jobs that one ejection chain may move: those taken out, and the one inserted."""
        return self._params.ejected + self._params.also_ejected + 1

    def _held(self, prices: Ints) -> kernel.Held:
        cluster, n = self.instance.cluster, len(self.table)
        rounds = self.instance.num_rounds
        rows = [cluster.pooled_capacity] if self.pooled else cluster.capacity
        capacity = np.array(rows, np.int64).reshape(-1, len(cluster.accelerators))
        full = np.repeat(capacity[None], rounds, axis=0)
        pooled = full.sum(axis=1)
        picks = self.table.picks.max(initial=1)
        each = rounds * min(capacity.size, int(self.table.gang.max(initial=1) * picks))
        self.reserve = self._most_in_chain * each
        # Entries of all cells and rounds at once, twice, and what one chain may need.
        room = 2 * int(min(pooled.sum(), n * each)) + 2 * self.reserve + each
        cells = capacity.size
        return kernel.Held(
            full.copy(),
            full,
            pooled.copy(),
            pooled,
            np.ascontiguousarray(prices),
            np.zeros((room, 5), np.int32),
            np.zeros((rounds, cells, int(capacity.max(initial=0)) + 1), np.int32),
            np.zeros((rounds, cells), np.int64),
            np.zeros(n, np.int64),
            np.zeros(n, np.int64),
            np.zeros(n, np.int64),
            np.zeros(n, np.int64),
            np.zeros(n, np.int64),
            np.zeros(1, np.int64),
        )

    def _space(self) -> kernel.Space:
        rounds, types = self.held.base.shape
        table = self.table
        options = int((table.option_start[:, 1] - table.option_start[:, 0]).max(initial=1))
        return kernel.Space(
            np.empty((rounds + 1, table.width), np.int64),
            np.empty(rounds + 1, np.int64),
            np.empty((rounds, options), np.int64),
            np.full(rounds, -1, np.int64),
            np.empty(types, np.int64),
            np.empty(self.held.free.shape[1], np.int64),
            np.zeros((rounds, types), np.int64),
            int(table.gain.max(initial=0)),
        )

    def set_prices(self, prices: Ints) -> None:
        """Take other base prices."""
        self.held.base[:] = prices
        self.jobs.payoff[:] = self._payoff(prices)

    def _payoff(self, prices: Ints) -> Ints:
        """Return the greatest payoffs at prices of types, by row of the table."""
        oracle = Oracle(self.instance, self.table)
        if len(self.table):
            oracle(prices)
        return oracle.payoff

    def insert(self, sequence: Ints, prices: Ints) -> None:
        """Insert jobs (rows of the table) one after the other at prices of types."""
        # One unit on top: among plans of equal worth, the one that holds fewest GPUs.
        self.space.price[:] = prices + 1
        kernel.insert_all(sequence, self.jobs, self.held, self.space)

    def improve(self, seed: int, iterations: int, heat: float, tries: int) -> int:
        """Run ejection chains; return the gain of the total worth."""
        gain = kernel.improve(
            seed,
            iterations,
            heat,
            tries,
            min(self._params.ejected, len(self.table)),
            self._params.also_ejected,
            self.reserve,
            self.jobs,
            self.held,
            self.space,
            self._taken,
            self._chosen,
            self._old,
            self._key,
        )
        return int(gain)

    def clear(self) -> None:
        """Take all jobs out."""
        held = self.held
        held.free[:], held.pooled[:] = held.full, held.pooled_full
        held.crowd[:], held.finish[:], held.size[:], held.end[0] = 0, 0, 0, 0
        held.value[:] = held.charge[:] = 0

    def restore(self, saved: Saved) -> None:
        """Hold again what was saved."""
        self.clear()
        held = self.held
        held.start[:], held.size[:] = saved.start, saved.size
        held.finish[:], held.value[:] = saved.finish, saved.value
        held.store[: len(saved.store), :4] = saved.store
        kernel.enter_all(held)

    def save(self) -> Saved:
        """Return a copy of what the jobs hold, for `load` or `schedule`."""
        kernel.compact(self.held)
        held = self.held
        return Saved(
            held.start.copy(),
            held.size.copy(),
            held.finish.copy(),
            held.value.copy(),
            held.store[: held.end[0], :4].copy(),
        )

    def schedule(self, saved: Saved) -> Schedule:
        """Return what was saved as a schedule; rounds after an earlier completion are dropped."""
        # No cycles come about here, and the collector would walk through all the tuples repeatedly.
        collecting = gc.isenabled()
        gc.disable()
        try:
            schedule = self._schedule(saved)
        finally:
            if collecting:
                gc.enable()
        return schedule if self.pooled else trim_schedule(self.instance, schedule)

    def _schedule(self, saved: Saved) -> Schedule:
        jobs: list[tuple[Allocation, ...]] = [()] * len(self.instance.jobs)
        place = _Places(self.instance) if self.pooled else None
        types = len(self.instance.cluster.accelerators)
        known: dict[object, tuple[tuple[int, int, int], ...]] = {}  # equal places are one object
        for row in np.flatnonzero(saved.finish > 0).tolist():
            begin = int(saved.start[row])
            rounds: dict[int, list[tuple[int, int]]] = {}
            for t, cell, units, _ in saved.store[begin : begin + int(saved.size[row])].tolist():
                rounds.setdefault(t, []).append((cell, units))
            j, gang = int(self.table.index[row]), int(self.table.gang[row])
            mine: list[Allocation] = []
            done, progress = 0, self.instance.progress(j)
            for t in sorted(rounds):
                if self.pooled and done >= self.instance.jobs[j].iterations:
                    break  # mixed faster, or rounded down: it completes before its plan says so
                held = rounds[t]
                copies = sum(units for _, units in held) > gang
                if place is not None:
                    done += min(progress[cell] for cell, _ in held)
                    gpus = place.take(t, held)
                else:
                    gpus = tuple(sorted((cell // types, cell % types, n) for cell, n in held))
                mine.append(Allocation(t, known.setdefault(gpus, gpus), copies))
            jobs[j] = tuple(mine)
        return Schedule(tuple(jobs))

    def load(self, schedule: Schedule) -> None:
        """Enter the jobs of a feasible schedule that complete, instead of what is held.

        Raises
        ------
        ScheduleError
            If the schedule is infeasible.
        """
        checked = check_schedule(self.instance, schedule)
        held, types = self.held, len(self.instance.cluster.accelerators)
        self.clear()
        table = self.table
        for row, j in enumerate(table.index.tolist()):
            completion = checked.completion[j]
            if completion is None:
                continue
            flow = completion - self.instance.jobs[j].release + 1
            if flow > table.last[row]:
                continue
            held.start[row] = held.end[0]
            for allocation in schedule.jobs[j]:
                cells: dict[int, int] = defaultdict(int)
                for h, r, count in allocation.gpus:
                    cells[r if self.pooled else h * types + r] += count
                for cell, count in cells.items():
                    held.store[held.end[0], :4] = allocation.round, cell, count, row
                    held.end[0] += 1
            held.size[row] = held.end[0] - held.start[row]
            held.finish[row] = flow
            kind, a, b = int(table.kind[row]), int(table.a[row]), int(table.b[row])
            held.value[row] = worth(kind, a, b, flow, table.values)
        kernel.enter_all(held)


class _Places:
    """Spreads units of types over nodes, in any way: for jobs to which nodes do not matter."""

    def __init__(self, instance: Instance) -> None:
        cluster = instance.cluster
        self._nodes = [
            [(h, row[r]) for h, row in enumerate(cluster.capacity) if row[r]]
            for r in range(len(cluster.accelerators))
        ]
        self._at: dict[tuple[int, int], tuple[int, int]] = {}

    def take(self, t: int, held: list[tuple[int, int]]) -> tuple[tuple[int, int, int], ...]:
        """Return units of nodes (h, r, count) for units of types (r, count)."""
        gpus = []
        for r, count in held:
            i, used = self._at.get((t, r), (0, 0))
            left = count
            while left > 0:
                h, size = self._nodes[r][i]
                part = min(left, size - used)
                gpus.append((h, r, part))
                left, used = left - part, used + part
                if used == size:
                    i, used = i + 1, 0
            self._at[t, r] = i, used
        return tuple(sorted(gpus))


def _operations(jobs: kernel.Jobs, rounds: int) -> int:
    """Return the mean size of the table in which a job is planned, times its options."""
    cells = (rounds - jobs.release) * (jobs.final - jobs.first) * (jobs.need + PLAN_OPERATIONS)
    return PLAN_OPERATIONS + int(cells.mean()) if len(cells) else 1


def _jobs(table: JobTable, types: int, payoff: Ints) -> kernel.Jobs:
    group = np.repeat(np.arange(len(table.group_release)), np.diff(table.group_start))
    first = table.option_start[group, 0] if len(table) else np.zeros(0, np.int64)
    final = table.option_start[group, 1] if len(table) else np.zeros(0, np.int64)
    codes = zip(table.kind.tolist(), table.a.tolist(), table.b.tolist(), strict=True)
    peak = np.array([worth(k, a, b, 1, table.values) for k, a, b in codes], np.float64)
    rounds = table.need / np.maximum(1, table.gain[first]) if len(table) else peak
    return kernel.Jobs(
        np.ascontiguousarray(table.group_release[group]),
        table.gang,
        table.need,
        table.kind,
        table.a,
        table.b,
        table.last,
        np.ascontiguousarray(first),
        np.ascontiguousarray(final),
        table.gain,
        (table.mask[:, None] >> np.arange(types)) & 1 > 0,
        table.inside,
        table.picks,
        table.values,
        peak / (table.gang * rounds),
        payoff,
    )
