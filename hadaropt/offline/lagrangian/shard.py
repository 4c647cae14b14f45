"""Some jobs of a table, with all that pricing them takes: the whole table, or a part of it."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np

from hadaropt.errors import USE_ILP, LimitError
from hadaropt.kernels.pricing import lagrangian as kernel
from hadaropt.mip.model import Ints
from hadaropt.offline.lagrangian.job_table import JobTable

Pricing = Callable[[Ints], tuple[int, Ints]]
"""Prices (T, R) in units of 1 / scale -> sum of the payoffs times scale, and the GPUs used."""
LEAST_OPERATIONS = 2_000_000
"""Of an evaluation that is worth sharing among workers: a few milliseconds."""
MAX_TABLE = 2**28
"""Most cells of the table over rounds and progress that the jobs share."""
TRACE_OPERATIONS = 10
"""What a round of a job in its best schedule counts for in a limit of work."""


class Shard:
    """Jobs that are priced one after the other; it can be sent to another process.

    Parameters
    ----------
    table : JobTable
    rounds, types : int
        Of the instance: T and R.

    Attributes
    ----------
    payoff, finish : (n,) int64
        Of every job at the last prices: payoff times scale, and flow time of completion or -1.
    rows : (n,) int64
        Which jobs these are, in the shard that this one was split off.

    Raises
    ------
    LimitError
        If the table over rounds and progress would be too large.
    """

    def __init__(self, table: JobTable, rounds: int, types: int) -> None:
        if (rounds + 1) * table.width > MAX_TABLE:
            raise LimitError(
                f"a table of {rounds + 1} rounds x {table.width} units of progress, must be <= "
                f"{MAX_TABLE} cells: the throughputs of a job span too wide a range; {USE_ILP}"
            )
        self.table, self.rounds, self.types = table, rounds, types
        ways = table.ways
        rows = [row for way in ways for row in way.rows]
        self._rows = np.array(rows, np.int64).reshape(len(rows), types)
        sizes = [len(way.rows) for way in ways]
        self._row_start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        self._gang = np.array([way.gang for way in ways], np.int64)
        self._picks = np.array([way.picks for way in ways], np.int64)
        self._pad = int(table.gain.max(initial=0))
        self._cost = np.empty((len(ways), rounds), np.int64)
        self._use = np.empty((len(ways), rounds, types), np.int64)
        self._space = np.empty((rounds + 1, table.width), np.int64)
        self._top = np.empty(rounds + 1, np.int64)
        self._active = np.empty(len(table), np.int64)
        self._used = np.zeros((rounds, types), np.int64)
        self.payoff = np.zeros(len(table), np.int64)
        self.finish = np.full(len(table), -1, np.int64)
        self.rows = np.arange(len(table))

    def __reduce__(self) -> tuple[type[Shard], tuple[JobTable, int, int]]:
        return Shard, (self.table, self.rounds, self.types)

    def price(self, units: Ints) -> tuple[int, Ints]:
        """Price all jobs at ``units / scale``.

        Parameters
        ----------
        units : (T, R) int64

        Returns
        -------
        total : int
            Sum of the payoffs times scale.
        used : (T, R) int64
            GPUs that the best schedules hold; overwritten by the next call.
        """
        t = self.table
        kernel.way_costs(
            units, self._row_start, self._rows, self._gang, self._picks, self._cost, self._use
        )
        total = kernel.relaxed(
            t.group_start, t.group_release, t.option_start, t.gain, t.way, self._cost, self._use,
            t.weight, t.need, t.kind, t.a, t.b, t.last, t.values, self._pad, self._space,
            self._top, self._active, self.payoff, self.finish, self._used,
        )  # fmt: skip
        return int(total), self._used

    def operations(self) -> Ints:
        """Return what pricing each group counts for in a limit of work."""
        t = self.table
        sizes = np.diff(t.group_start)
        need = t.need[np.maximum(0, t.group_start[1:] - 1)] if len(t) else sizes
        options = np.diff(t.option_start, axis=1)[:, 0]
        cells: Ints = (self.rounds - t.group_release) * (
            options * (need + 1) + TRACE_OPERATIONS * sizes
        )
        return cells

    def subset(self, rows: Ints) -> Shard:
        """Return the shard of some jobs (increasing rows of the table); it shares work space."""
        other = copy.copy(self)
        other.table, other.rows = self.table.subset(rows), rows
        other.payoff = np.zeros(len(rows), np.int64)
        other.finish = np.full(len(rows), -1, np.int64)
        return other

    def split(self, parts: int) -> list[Shard]:
        """Return at most so many shards of about equal work, which together hold all groups.

        Groups are dealt out from the largest down, there and back: neighbours are alike, so that
        each part gets its share of whatever takes longer than `operations` says. What a part
        prices is known to it alone (see `take`).
        """
        work = self.operations()
        if parts < 2 or len(work) < 2:
            return [self]
        turn = np.arange(len(work)) % (2 * parts)
        part_of = np.empty(len(work), np.int64)
        part_of[np.argsort(-work, kind="stable")] = np.minimum(turn, 2 * parts - 1 - turn)
        of_row = np.repeat(part_of, np.diff(self.table.group_start))
        found = []
        for k in range(parts):
            rows = np.flatnonzero(of_row == k)
            if len(rows):
                part = Shard(self.table.subset(rows), self.rounds, self.types)
                part.rows = rows
                found.append(part)
        return found

    def take(self, part: Shard) -> None:
        """Enter what a part that was split off has priced."""
        if part is not self:
            self.payoff[part.rows], self.finish[part.rows] = part.payoff, part.finish


__all__ = ["MAX_TABLE", "TRACE_OPERATIONS", "Shard"]
