"""The primal-dual algorithm in one compiled pass: nodes do not matter, each GPU has one price."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate

import numpy as np

from hadaropt.instance import Instance
from hadaropt.online.prices.rounding import RoundedTables
from hadaropt.online.state import Ints
from hadaropt.pricing.arrivals import Plans, price_arrivals
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
    plans = found.plans()
    allocations, bounds = _allocations(instance, plans), plans.bounds.tolist()
    jobs: list[tuple[Allocation, ...]] = [()] * len(instance.jobs)
    completion: list[int | None] = [None] * len(instance.jobs)
    payoffs = [Fraction(0)] * len(instance.jobs)
    for k, j in enumerate(plans.jobs):
        finish = int(found.completion[j])
        if finish >= 0:
            jobs[j] = tuple(allocations[bounds[k] : bounds[k + 1]])
            completion[j] = finish
            payoffs[j] = instance.value(j, finish) - int(found.charge[j]) / scale
    slack = sum(found.slack.values(), Fraction(0))
    prices = Prices(found.prices, scale, "type")
    return Schedule(tuple(jobs)), tuple(completion), tuple(payoffs), slack, prices


def _allocations(instance: Instance, plans: Plans) -> list[Allocation]:
    """Put GPUs of a type on nodes in order of their index, as `Occupancy` does, entry by entry.

    Nodes fill up one after the other, so the GPUs of a type that were in use before decide where
    the next ones are. Equal GPUs are one object.
    """
    columns = list(zip(*instance.cluster.capacity, strict=True))
    ends = [list(accumulate(column)) for column in columns]
    in_use = _used_before(plans.rounds, plans.use)
    alike = np.zeros(len(plans.rounds), np.int64)
    for r, end in enumerate(ends):
        held = np.where(plans.use[:, r] > 0, in_use[:, r] * (end[-1] + 1) + plans.use[:, r], 0)
        kinds, kind = np.unique(held, return_inverse=True)
        alike = np.unique(alike * len(kinds) + kind, return_inverse=True)[1]
    _, examples = np.unique(alike, return_index=True)
    places = []
    for first, use in zip(in_use[examples].tolist(), plans.use[examples].tolist(), strict=True):
        taken = [_take(r, end, first[r], use[r]) for r, end in enumerate(ends) if use[r]]
        places.append(tuple(sorted(place for of_type in taken for place in of_type)))
    return list(map(Allocation, plans.rounds.tolist(), map(places.__getitem__, alike.tolist())))


def _used_before(rounds: Ints, use: Ints) -> Ints:
    """Return the units of every type that earlier entries use in the round of each entry."""
    order = np.argsort(rounds, kind="stable")
    ordered = use[order].astype(np.int64)
    before = ordered.cumsum(axis=0) - ordered
    begins = np.searchsorted(rounds[order], rounds[order])
    found = np.empty_like(before)
    found[order] = before - before[begins]
    return found


def _take(r: int, ends: list[int], first: int, wanted: int) -> list[tuple[int, int, int]]:
    """Return (node, type, GPUs) of the GPUs first .. first + wanted - 1 of a type."""
    places = []
    at, last = first, first + wanted
    if last > ends[-1]:
        raise AssertionError(f"type {r} is oversold")
    h = bisect_right(ends, first)  # the first node of which the end lies beyond
    while at < last:
        here = min(last, ends[h]) - at
        if here:
            places.append((h, r, here))
        at, h = at + here, h + 1
    return places


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
