"""The restricted master of the configuration LP: schedules as columns, inside HiGHS.

Rows: ``job_i``: sum of the columns of job i <= 1 (= 1 when a branch makes it run), and capacity in
one of two forms. Hall form, where the sets are few and every gang fits into every cell of its
class: ``set_t_S``: gangs of classes within S <= capacity of S. Flow form: ``cell_t_c``: GPUs used
of cell c <= capacity; ``class_t_P``: gangs of class P <= what its cells give it; ``fill_t_P_c``: no
cell gives a gang more than it has. Only classes of several cells need the last two, and the
variables ``give_t_P_c``.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.mip.highs import HighsModel, Outcome, cost_scale
from hadaropt.mip.model import Entries, Floats, Ints, linear_program
from hadaropt.offline.colgen.cell_bounds import Bounds
from hadaropt.offline.colgen.cut_row import Cut, Gangs
from hadaropt.offline.colgen.pricing_data import Space, closed_sets
from hadaropt.offline.colgen.pricing_problem import Column, Limits

MAX_HALL_SETS = 3
"""Most sets of the Hall form, per cell."""
DUAL, PRIMAL = 1, 4
"""Simplex strategies of HiGHS."""


@dataclass(frozen=True)
class Duals:
    """Dual values of an LP solution, in units of utility.

    Attributes
    ----------
    jobs : (I,) float64
        Payoff of each job.
    cells : (T, cells) float64
        Price of a GPU of each cell in each round, >= 0.
    cuts : (cuts,) float64
        Price of each cut, >= 0.
    """

    jobs: Floats
    cells: Floats
    cuts: Floats


def hall_sets(space: Space) -> tuple[frozenset[int], ...]:
    """Return the sets of cells whose rows say that gangs fit; empty where the flow form is used."""
    if any(kind.gang_size for kind in space.classes):
        return ()
    return closed_sets(space, MAX_HALL_SETS * len(space.capacity))


class Master:
    """The LP over the columns so far; it only grows, and branches switch columns off.

    Parameters
    ----------
    space : Space
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        rounds = space.instance.num_rounds
        self.hall = hall_sets(space)
        self.cuts: list[Cut] = []
        self._ways: dict[tuple[int, Gangs], int] = {}
        """Numbers, from 1, of how a job runs, as far as cuts tell apart."""
        self._charges: list[dict[int, list[tuple[int, float]]]] = [{} for _ in range(rounds)]
        """By round and such a number, (row, weight) in cuts."""
        self._build(rounds)
        self._clear()

    def emptied(self) -> Master:
        """Return a master with the same cuts and no columns."""
        other = copy(self)
        other.cuts, other._charges = list(self.cuts), list(self._charges)
        other._clear()
        return other

    def _clear(self) -> None:
        rounds = self.space.instance.num_rounds
        self.columns: list[Column] = []
        self._known: dict[Column, int] = {}
        self._job = np.zeros(64, np.int64)
        self._completion = np.zeros(64, np.int64)
        self._option = np.zeros((64, rounds), np.int16)
        self._way = np.zeros((64, rounds), np.int32)
        self._restricted = True
        self._index: list[list[int]] = []
        self._value: list[list[float]] = []
        self._column_value: list[float] = []
        self._enabled = np.zeros(0, np.bool_)
        self.highs = HighsModel(self.linear, cost_scale=self._scale, background=False)
        self._add_rows(self.cuts, [0] * len(self.cuts), [], [])

    def _build(self, rounds: int) -> None:
        space, entries = self.space, Entries()
        jobs = len(space.jobs)
        total = sum((float(job.values[0]) for job in space.jobs), 1.0)
        sets = self.hall or tuple(frozenset((c,)) for c in range(len(space.capacity)))
        self.priced = np.array([[c in s for c in range(len(space.capacity))] for s in sets], bool)
        self.priced = self.priced.reshape(len(sets), len(space.capacity))
        limits = self.priced @ np.array(space.capacity, np.float64)
        row, col = jobs + rounds * len(sets), jobs
        upper = [np.ones(jobs), np.tile(limits, rounds)]
        entries.add(np.arange(jobs), np.arange(jobs), 1)
        t = np.arange(rounds)
        self.class_rows: list[list[list[int]]] = []
        """By class and round, the rows in which a gang of the class counts."""
        for kind in space.classes:
            first = jobs + t * len(sets)
            if self.hall or len(kind.cells) == 1:
                counted = [k for k, within in enumerate(sets) if within.issuperset(kind.cells)]
                rows = first[:, None] + np.array(counted, np.int64)
                self.class_rows.append(rows.tolist())
                continue
            mine = row + t
            row += rounds
            self.class_rows.append(mine[:, None].tolist())
            upper.append(np.zeros(rounds))
            gives = [col + k * rounds + t for k in range(len(kind.cells))]
            col += rounds * len(kind.cells)
            for c, give in zip(kind.cells, gives, strict=True):
                entries.add(mine, give, -1)
                entries.add(first + c, give, 1)
                if 0 < space.capacity[c] < kind.gang_size:
                    for other in gives:
                        held = kind.gang_size if other is give else 0
                        entries.add(row + t, other, held - space.capacity[c])
                    row += rounds
                    upper.append(np.zeros(rounds))
        cost = np.zeros(col)
        cost[:jobs] = -2 * total
        limit = np.full(col, np.inf)
        limit[:jobs] = 0.0
        self._base, self._rows = col, row
        self._limit = limit
        self._upper = np.concatenate(upper)
        self._cost = cost
        values = np.array([float(job.values[0]) for job in space.jobs])
        columns, within = (np.zeros(col), limit), (np.full(row, -np.inf), self._upper)
        linear = linear_program(cost, columns, within, entries, maximise=True)
        self.linear = linear
        self._scale = cost_scale(values)

    def value(self, column: Column) -> float:
        """Return the value of a column as a float."""
        if column.completion < 0:
            return 0.0
        job = self.space.jobs[column.job]
        return float(job.values[column.completion - job.release])

    def place_of(self, column: Column) -> int:
        """Return the place of a column that was added."""
        return self._known[column]

    def add_columns(self, columns: Sequence[Column]) -> int:
        """Add the columns that are new; return how many were."""
        fresh = []
        for column in columns:
            if column not in self._known:
                self._known[column] = len(self.columns)
                self.columns.append(column)
                fresh.append(column)
        if not fresh:
            return 0
        first = len(self.columns) - len(fresh)
        while len(self.columns) > len(self._job):
            grow = len(self._job)
            self._job = np.concatenate([self._job, np.zeros(grow, np.int64)])
            self._completion = np.concatenate([self._completion, np.zeros(grow, np.int64)])
            more = np.zeros((grow, self._option.shape[1]), np.int16)
            self._option = np.concatenate([self._option, more])
            self._way = np.concatenate([self._way, more.astype(np.int32)])
        start: list[int] = []
        index: list[int] = []
        value: list[float] = []
        size = 0
        for place, column in enumerate(fresh, first):
            rows, entries = [column.job], [1.0]
            self._job[place], self._completion[place] = column.job, column.completion
            for t, option, content, gangs in column.rounds:
                self._option[place, t] = option
                for kind, units in content:
                    counted = self.class_rows[kind][t]
                    rows += counted
                    entries += [float(units)] * len(counted)
                way = self._ways.setdefault((column.job, gangs), len(self._ways) + 1)
                self._way[place, t] = way
                for row, weight in self._charged(t, way, column.job, gangs):
                    rows.append(row)
                    entries.append(weight)
            if any(len(content) > 1 for _, _, content, _ in column.rounds):
                rows, entries = _merged(rows, entries)
            start.append(size)
            size += len(rows)
            index += rows
            value += entries
            self._index.append(rows)
            self._value.append(entries)
            self._column_value.append(self.value(column))
        self.highs.add_columns(
            np.array(self._column_value[first:]),
            np.zeros(len(fresh)),
            np.full(len(fresh), np.inf),
            np.array(start, np.int32),
            np.array(index, np.int32),
            np.array(value),
        )
        self._enabled = np.concatenate([self._enabled, np.ones(len(fresh), np.bool_)])
        return len(fresh)

    def _charged(self, t: int, way: int, i: int, gangs: Gangs) -> list[tuple[int, float]]:
        """Return rows and weights of the cuts that count a job which runs at a level in a round."""
        known = self._charges[t]
        if way not in known:
            known[way] = [
                (self._rows + c, float(weight))
                for c, cut in enumerate(self.cuts)
                if cut.round == t and (weight := cut.weight(i, gangs))
            ]
        return known[way]

    def add_cuts(self, cuts: Sequence[Cut]) -> None:
        """Add rows for the cuts."""
        start: list[int] = []
        index: list[int] = []
        value: list[float] = []
        jobs = {way: of for of, way in self._ways.items()}
        for cut in cuts:
            row = self._rows + len(self.cuts)
            self.cuts.append(cut)
            self._charges[cut.round] = {}
            start.append(len(index))
            running = self._way[: len(self.columns), cut.round]
            weights = np.zeros(len(jobs) + 1)
            for way in np.unique(running).tolist():
                if way:
                    weights[way] = cut.weight(*jobs[way])
            counted = weights[running]
            places = np.flatnonzero(counted)
            index += (self._base + places).tolist()
            value += counted[places].tolist()
            for place, weight in zip(places.tolist(), counted[places].tolist(), strict=True):
                self._index[place].append(row)
                self._value[place].append(weight)
        self._restricted = True
        self._add_rows(cuts, start, index, value)

    def _add_rows(
        self, cuts: Sequence[Cut], start: list[int], index: list[int], value: list[float]
    ) -> None:
        if cuts:
            self.highs.add_rows(
                np.full(len(cuts), -np.inf),
                np.array([float(cut.rhs) for cut in cuts]),
                np.array(start, np.int32),
                np.array(index, np.int32),
                np.array(value),
            )

    def set_limits(self, limits: Limits, low: Ints, high: Ints) -> None:
        """Switch off the columns that a branch forbids; ``low`` and ``high`` have shape (I, T)."""
        n = len(self.columns)
        job, option, done = self._job[:n], self._option[:n], self._completion[:n]
        release = np.array([j.release for j in self.space.jobs], np.int64)
        offset = done - release[job]
        allowed = ((option >= low[job]) & (option <= high[job])).all(axis=1)
        in_time = (offset >= limits.begin[job]) & (offset <= limits.end[job])
        allowed &= np.where(done < 0, ~limits.must[job], in_time)
        for (i, k), bounds in limits.cells.items():
            t = self.space.jobs[i].release + k
            for place in np.flatnonzero(allowed & (job == i) & (option[:, t] > 0)).tolist():
                allowed[place] = obeys(self.space, self.columns[place], t, bounds)
        changed = np.flatnonzero(allowed != self._enabled)
        if len(changed):
            self.highs.set_bounds(
                (self._base + changed).astype(np.int32),
                np.zeros(len(changed)),
                np.where(allowed[changed], np.inf, 0.0),
            )
            self._enabled = allowed.copy()
        runs = limits.must | (low > 0).any(axis=1)
        every = np.arange(len(runs), dtype=np.int32)
        self.highs.set_row_limits(every, np.where(runs, 1.0, -np.inf), np.ones(len(runs)))
        self.highs.set_bounds(every, np.zeros(len(runs)), np.where(runs, np.inf, 0.0))
        self._restricted = True

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of the LP."""
        return self._rows + len(self.cuts), self._base + len(self.columns)

    def solve(self) -> Outcome:
        """Solve the LP from the last basis.

        By the primal simplex where only columns were added since, else by the dual one.
        """
        self.highs.set_option("simplex_strategy", DUAL if self._restricted else PRIMAL)
        self._restricted = False
        return self.highs.run()

    def probe(self, iterations: int) -> float:
        """Return the LP's objective after some iterations of the dual simplex."""
        self.highs.set_option("simplex_strategy", DUAL)
        return self.highs.probe(iterations)

    def duals(self, outcome: Outcome) -> Duals:
        """Return the duals of an optimal LP."""
        assert outcome.row_prices is not None
        prices = outcome.row_prices
        jobs, sets = len(self.space.jobs), self.priced
        rows = self.space.instance.num_rounds * len(sets)
        capacity = np.maximum(0.0, prices[jobs : jobs + rows]).reshape(-1, len(sets))
        return Duals(prices[:jobs], capacity @ sets, np.maximum(0.0, prices[self._rows :]))

    def weights(self, outcome: Outcome) -> Floats:
        """Return the value of every column in an LP or integer point."""
        assert outcome.x is not None
        return outcome.x[self._base :]

    @property
    def first_cut_row(self) -> int:
        """Row of cut 0."""
        return self._rows

    def exact_column(self, index: int) -> tuple[list[tuple[int, int]], Fraction]:
        """Return the (row, integer) entries and the exact cost of a column of the LP."""
        if index < self._base:
            begin, end = self.linear.start[index], self.linear.start[index + 1]
            rows = self.linear.index[begin:end].tolist()
            entries = self.linear.value[begin:end].tolist()
            return [(r, int(v)) for r, v in zip(rows, entries, strict=True)], Fraction(
                self._cost[index]
            )
        column = self.columns[index - self._base]
        rows, entries = self._index[index - self._base], self._value[index - self._base]
        cost = Fraction(0)
        if column.completion >= 0:
            job = self.space.jobs[column.job]
            cost = job.values[column.completion - job.release]
        return [(r, int(v)) for r, v in zip(rows, entries, strict=True)], cost


def _merged(rows: list[int], entries: list[float]) -> tuple[list[int], list[float]]:
    """Add up entries of equal rows."""
    total: dict[int, float] = {}
    for row, value in zip(rows, entries, strict=True):
        total[row] = total.get(row, 0.0) + value
    return list(total), list(total.values())


def obeys(space: Space, column: Column, t: int, bounds: Bounds) -> bool:
    """Whether a column surely holds as many GPUs of single cells in round t as it may and must."""
    content = next(content for s, _, content, _ in column.rounds if s == t)
    held: dict[int, int] = {}
    for kind, units in content:
        cells = space.classes[kind].cells
        if len(cells) == 1:
            held[cells[0]] = held.get(cells[0], 0) + units
        elif any(c in bounds for c in cells):
            return False
    return all(least <= held.get(c, 0) <= most for c, (least, most) in bounds.items())
