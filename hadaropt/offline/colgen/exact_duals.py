"""Exact dual values of an optimal basis, and the exact bound that they prove.

The duals of a float LP prove its value only up to rounding. Where a leaf is tight (its LP value
equals the incumbent) the basis is solved again over the rationals: y A_B = c_B.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import flint
import numpy as np

from hadaropt.offline.colgen.cell_bounds import bounded_options, fill
from hadaropt.offline.colgen.column_generation import Proof, Relaxation
from hadaropt.offline.colgen.cut_row import Cut, Gangs
from hadaropt.offline.colgen.master import Master
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.colgen.pricing_problem import Limits, Pricing

MAX_ROWS = 600
"""Rows of a basis up to which it is solved exactly. More: larger LPs get exact bounds, at a cost
that grows with the cube."""
Units = np.ndarray[tuple[int, ...], np.dtype[np.object_]]
"""Prices of cells as Python integers of any size, shape (T, cells)."""
INFINITE = 1 << 4000
"""Cost of what is impossible: above every sum of exact costs."""


def exact_proof(relaxation: Relaxation, limits: Limits) -> Proof | None:
    """Return the exact bound at the exact duals of the last basis; None if that is too large."""
    duals = exact_duals(relaxation.master)
    if duals is None:
        return None
    space = relaxation.space
    rounds, cells = space.instance.num_rounds, len(space.capacity)
    first, sets = len(space.jobs), relaxation.master.priced
    zero = Fraction(0)
    prices = [zero] * (rounds * cells)
    for k in range(rounds * len(sets)):
        price = duals.get(first + k, zero)
        if price > 0:
            for c in np.flatnonzero(sets[k % len(sets)]).tolist():
                prices[k // len(sets) * cells + c] += price
    last = relaxation.master.first_cut_row
    cuts = [(c, duals.get(last + c, zero)) for c in range(len(relaxation.master.cuts))]
    cuts = [(c, price) for c, price in cuts if price > 0]
    values = (value for job in space.jobs for value in job.values)
    scale = lcm(
        *(value.denominator for value in values),
        *(price.denominator for price in prices),
        *(price.denominator for _, price in cuts),
    )
    units = np.array([int(price * scale) for price in prices], object).reshape(rounds, cells)
    tolls = [(c, int(price * scale)) for c, price in cuts]
    total = exact_payoffs(
        relaxation.pricing,
        units,
        [(relaxation.master.cuts[c], price) for c, price in tolls],
        scale,
        limits,
    )
    if total is None:
        return Proof(units, tuple(tolls), scale, None)
    total += sum(
        price * count
        for row in units.tolist()
        for price, count in zip(row, space.capacity, strict=True)
    )
    total += sum(price * relaxation.master.cuts[c].rhs for c, price in tolls)
    return Proof(units, tuple(tolls), scale, Fraction(total, scale))


def exact_duals(master: Master) -> dict[int, Fraction] | None:
    """Return row -> dual of the last optimal basis, over the rationals; absent rows have 0."""
    if not master.space.jobs:
        return {}
    columns, rows = master.highs.basis()
    active = np.flatnonzero(~rows).tolist()
    basic = np.flatnonzero(columns).tolist()
    if len(active) != len(basic) or len(active) > MAX_ROWS:
        return None
    if not active:
        return {}
    place = {row: k for k, row in enumerate(active)}
    size = len(active)
    matrix = flint.fmpz_mat(size, size)
    costs = []
    for k, column in enumerate(basic):
        entries, cost = master.exact_column(column)
        costs.append(cost)
        for row, value in entries:
            if row in place:
                matrix[k, place[row]] = value
    scale = lcm(*(cost.denominator for cost in costs))
    right = flint.fmpz_mat(size, 1, [int(cost * scale) for cost in costs])
    try:
        solution = matrix.solve(right)
    except ZeroDivisionError:
        return None
    return {
        row: Fraction(int(solution[k, 0].p), int(solution[k, 0].q) * scale)
        for row, k in place.items()
    }


def exact_payoffs(
    pricing: Pricing,
    units: Units,
    tolls: Sequence[tuple[Cut, int]],
    scale: int,
    limits: Limits,
) -> int | None:
    """Return the sum of the maximum payoffs in units of 1 / scale, in unbounded integers."""
    space = pricing.space
    total = 0
    rows = units.tolist()
    class_cost = [_class_costs(space, c, rows) for c in range(len(space.classes))]
    for i in range(len(space.jobs)):
        payoff = _payoff(pricing, i, class_cost, units, tolls, scale, limits)
        if payoff is None:
            return None
        total += payoff
    return total


def _class_costs(space: Space, index: int, rows: Sequence[Sequence[int]]) -> list[int]:
    """Cost of one GPU of a class per round, or of the whole gang where cells limit the fill.

    ``rows`` are the prices of all cells in every round.
    """
    kind = space.classes[index]
    if kind.gang_size == 0:
        return [min(row[c] for c in kind.cells) for row in rows]
    costs = []
    for row in rows:
        found = fill(space, kind.cells, kind.gang_size, row, {})
        assert found is not None  # classes without room for the gang are never made
        costs.append(found[0])
    return costs


def _option_costs(
    pricing: Pricing,
    i: int,
    class_cost: Sequence[Sequence[int]],
    units: Units,
    tolls: Sequence[tuple[Cut, int]],
    limits: Limits,
) -> list[list[int]]:
    job, space = pricing.space.jobs[i], pricing.space
    mine = [(toll, price) for toll, price in tolls if i in toll.weights]
    result = []
    for n in range(len(job.values)):
        t = job.release + n
        costs = [INFINITE] * len(job.progress)
        for option, index, types in job.ways:
            gang = job.gang_size if space.classes[index].gang_size == 0 else 1
            cost = gang * class_cost[index][t]
            for toll, price in mine:
                if toll.round == t:
                    cost += toll.weight(i, Gangs(types)) * price
            costs[option - 1] = min(costs[option - 1], cost)
        if job.copies is not None:
            copies = job.copies
            states = [INFINITE] * len(copies.step)
            states[0] = 0
            here = [(cut, price) for cut, price in mine if cut.round == t]
            for row in copies.classes.tolist():
                grown = list(states)
                for s, cost in enumerate(states):
                    if cost >= INFINITE:
                        continue
                    for index, to in zip(row, copies.step[s].tolist(), strict=True):
                        if index >= 0 and to >= 0:
                            gang = job.gang_size if space.classes[index].gang_size == 0 else 1
                            alone = Gangs(copies=(index,))
                            extra = sum(cut.weight(i, alone) * price for cut, price in here)
                            each = gang * class_cost[index][t] + extra
                            grown[to] = min(grown[to], cost + each)
                states = grown
            for cost, option in zip(states, copies.option.tolist(), strict=True):
                if option:
                    costs[option - 1] = min(costs[option - 1], cost)
        result.append(costs)
    for (j, n), bounds in limits.cells.items():
        if j != i:
            continue
        t = job.release + n
        now = [(cut, price) for cut, price in mine if cut.round == t]
        found = bounded_options(space, job, units[t].tolist(), bounds, now, i)
        result[n] = [
            found[k].cost if k in found else INFINITE for k in range(1, len(job.progress) + 1)
        ]
    return result


def _payoff(
    pricing: Pricing,
    i: int,
    class_cost: Sequence[Sequence[int]],
    units: Units,
    tolls: Sequence[tuple[Cut, int]],
    scale: int,
    limits: Limits,
) -> int | None:
    """Return the payoff of `hadaropt.kernels.pricing.columns` in unbounded integers.

    From labels (progress, cost), as `hadaropt.kernels.pricing.label_columns` has it.
    """
    job, base = pricing.space.jobs[i], int(pricing.round_at[i])
    low = limits.low[base : base + len(job.values)].tolist()
    high = limits.high[base : base + len(job.values)].tolist()
    costs = _option_costs(pricing, i, class_cost, units, tolls, limits)
    worth = [int(value * scale) for value in job.values]
    best = -INFINITE
    if not limits.must[i]:
        idle = 0
        for n, least in enumerate(low):
            if least > 0:
                idle += min((costs[n][k - 1] for k in range(least, high[n] + 1)), default=INFINITE)
        if idle < INFINITE:
            best = -idle
    labels = [(0, 0)]
    begin, stop = int(limits.begin[i]), min(int(limits.end[i]) + 1, len(worth))
    for n in range(stop if begin < stop else 0):
        if worth[n] <= best:
            break
        new = list(labels) if low[n] == 0 else []
        least = INFINITE
        for k in range(high[n], max(low[n], 1) - 1, -1):
            cost = costs[n][k - 1]
            if cost >= least:
                continue
            least, gain = cost, job.progress[k - 1]
            new += [(min(job.need, made + gain), paid + cost) for made, paid in labels]
        later = worth[max(n, begin)] - best
        labels = _undominated([label for label in new if label[1] < later])
        if n >= begin and labels and labels[0][0] == job.need:
            best = max(best, worth[n] - labels[0][1])
    return None if best <= -INFINITE else best


def _undominated(labels: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the labels that no other makes as much progress as at no more cost, best first."""
    kept: list[tuple[int, int]] = []
    for made, paid in sorted(labels, key=lambda label: (-label[0], label[1])):
        if not kept or paid < kept[-1][1]:
            kept.append((made, paid))
    return kept


__all__ = ["exact_proof"]
