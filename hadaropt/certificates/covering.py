"""Least cost of enough progress by each round: exact tables, exact labels, or a safe relaxation.

Reaching Q iterations by round f at least cost is a covering knapsack with multiple choice: one
option per round at the most. All functions serve several requirements Q at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd

import numpy as np
from numpy.typing import NDArray

from hadaropt.certificates.options import IntArray, Options

MAX_TABLE_UNITS = 2_000
MAX_LABELS = 4_000
RELAXED_UNITS = 2_000
"""Units of a table over rounded progress."""
LEAST_UNITS = 8
"""Fewest units of the greatest progress in one round."""


@dataclass(frozen=True)
class Costs:
    """Least costs of completing.

    Attributes
    ----------
    cost : ndarray, shape (rounds, requirements)
        Least cost of reaching the requirement by the end of that round, or a lower bound on it;
        ``Options.unavailable`` if it cannot be reached.
    above : ndarray, shape (rounds, requirements)
        An upper bound on the least cost; the same array where the cost is exact.
    """

    cost: IntArray
    above: IntArray

    @property
    def exact(self) -> bool:
        """Whether the costs are exact and not lower bounds (progress rounded up)."""
        return self.above is self.cost


def least_costs(
    options: Options,
    first: int,
    last: int,
    needs: list[int],
    *,
    worth: int | None,
    exact: bool = True,
    forced: frozenset[int] = frozenset(),
) -> Costs:
    """Return the least costs of each requirement by each round ``first .. last``.

    Parameters
    ----------
    options : Options
    first, last : int
        The rounds in which the job may run.
    needs : list of int
        Requirements Q >= 1.
    worth : int or None
        Costs at or above it are of no interest (they may be reported as unavailable). None: all.
    exact : bool
        False: always use the relaxation when the table is large.
    forced : frozenset of int
        Rounds in which the job has to run.
    """
    cost = options.cost[first : last + 1]
    if not options.progress or not needs:
        blank = np.full((len(cost), len(needs)), options.unavailable, dtype=cost.dtype)
        return Costs(blank, blank)
    idle = np.array([t not in forced for t in range(first, last + 1)], dtype=bool)
    divisor = Fraction(gcd(*options.progress))
    if -(-max(needs) // divisor) <= MAX_TABLE_UNITS:
        table = _table(options, cost, needs, divisor, idle, worth)
        return Costs(table, table)
    if exact:
        labels = _labels(options, cost, needs, worth, idle)
        if labels is not None:
            return Costs(labels, labels)
    return Costs(
        _table(options, cost, needs, _quantum(options, needs, up=True), idle, worth),
        _table(options, cost, needs, _quantum(options, needs, up=False), idle, worth, up=False),
    )


def _quantum(options: Options, needs: list[int], *, up: bool) -> Fraction:
    """Return the greatest progress over that number of units for which rounding loses least."""
    fastest = options.progress[0]
    most = max(LEAST_UNITS, RELAXED_UNITS * fastest // max(needs))

    def loss(count: int) -> Fraction:
        return max(
            Fraction((-p * count % fastest) if up else (p * count % fastest), p * count)
            for p in options.progress
        )

    return Fraction(fastest, min(range((most + 1) // 2, most + 1), key=loss))


def _table(
    options: Options,
    cost: IntArray,
    needs: list[int],
    divisor: Fraction,
    idle: NDArray[np.bool_],
    worth: int | None,
    *,
    up: bool = True,
) -> IntArray:
    """Dense table over units of ``divisor`` iterations: exact if it divides every progress.

    Otherwise sum ceil(p / q) >= ceil(Q / q) is necessary for sum p >= Q, so the costs are lower
    bounds; with ``up=False``, sum floor(p / q) >= ceil(Q / q) is sufficient: upper bounds. That
    holds for every rational q > 0. Rows are cut off where they reach ``worth``.
    """
    read = np.array([-(-need // divisor) for need in needs], dtype=np.int64)
    units = int(read.max())
    steps = [min(units, -(-p // divisor) if up else p // divisor) for p in options.progress]
    never = options.unavailable
    row = np.zeros(1, dtype=cost.dtype)
    result = np.full((len(cost), len(needs)), never, dtype=cost.dtype)
    for t in range(len(cost)):
        size = min(units, len(row) - 1 + max(steps)) + 1
        new = np.full(size, never, dtype=cost.dtype)
        if idle[t]:
            new[: len(row)] = row
        least = never
        for k, step in enumerate(steps):
            price = cost[t, k]
            if price >= least:
                continue
            least = price
            end = min(size, len(row) + step)
            np.minimum(new[: step + 1], row[0] + price, out=new[: step + 1])
            np.minimum(new[step:end], row[: end - step] + price, out=new[step:end])
        row = np.minimum(new, never)
        reached = read < size
        result[t, reached] = row[read[reached]]
        if worth is not None:
            row = row[: max(1, int(np.searchsorted(row, min(worth, never))))]
    return result


def _labels(
    options: Options,
    cost: IntArray,
    needs: list[int],
    worth: int | None,
    idle: NDArray[np.bool_],
) -> IntArray | None:
    """Exact Pareto labels (progress, cost); None if they become too many."""
    never = options.unavailable
    most = max(needs)
    read = np.array(needs)
    steps = [min(most, p) for p in options.progress]
    progress = np.zeros(1, dtype=np.int64)
    paid = np.zeros(1, dtype=cost.dtype)
    result = np.full((len(cost), len(needs)), never, dtype=cost.dtype)
    for t in range(len(cost)):
        parts, prices, least = [], [], never
        if idle[t]:
            parts, prices = [progress], [paid]
        for k, step in enumerate(steps):
            price = cost[t, k]
            if price >= least:
                continue
            least = price
            parts.append(np.minimum(progress + step, most))
            prices.append(paid + price)
        if not parts:
            break
        gained, spent = np.concatenate(parts), np.concatenate(prices)
        order = np.lexsort((spent, -gained))
        gained, spent = gained[order], spent[order]
        lowest = np.minimum.accumulate(spent)
        keep = np.ones(len(spent), dtype=bool)
        keep[1:] = spent[1:] < lowest[:-1]
        if worth is not None:
            keep &= (spent < worth) | (gained == 0)
        progress, paid = gained[keep][::-1], spent[keep][::-1]
        if len(progress) > MAX_LABELS:
            return None
        place = np.searchsorted(progress, read)
        reached = place < len(progress)
        result[t, reached] = paid[place[reached]]
    return result
