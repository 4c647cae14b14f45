"""Prices of types at which a workload is the most work (a heuristic: any prices give a bound)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog

from hadaropt.simulate.problem import RoundProblem

SCALE = 1 << 30
MOST_CUTS = 40
TOLERANCE = 1e-6


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
    cuts: list[list[float]] = []
    best, found = -1.0, share
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
        cuts.append([*(-slope / scale), 1 / scale])
        answer = linprog(
            [0.0] * len(there) + [-1.0 / max(best, 1e-300)],
            A_ub=cuts,
            b_ub=[0.0] * len(cuts),
            A_eq=[[1.0] * len(there) + [0.0]],
            b_eq=[1.0],
            bounds=[(0, 1)] * len(there) + [(None, None)],
        )
        if not answer.success or float(answer.x[-1]) <= best * (1 + TOLERANCE):
            break
        share = np.asarray(answer.x[:-1])
    prices = [0] * len(counts)
    for r, part in zip(there.tolist(), found.tolist(), strict=True):
        prices[r] = max(1, round(part / float(counts[r]) * SCALE))
    return prices
