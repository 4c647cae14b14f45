"""Search for prices over time at which the bound is large (any prices give a bound)."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.auditing.bounds import Floats, Ints, Pool, Prices, priced_completions

FEW, MANY, MANY_JOBS = 400, 2000, 20_000
"""Intervals of time at which prices change, and the jobs from which on there are many."""
STEPS = 150
PATIENCE, LEAST_STEP = 8, 0.02


@dataclass(frozen=True)
class Found:
    """The best bound found on the sum of completions, in ticks, and its prices (None: prices 0)."""

    completions: Fraction
    prices: Prices | None


def search_prices(
    pool: Pool,
    target: Fraction,
    *,
    preemption: bool,
    start: Prices | None = None,
    intervals: int | None = None,
    steps: int = STEPS,
) -> Found:
    """Return prices by a subgradient search with the step of B. T. Polyak (1969).

    Parameters
    ----------
    pool : Pool
    target : Fraction
        The sum of completions of some schedule, in ticks: where the search aims.
    preemption : bool
    start : Prices, optional
        Where it starts; without: the prices of one machine.
    intervals : int, optional
        At which prices change; more where there are many jobs.
    steps : int
    """
    if start is None:
        count = intervals or (FEW if len(pool.jobs) < MANY_JOBS else MANY)
        edges, price = _of_one_machine(pool, count)
    else:
        edges, price = start.edges, start.price.astype(float) / 2.0**start.shift
    lengths = np.diff(edges).astype(float)
    there = np.array([float(area) for area in pool.gpu_steps(edges)]) / lengths
    gang, aim = int(pool.gang.max()), float(target * pool.scale)
    best, found = Fraction(-1), None
    centre, factor, failed = price, 1.0, 0
    for _ in range(steps):
        rounded = Prices.rounded(edges, price, gang)
        value, used = priced_completions(pool, rounded, preemption=preemption)
        if value > best:
            best, found, centre, failed = value, rounded, price, 0
        else:
            failed += 1
        if failed >= PATIENCE:
            factor, failed, price = factor / 2, 0, centre
            if factor < LEAST_STEP:
                break
            continue
        slope = used / lengths - there
        slope = np.where((price <= 0) & (slope < 0), 0.0, slope)
        size = float(slope**2 @ lengths)
        gap = aim - float(value * pool.scale)
        if size == 0 or gap <= 0:
            break
        price = np.maximum(0.0, price + factor * gap / size * slope)
    return Found(best, found)


def _of_one_machine(pool: Pool, intervals: int) -> tuple[Ints, Floats]:
    """Return intervals of time, and in each the mean price that is optimal for one machine.

    Of as many GPUs as there are in the end. The machine always serves the released job of least
    work, as a whole (M. X. Goemans, 1997). While it serves j, the price falls at rate
    1 / (W_j p_j); it is 0 when the machine is idle.
    """
    pieces = _served(pool)
    last = max(pieces[-1][1], float((pool.release + pool.service).max()))
    level: dict[int, float] = {}
    times, values = [last], [0.0]
    after = 0.0
    for begin, end, j in reversed(pieces):
        work = max(1.0, float(pool.gang[j] * pool.service[j]))
        if end < times[-1] - 1e-9 * last:
            times += [times[-1], end]
            values += [0.0, 0.0]
            after = 0.0
        top = level.setdefault(j, after + end / work)  # the price of j's work at time 0
        times += [end, begin]
        values += [max(0.0, top - end / work), max(0.0, top - begin / work)]
        after = values[-1]
    x, y = np.array(times[::-1]), np.array(values[::-1])
    area = np.concatenate([[0.0], np.cumsum((y[1:] + y[:-1]) / 2 * np.diff(x))])
    ends = np.array([end for _, end, _ in pieces])
    cuts = np.concatenate(
        [
            ends[:: max(1, 2 * len(ends) // intervals)],
            np.linspace(0.0, last * 1.02 + 2, intervals // 2 + 1),
        ]
    )
    edges = np.unique(np.floor(cuts).astype(np.int64))
    if edges[0] > 0:
        edges = np.concatenate([np.zeros(1, np.int64), edges])
    if len(edges) == 1:
        edges = np.concatenate([edges, edges + 1])
    paid = np.interp(edges.astype(float), x, area)
    return edges, np.maximum(0.0, np.diff(paid) / np.diff(edges))


def _served(pool: Pool) -> list[tuple[float, float, int]]:
    """Return when one machine serves which job: (from, until, job), ascending."""
    work = pool.gang * pool.service / pool.capacity.last
    order = np.argsort(pool.release, kind="stable")
    left = work.copy()
    waiting: list[tuple[float, int]] = []
    pieces: list[tuple[float, float, int]] = []
    now, i = 0.0, 0
    while i < len(order) or waiting:
        if not waiting:
            now = max(now, float(pool.release[order[i]]))
        while i < len(order) and pool.release[order[i]] <= now:
            heapq.heappush(waiting, (float(work[order[i]]), int(order[i])))
            i += 1
        j = waiting[0][1]
        until = now + float(left[j])
        stopped = i < len(order) and until > pool.release[order[i]]
        if stopped:
            until = float(pool.release[order[i]])
        pieces.append((now, until, j))
        left[j] -= until - now
        if not stopped:
            heapq.heappop(waiting)
        now = until
    return pieces
