"""Gavel's linear programs (D. Narayanan et al., OSDI 2020), solved to optimality by HiGHS.

Every program ranges over x >= 0, sum_i s_i x_ir <= N_r, sum_r x_ir <= 1. Jobs that run nowhere
(T_ir = 0 on every type of the cluster) must be left out by the caller: they would hold every
max-min objective at 0.
"""

from __future__ import annotations

import numpy as np

from hadaropt.mip.model import Floats
from hadaropt.simulate.shares.model import ShareProblem, Shares, most_equal, most_in_total

DURATION_START = (100.0, 1e6)
DURATION_RATIO = 1.05


def max_min_fairness(problem: ShareProblem) -> Shares:
    """Maximise min_i s_i / (weight_i prop_i) sum_r T_ir x_ir."""
    factor = problem.gang / (problem.weight * problem.proportional_speed)
    x, _ = most_equal(problem, factor[:, None] * problem.speed)
    return Shares(x, float((factor * problem.received(x)).min()))


def max_sum_throughput(problem: ShareProblem) -> Shares:
    """Maximise sum_i sum_r T_ir x_ir."""
    x = most_in_total(problem, problem.speed)
    return Shares(x, float(problem.received(x).sum()))


def min_total_duration(problem: ShareProblem) -> Shares:
    """Minimise the longest remaining time max_i left_i / sum_r T_ir x_ir.

    With z = 1 / duration this is one linear program, so that no search is needed.
    """
    x, _ = most_equal(problem, problem.speed / problem.remaining[:, None])
    return Shares(x, float((problem.remaining / problem.received(x)).max()))


def min_total_duration_searched(problem: ShareProblem) -> Shares:
    """Return shares of the duration at which the reference's bisection stops.

    It halves [100 s, 10^6 s] (ten times later ranges if nothing there is feasible) until its ends
    are within 5 %. The shares are the optimal ones, slowed down to that duration.
    """
    best = min_total_duration(problem)
    low, high = DURATION_START
    top, found = high, None
    while found is None:
        while DURATION_RATIO * low < high:
            middle = (low + high) / 2
            if middle >= best.objective:
                found = high = middle
            else:
                low = middle
        low, high = top, top * 10
        top = high
    return Shares(best.x * (best.objective / found), found)


def finish_time_fairness(problem: ShareProblem) -> Shares:
    """Minimise max_i (age_i + left_i / sum_r T_ir x_ir) / (c_i + left_i / iso_i).

    For a given ratio rho the constraint of job i is linear,
    sum_r T_ir x_ir >= left_i / (rho (c_i + left_i / iso_i) - age_i), and the largest common factor
    by which all can be exceeded is a linear program; it grows with rho and the optimum is where
    it passes 1.
    """
    alone = problem.isolated_seconds + problem.remaining / problem.isolated_speed

    def ratio(x: Floats) -> float:
        with np.errstate(divide="ignore"):
            return float(((problem.age + problem.remaining / problem.received(x)) / alone).max())

    best = problem.isolated_shares
    high, low = ratio(best), float((problem.age / alone).max())

    def excess(rho: float) -> float:
        nonlocal best
        slack = rho * alone - problem.age
        if slack.min() <= 0:
            return -1.0
        x, factor = most_equal(problem, problem.speed * (slack / problem.remaining)[:, None])
        if ratio(x) < ratio(best):
            best = x
        return factor - 1.0

    if excess(high) > 0:
        from scipy.optimize import brentq  # a third of a second

        brentq(excess, low, high, xtol=1e-12 * max(1.0, high), rtol=1e-12)
    return Shares(best, ratio(best))
