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
    begin: int = 0,
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
    begin : int
        The first round in which it may complete, for a single requirement. Whatever it did before
        counts as one unit less than the requirement at the most: it has to run once more.
    """
    cost = options.cost[first : last + 1]
    if not options.progress or not needs:
        blank = np.full((len(cost), len(needs)), options.unavailable, dtype=cost.dtype)
        return Costs(blank, blank)
    idle = np.array([t not in forced for t in range(first, last + 1)], dtype=bool)
    if begin > first and len(needs) != 1:
        raise ValueError("begin needs a single requirement")
    early = max(0, begin - first)
    divisor = gcd(*options.progress)
    if -(-max(needs) // divisor) <= MAX_TABLE_UNITS:
        table = _table(options, cost, needs, divisor, idle, early)
        return Costs(table, table)
    if exact:
        labels = _labels(options, cost, needs, worth, idle, early)
        if labels is not None:
            return Costs(labels, labels)
    quantum = _quantum(options.progress, max(needs))
    return Costs(
        _table(options, cost, needs, quantum, idle, early),
        _table(options, cost, needs, quantum, idle, early, up=False),
    )


def _quantum(progress: tuple[int, ...], longest: int) -> Fraction:
    """Return a quantum of about `RELAXED_UNITS` to the longest requirement that rounds up well.

    It divides the greatest progress, so that running at full speed loses nothing.
    """
    fastest = min(max(progress), longest)
    most = RELAXED_UNITS * fastest // longest
    if most <= 1:
        return Fraction(longest, RELAXED_UNITS)
    counts = np.arange((most + 1) // 2, most + 1)
    parts = np.outer([min(p, longest) / fastest for p in progress if p > 0], counts)
    lost = (np.ceil(parts - 1e-9) / parts).max(axis=0)
    return Fraction(fastest, int(counts[lost.argmin()]))


def _table(
    options: Options,
    cost: IntArray,
    needs: list[int],
    quantum: Fraction | int,
    idle: NDArray[np.bool_],
    early: int,
    *,
    up: bool = True,
) -> IntArray:
    """Dense table over units of ``quantum`` iterations: exact if it divides every progress.

    Otherwise sum ceil(p / q) >= ceil(Q / q) is necessary for sum p >= Q, so the costs are lower
    bounds; with ``up=False``, sum floor(p / q) >= ceil(Q / q) is sufficient: upper bounds.
    """
    whole, parts = quantum.numerator, quantum.denominator
    read = np.array([-(-need * parts // whole) for need in needs])
    units = int(read.max())
    steps = [
        min(units, -(-p * parts // whole) if up else p * parts // whole) for p in options.progress
    ]
    never = options.unavailable
    row = np.full(units + 1, never, dtype=cost.dtype)
    row[0] = 0
    result = np.empty((len(cost), len(needs)), dtype=cost.dtype)
    for t in range(len(cost)):
        new = row.copy() if idle[t] else np.full(units + 1, never, dtype=cost.dtype)
        least = never
        for k, step in enumerate(steps):
            price = cost[t, k]
            if price >= least:
                continue
            least = price
            np.minimum(new[: step + 1], row[0] + price, out=new[: step + 1])
            np.minimum(new[step:], row[: units + 1 - step] + price, out=new[step:])
        row = np.minimum(new, never)
        if t < early:
            row[units - 1] = min(row[units - 1], row[units])
            row[units] = never
        result[t] = row[read]
    return result


def _labels(
    options: Options,
    cost: IntArray,
    needs: list[int],
    worth: int | None,
    idle: NDArray[np.bool_],
    early: int,
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
        if t < early:
            gained = np.minimum(gained, most - 1)
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
