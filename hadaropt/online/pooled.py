"""The primal-dual algorithm in one compiled pass: nodes do not matter, each GPU has one price."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate

import numpy as np

from hadaropt.instance import Instance
from hadaropt.online.prices.rounding import RoundedTables
from hadaropt.online.state import Ints
from hadaropt.pricing.arrivals import price_arrivals
from hadaropt.results import Prices
from hadaropt.schedule import Allocation, Schedule


def commit_pooled(
    instance: Instance, tables: RoundedTables | None, scale: Fraction, order: list[int]
) -> tuple[Schedule, tuple[int | None, ...], tuple[Fraction, ...], Fraction, Prices]:
    """Return (schedule, completion, payoffs, slack, final prices), as `Decisions` has them.

    They are those of `commit_one_by_one`.

    Parameters
    ----------
    instance : Instance
        Pooled.
    tables : RoundedTables or None
        Prices per type, without charges by the bundle; None means that all prices stay 0.
    scale : Fraction
    order : list of int
        Jobs in order of arrival.
    """
    rows, row_of = stack_tables(instance, tables)
    found = price_arrivals(instance, rows, row_of, scale=scale, jobs=order)
    placer = _Placer(instance)
    plans = found.plans()
    jobs: list[tuple[Allocation, ...]] = [()] * len(instance.jobs)
    completion: list[int | None] = [None] * len(instance.jobs)
    payoffs = [Fraction(0)] * len(instance.jobs)
    for j in order:
        finish = int(found.completion[j])
        if finish >= 0:
            jobs[j] = tuple(placer.place(t, use) for t, use in plans[j])
            completion[j] = finish
            payoffs[j] = instance.value(j, finish) - int(found.charge[j]) / scale
    slack = sum(found.slack.values(), Fraction(0))
    prices = Prices(found.prices, scale, "type")
    return Schedule(tuple(jobs)), tuple(completion), tuple(payoffs), slack, prices


class _Placer:
    """Puts GPUs of a type on nodes in order of their index, as `Occupancy` does.

    Nodes fill up one after the other, so the number of GPUs in use decides where the next ones are.
    """

    def __init__(self, instance: Instance) -> None:
        columns = list(zip(*instance.cluster.capacity, strict=True))
        self._ends = [list(accumulate(column)) for column in columns]
        self._used = [[0] * instance.num_rounds for _ in columns]
        self._known: dict[tuple[int, int, int], tuple[tuple[int, int, int], ...]] = {}

    def place(self, t: int, use: tuple[int, ...]) -> Allocation:
        """Take ``use`` units of each type in round t and return where they are."""
        places: tuple[tuple[int, int, int], ...] = ()
        kinds = 0
        for r, wanted in enumerate(use):
            if wanted:
                places += self._take(r, self._used[r][t], wanted)
                self._used[r][t] += wanted
                kinds += 1
        return Allocation(t, tuple(sorted(places)) if kinds > 1 else places)

    def _take(self, r: int, first: int, wanted: int) -> tuple[tuple[int, int, int], ...]:
        key = r, first, wanted
        if key not in self._known:
            ends, places = self._ends[r], []
            at, last = first, first + wanted
            if last > ends[-1]:
                raise AssertionError(f"type {r} is oversold")
            h = bisect_right(ends, first)  # the first node of which the end lies beyond
            while at < last:
                here = min(last, ends[h]) - at
                if here:
                    places.append((h, r, here))
                at, h = at + here, h + 1
            self._known[key] = tuple(places)
        return self._known[key]


def stack_tables(instance: Instance, tables: RoundedTables | None) -> tuple[Ints, Ints]:
    """Return the distinct tables of a round, (K, R, units), and the one of each round, (T,).

    They hold prices up to the most GPUs that all jobs together can have, or all GPUs if there are
    fewer.
    """
    counts = instance.cluster.pooled_capacity
    demand = sum(job.gang_size for job in instance.jobs)
    width = min(max(counts, default=0), demand) + 1
    distinct: dict[tuple[int, ...], int] = {}
    rows: list[Ints] = []
    row_of = np.zeros(instance.num_rounds, np.int64)
    for t in range(instance.num_rounds):
        here = [None if tables is None else tables.tables.get((t, r)) for r in range(len(counts))]
        key = tuple(id(table) for table in here)
        if key not in distinct:
            distinct[key] = len(rows)
            row = np.zeros((len(counts), width), np.int64)
            for r, table in enumerate(here):
                if tables is not None and table is not None:
                    known = min(width, len(table))
                    row[r, :known] = [tables.units((t, r), g) for g in range(known)]
                    row[r, known:] = table[-1]
            rows.append(row)
        row_of[t] = distinct[key]
    return np.stack(rows), row_of
