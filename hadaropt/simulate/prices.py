"""Prices of types at which a workload is the most work (a heuristic: any prices give a bound)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hadaropt.mip.highs import HighsModel
from hadaropt.mip.model import Entries, Floats, linear_program
from hadaropt.simulate.problem import RoundProblem

SCALE = 1 << 30
"""Integer price of a type that is worth all of the cluster's unit and has one GPU."""
MOST_CUTS = 40
"""Programs that are solved at the most; more would hardly change the prices."""
TOLERANCE = 1e-6
"""Relative gain that the program must promise for another cut."""
LEAST = 1e-9
"""Smaller coefficients are left out: HiGHS does not take them."""


def dearest_prices(
    problem: RoundProblem, jobs: Sequence[int], types: Sequence[Sequence[int]]
) -> list[int]:
    """Return integer prices l_r that nearly maximise sum_j Q_j W_j min_r l_r / X_jr.

    Over sum_r C_r l_r = 1 (up to scale); r ranges over ``types[i]`` for ``jobs[i]``. The function
    is concave and piecewise linear in R prices, so few cuts suffice (J. E. Kelley, 1960).
    """
    counts = np.array(problem.cluster.pooled_capacity, float)
    there = np.flatnonzero(counts)
    # Cost of a job when type r is worth all of the cluster's unit; infinite where it cannot run.
    cost = np.full((len(jobs), len(counts)), np.inf)
    for i, (j, usable) in enumerate(zip(jobs, types, strict=True)):
        job = problem.jobs[j]
        for r in usable:
            cost[i, r] = job.iterations * job.gang_size / float(job.speed[r]) / counts[r]
    cost = cost[:, there]
    share = np.full(len(there), 1 / len(there))
    program: HighsModel | None = None
    best, found, unit = -1.0, share, 1.0
    for _ in range(MOST_CUTS):
        with np.errstate(invalid="ignore"):
            paid = np.where(np.isfinite(cost), cost * share, np.inf)
        cheapest = paid.argmin(axis=1)
        slope = np.zeros(len(there))
        np.add.at(slope, cheapest, cost[np.arange(len(jobs)), cheapest])
        value = float(slope @ share)
        if value > best:
            best, found = value, share
        scale = float(slope.max(initial=0.0)) or 1.0
        if program is None:
            program, unit = _program(len(there)), scale
        _add_cut(program, np.append(-slope, unit) / scale)
        outcome = program.run()
        if outcome.x is None or float(outcome.x[-1]) * unit <= best * (1 + TOLERANCE):
            break
        share = outcome.x[:-1]
    prices = [0] * len(counts)
    for r, part in zip(there.tolist(), found.tolist(), strict=True):
        prices[r] = max(1, round(part / float(counts[r]) * SCALE))
    return prices


def _program(types: int) -> HighsModel:
    """Return ``max u`` over shares that sum to 1, without any cut on u so far."""
    entries = Entries()
    entries.add(np.zeros(types, np.int64), np.arange(types), 1)
    lower = np.append(np.zeros(types), -np.inf)
    upper = np.append(np.ones(types), np.inf)
    cost, one = np.append(np.zeros(types), 1.0), np.ones(1)
    program = linear_program(cost, (lower, upper), (one, one), entries, maximise=True)
    return HighsModel(program, background=False)


def _add_cut(program: HighsModel, row: Floats) -> None:
    """Add ``row . (shares, u) <= 0``."""
    kept = np.flatnonzero(np.abs(row) > LEAST)
    start = np.zeros(1, np.int32)
    program.add_rows(np.array([-np.inf]), np.zeros(1), start, kept.astype(np.int32), row[kept])
