"""Exact pricing of all jobs at once, under the limits of a branch; columns from its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hadaropt.errors import USE_ILP, LimitError
from hadaropt.figures import decimal
from hadaropt.kernels.pricing import columns as kernel
from hadaropt.mip.model import Floats, Ints
from hadaropt.offline.colgen.cell_bounds import BoundedOption, bounded_options
from hadaropt.offline.colgen.cut_row import Cut, Gangs
from hadaropt.offline.colgen.pricing_data import MAX_STATES, JobOptions, Space

INF = 2**62
"""Cost of what is impossible: above every sum of costs, within 64 bits."""


Content = tuple[tuple[int, int], ...]
"""What runs in a round: (class, GPUs) of a gang, or of every copy."""


@dataclass(frozen=True)
class Column:
    """One schedule of one job.

    Attributes
    ----------
    job : int
        Index into the jobs of the space.
    completion : int
        Round in which its value counts; -1 if it runs without completing.
    rounds : tuple of (round, option, ((class, GPUs), ...), Gangs)
        What runs in which round, ascending: ``option`` (1 .. K) gives the progress, by GPUs of
        one class for a gang or of one for each copy. The last is what cuts count.
    """

    job: int
    completion: int
    rounds: tuple[tuple[int, int, Content, Gangs], ...]


@dataclass
class Limits:
    """What a branch allows. The *window* of a job: its release to its last round of value.

    Attributes
    ----------
    low, high : int64, flat over jobs and the rounds of their windows
        Least and largest option in the round; low >= 1 where the job has to run.
    begin, end : (I,) int64
        First and last round in which the job may complete, counted from the begin of its window.
    must : (I,) bool
        Whether the job has to complete.
    cells : dict of (job, round) to bounds
        Bounds on the GPUs of single cells that a job holds in a round of its window.
    """

    low: Ints
    high: Ints
    begin: Ints
    end: Ints
    must: NDArray[np.bool_]
    cells: dict[tuple[int, int], dict[int, tuple[int, int]]] = field(default_factory=dict)

    def copy(self) -> Limits:
        """Return an independent copy."""
        return Limits(
            self.low.copy(),
            self.high.copy(),
            self.begin.copy(),
            self.end.copy(),
            self.must.copy(),
            dict(self.cells),
        )


@dataclass(frozen=True)
class _Chosen:
    """The rounds in which jobs run in their best schedules, one job after the other.

    Attributes
    ----------
    begin : list of int
        First entry of each job, and the number of all entries.
    round, option, way : list of int
        The way is -1 where no single gang runs.
    """

    begin: list[int]
    round: list[int]
    option: list[int]
    way: list[int]


class Pricing:
    """The flat arrays of a space, and its pricing problems.

    Parameters
    ----------
    space : Space
    scale : int
        Prices and values are integers in units of 1 / scale; values are rounded up.
    """

    def __init__(self, space: Space, scale: int) -> None:
        self.space, self.scale = space, scale
        jobs = space.jobs
        self.release = np.array([job.release for job in jobs], np.int64)
        self.rounds = np.array([len(job.values) for job in jobs], np.int64)
        self.options = np.array([len(job.progress) for job in jobs], np.int64)
        tables = [job.step for job in jobs]
        self.states = np.array([MAX_STATES if s is None else len(s) - 1 for s in tables], np.int64)
        self.round_at = _starts(self.rounds)
        self.cost_at = _starts(self.rounds * self.options)
        self.step_at = _starts(np.array([0 if s is None else s.size for s in tables], np.int64))
        self.way_at = _starts(np.array([len(job.ways) for job in jobs], np.int64))
        ways = [way for job in jobs for way in job.ways]
        self.way_option = np.array([way[0] for way in ways], np.int64)
        self.way_class = np.array([way[1] for way in ways], np.int64)
        bounded = [space.classes[c].gang_size > 0 for c in range(len(space.classes))]
        gangs = [job.gang_size for job in jobs for _ in job.ways]
        self.way_units = np.array(
            [1 if bounded[way[1]] else gang for way, gang in zip(ways, gangs, strict=True)],
            np.int64,
        )
        self.step = _flat([s for s in tables if s is not None])
        self.values: list[Fraction] = [value for job in jobs for value in job.values]
        scaled_values = [int(-(-(u * scale) // 1)) for u in self.values]
        self.most = max(scaled_values, default=0)
        longest = int(self.rounds.max(initial=0))
        copies = max((len(job.copies.classes) for job in jobs if job.copies), default=1)
        gang = max((job.gang_size for job in jobs), default=1)
        self.price_limit = 2**60 // ((longest + 1) * gang * copies)
        if self.most > self.price_limit:
            best = max(jobs, key=lambda job: job.values[0])
            raise LimitError(
                f"jobs[{best.job}].utility: a worth of {decimal(best.values[0], 6, up=True)} "
                f"must be <= {decimal(Fraction(self.price_limit, scale), 6, down=True)} in column "
                f"generation: exact sums are made in 64 bits; {USE_ILP}"
            )
        self.scaled_values = np.array(scaled_values, np.int64)
        self.windows = kernel.Windows(
            self.release,
            self.rounds,
            self.options,
            self.states,
            np.array([job.need for job in jobs], np.int64),
            self.round_at,
            self.cost_at,
            self.step_at,
            _starts(self.options),
            self.step,
            np.array([gain for job in jobs for gain in job.progress], np.int64),
            self.scaled_values,
        )
        self._cost = np.zeros(int(self.cost_at[-1]), np.int64)
        self._table = np.zeros((longest + 1, int(self.states.max(initial=0)) + 1), np.int64)
        self.payoff = np.zeros(len(jobs), np.int64)
        self.last = np.zeros(len(jobs), np.int64)
        self.choice = np.zeros(int(self.round_at[-1]), np.int64)
        self.way = np.full(len(self.choice), -1, np.int64)
        self._chosen: _Chosen | None = None
        self._contents: dict[tuple[int, int], tuple[Content, Gangs]] = {}
        self._toll_at = _starts(self.rounds * np.diff(self.way_at))
        # By round of the windows of all jobs: the job, and the round.
        self._job = np.repeat(np.arange(len(jobs)), self.rounds)
        offset = np.arange(len(self.choice)) - self.round_at[:-1][self._job]
        self._round = self.release[self._job] + offset
        self._way_gang = np.array(gangs, np.int64)
        self._worth = np.array([float(value) for value in self.values])
        self._nothing = np.full(len(jobs), -1, np.int64)
        self._extra_at = self._nothing
        self._extra = np.zeros(0, np.int64)
        self._runs = [
            (option, ((kind, job.gang_size),), Gangs(types))
            for job in jobs
            for option, kind, types in job.ways
        ]
        """What a column says of a round in which a job runs, by way."""
        self._prices = np.zeros((0, 0), np.int64)
        self._tolls: Sequence[tuple[Cut, int]] = ()
        self._bounded: dict[tuple[int, int], dict[int, BoundedOption]] = {}
        self._charges: dict[Cut, tuple[Ints, Ints]] = {}
        self._copy_tolls: dict[int, list[tuple[int, list[int], int]]] = {}
        self._copy_cost: dict[int, Ints] = {}
        self._whole = np.array([kind.gang_size > 0 for kind in space.classes], np.bool_)
        """Whether the cost of a class is that of a whole gang."""
        self.class_cost = np.zeros((space.instance.num_rounds, len(space.classes)), np.int64)
        self.all_jobs = np.arange(len(jobs))
        self.operations = int((self.rounds * self.options * (self.states + 20)).sum())
        """What pricing all jobs once counts for in a limit of work."""

    def no_limits(self) -> Limits:
        """Return the limits of the root."""
        return Limits(
            np.zeros(int(self.round_at[-1]), np.int64),
            np.repeat(self.options, self.rounds),
            np.zeros(len(self.options), np.int64),
            self.rounds - 1,
            np.zeros(len(self.options), np.bool_),
        )

    def set_prices(self, prices: Ints, tolls: Sequence[tuple[Cut, int]] = ()) -> None:
        """Set the prices of the cells, (T, cells) int64 in units of 1 / scale, and of the cuts."""
        if prices.max(initial=0) > self.price_limit:
            raise LimitError(f"a price of {prices.max()} units is too large for exact sums")
        for index, kind in enumerate(self.space.classes):
            columns = prices[:, kind.cells]
            if kind.gang_size == 0:
                self.class_cost[:, index] = columns.min(axis=1)
            else:
                counts = [self.space.capacity[c] for c in kind.cells]
                self.class_cost[:, index] = _fill(columns, counts, kind.gang_size)
        self._prices, self._tolls, self._copy_cost = prices, tolls, {}
        self._set_tolls(tolls)
        self._fill_costs(self.all_jobs)

    def _set_tolls(self, tolls: Sequence[tuple[Cut, int]]) -> None:
        self._copy_tolls = {}
        for cut, price in tolls:
            if cut.node is None:
                continue
            for i, of in cut.weights.items():
                job = self.space.jobs[i]
                n = cut.round - job.release
                if job.copies is not None and 0 <= n < len(job.values):
                    toll = (n, sorted(cut.node.copies), of[0][1] * price)
                    self._copy_tolls.setdefault(i, []).append(toll)
        if not tolls:
            self._extra_at, self._extra = self._nothing, np.zeros(0, np.int64)
            return
        self._extra_at = self._toll_at
        self._extra = np.zeros(int(self._toll_at[-1]), np.int64)
        found = [self._charged(cut) for cut, _ in tolls]
        sizes = [len(entries) for entries, _ in found]
        prices = np.repeat(np.array([price for _, price in tolls], np.int64), sizes)
        weights = np.concatenate([weights for _, weights in found])
        np.add.at(self._extra, np.concatenate([at for at, _ in found]), weights * prices)

    def _charged(self, cut: Cut) -> tuple[Ints, Ints]:
        """Return what a cut charges: entries among rounds and ways of all jobs, with weights."""
        if cut not in self._charges:
            entries, weights = [], []
            for i in cut.weights:
                job = self.space.jobs[i]
                n = cut.round - job.release
                if not 0 <= n < len(job.values):
                    continue
                first = int(self._toll_at[i]) + n * len(job.ways)
                for w, (_, _, types) in enumerate(job.ways):
                    weight = cut.weight(i, Gangs(types))
                    if weight:
                        entries.append(first + w)
                        weights.append(weight)
            self._charges[cut] = np.array(entries, np.int64), np.array(weights, np.int64)
        return self._charges[cut]

    def _fill_costs(self, jobs: Ints) -> None:
        kernel.option_costs(
            jobs,
            self.windows,
            self.way_at,
            self.way_option,
            self.way_class,
            self.way_units,
            self.class_cost,
            self._extra_at,
            self._extra,
            self._cost,
        )
        for i in jobs:
            copies = self.space.jobs[i].copies
            if copies is not None:
                found = kernel.copy_costs(self._copy_prices(i), copies.classes, copies.step)
                view = self._cost[self.cost_at[i] : self.cost_at[i + 1]]
                view = view.reshape(-1, self.options[i])
                for state, option in enumerate(copies.option):
                    if option > 0:
                        np.minimum(view[:, option - 1], found[:, state], out=view[:, option - 1])

    def _copy_prices(self, i: int) -> Ints:
        """Cost of one copy of job i in every class, in the rounds of its window.

        Found once after every `set_prices`.
        """
        if i not in self._copy_cost:
            gang = self.space.jobs[i].gang_size
            units = np.where(self._whole, 1, gang)
            window = self.class_cost[self.release[i] : self.release[i] + self.rounds[i]]
            cost = np.minimum(window, INF // gang) * units
            for n, classes, charge in self._copy_tolls.get(i, ()):
                cost[n, classes] += charge
            self._copy_cost[i] = np.where(window >= INF, INF, cost)
        return self._copy_cost[i]

    def _apply_cell_bounds(self, limits: Limits) -> None:
        """Replace the costs of the options in rounds with limits on cells."""
        self._bounded = {}
        for (i, n), bounds in limits.cells.items():
            job = self.space.jobs[i]
            t = job.release + n
            tolls = [(cut, price) for cut, price in self._tolls if cut.round == t]
            prices = self._prices[t].tolist()
            found = bounded_options(self.space, job, prices, bounds, tolls, i)
            first = int(self.cost_at[i] + n * self.options[i])
            for k in range(len(job.progress)):
                option = found.get(k + 1)
                self._cost[first + k] = INF if option is None else option.cost
            self._bounded[i, n] = found

    def solve(self, limits: Limits) -> None:
        """Fill ``payoff``, ``last`` and ``choice`` at the prices that were set just before."""
        self._apply_cell_bounds(limits)
        kernel.best_columns(
            self.all_jobs,
            self.windows,
            self._cost,
            kernel.Branch(limits.low, limits.high, limits.begin, limits.end, limits.must),
            kernel.Best(self.payoff, self.last, self.choice, self._table),
        )
        self._chosen, self._contents = None, {}

    def chosen(self) -> _Chosen:
        """Return what runs in the best schedules, found once after every `solve`."""
        if self._chosen is None:
            kernel.chosen_ways(
                self.windows,
                self.way_at,
                self.way_option,
                self.way_class,
                self.way_units,
                self.class_cost,
                self._extra_at,
                self._extra,
                self._cost,
                self.choice,
                self.way,
            )
            for i, n in self._bounded:
                self.way[self.round_at[i] + n] = -1
            at = np.flatnonzero(self.choice)
            self._chosen = _Chosen(
                np.searchsorted(at, self.round_at).tolist(),
                self._round[at].tolist(),
                self.choice[at].tolist(),
                self.way[at].tolist(),
            )
        return self._chosen

    def payoff_at(self, prices: Floats) -> Floats:
        """Return the payoffs of the best schedules at other prices of the cells, (T, cells).

        Without cuts. Over-estimates where a gang has to mix cells.
        """
        space, _ = self.space, self.chosen()
        least = np.zeros((space.instance.num_rounds, len(space.classes)))
        for c, kind in enumerate(space.classes):
            least[:, c] = prices[:, list(kind.cells)].min(axis=1)
        runs = self.way >= 0
        way = self.way[runs]
        cost = np.zeros(len(self.way))
        cost[runs] = self._way_gang[way] * least[self._round[runs], self.way_class[way]]
        for k in np.flatnonzero(self.choice.astype(bool) & ~runs).tolist():
            i, t = int(self._job[k]), int(self._round[k])
            content, _ = self._content(i, t - self.space.jobs[i].release, int(self.choice[k]))
            cost[k] = sum(units * least[t, kind] for kind, units in content)
        paid = np.bincount(self._job, cost, len(space.jobs))
        completes = self.last >= 0
        worth = np.zeros(len(space.jobs))
        worth[completes] = self._worth[(self.round_at[:-1] + self.last)[completes]]
        payoff: Floats = np.where(self.payoff <= -INF, -np.inf, worth - paid)
        return payoff

    def column(self, i: int) -> Column | None:
        """Return the best schedule of job i; None if it is to do nothing."""
        if self.payoff[i] <= -INF:
            return None
        chosen, runs = self.chosen(), self._runs
        release = self.space.jobs[i].release
        first, end = chosen.begin[i], chosen.begin[i + 1]
        if first == end:
            return None
        rounds = tuple(
            (t, *runs[w]) if w >= 0 else (t, k, *self._content(i, t - release, k))
            for t, k, w in zip(
                chosen.round[first:end],
                chosen.option[first:end],
                chosen.way[first:end],
                strict=True,
            )
        )
        last = int(self.last[i])
        return Column(i, -1 if last < 0 else release + last, rounds)

    def _content(self, i: int, n: int, option: int) -> tuple[Content, Gangs]:
        """Return `_find_content`, found once after every `solve`."""
        if (i, n) not in self._contents:
            self._contents[i, n] = self._find_content(i, n, option)
        return self._contents[i, n]

    def _find_content(self, i: int, n: int, option: int) -> tuple[Content, Gangs]:
        """Classes that an option of no single gang uses in round n of job i, at least cost."""
        job, t = self.space.jobs[i], int(self.release[i]) + n
        if (i, n) in self._bounded:
            chosen = self._bounded[i, n][option]
            single = self.space.single
            return tuple((single[c], count) for c, count in chosen.cells), chosen.gangs
        target = self._cost[self.cost_at[i] + n * self.options[i] + option - 1]
        assert job.copies is not None
        prices = self._copy_prices(i)[n]
        for state in np.flatnonzero(job.copies.option == option).tolist():
            levels = kernel.copy_use(prices, job.copies.classes, job.copies.step, state)
            hosts = np.flatnonzero(levels >= 0)
            used = sorted(int(job.copies.classes[h, levels[h]]) for h in hosts)
            if used and sum(int(prices[index]) for index in used) == target:
                content = tuple((index, job.gang_size) for index in used)
                return content, Gangs(copies=tuple(used))
        raise AssertionError(f"no way of job {i} costs what its option costs in round {t}")


def _fill(prices: Ints, capacity: Sequence[int], gang: int) -> Ints:
    """Cost of `gang` units per round, cheapest first within the capacity of every cell."""
    order = np.argsort(prices, axis=1, kind="stable")
    counts = np.minimum(np.array(capacity, np.int64), gang)[order]
    before = np.cumsum(counts, axis=1) - counts
    taken = np.clip(gang - before, 0, counts)
    cost: Ints = (taken * np.take_along_axis(prices, order, axis=1)).sum(axis=1)
    return cost


def _starts(counts: Ints) -> Ints:
    """Return the first entry of each item, and the total as the last."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _flat(arrays: Sequence[Ints]) -> Ints:
    if not arrays:
        return np.zeros(0, np.int64)
    return np.ascontiguousarray(np.concatenate([array.ravel() for array in arrays]))


__all__ = ["Column", "JobOptions", "Limits", "Pricing", "Space"]
