"""The shares of time that jobs get on types: the polytope, and one solve over it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from hadaropt.errors import SolverError
from hadaropt.mip.highs import HighsModel
from hadaropt.mip.model import Entries, Floats, LinearModel
from hadaropt.simulate.shares.price_space import equal_by_prices, total_by_prices

LEAST_NEED = 1e-8
"""HiGHS holds no coefficient below 1e-9."""
Solver = Literal["interior", "prices"]
SOLVERS: tuple[Solver, ...] = get_args(Solver)

TOLERANCE = 1e-9
"""Relative gap at which column generation stops; it is usually closed to rounding errors."""


@dataclass(frozen=True)
class ShareProblem:
    """What a policy knows when it divides the time of a cluster.

    Attributes
    ----------
    counts : ndarray of float64, shape (R,)
        N_r: GPUs of each type, > 0 for one of them.
    gang : ndarray of float64, shape (m,)
        s_i: GPUs that job i holds while it runs.
    speed : ndarray of float64, shape (m, R)
        T_ir: steps per second of the whole gang; 0 where it cannot run.
    weight : ndarray of float64, shape (m,)
        Priority, > 0.
    remaining : ndarray of float64, shape (m,)
        Steps left, > 0.
    age : ndarray of float64, shape (m,)
        Seconds since arrival.
    isolated_seconds : ndarray of float64, shape (m,)
        c_i: seconds that the steps done so far would have taken under the isolated share.
    solver : {"interior", "prices"}
        HiGHS' interior point on the whole program, or column generation over the prices of the
        types, to `TOLERANCE`.
    """

    counts: Floats
    gang: Floats
    speed: Floats
    weight: Floats
    remaining: Floats
    age: Floats
    isolated_seconds: Floats
    solver: Solver = "interior"

    @cached_property
    def proportional_speed(self) -> Floats:
        """Return sum_r T_ir N_r / sum_r N_r, shape (m,)."""
        return np.asarray(self.speed @ (self.counts / self.counts.sum()), np.float64)

    @cached_property
    def isolated_shares(self) -> Floats:
        """y_ir = N_r / (m s_i), rows that exceed 1 scaled down to 1, shape (m, R)."""
        equal = self.counts / (len(self.gang) * self.gang[:, None])
        return np.asarray(equal / np.maximum(equal.sum(axis=1, keepdims=True), 1.0), np.float64)

    @cached_property
    def isolated_speed(self) -> Floats:
        """sum_r T_ir y_ir, shape (m,)."""
        return self.received(self.isolated_shares)

    def received(self, shares: Floats) -> Floats:
        """Return sum_r T_ir x_ir, shape (m,)."""
        return np.asarray((self.speed * shares).sum(axis=1), np.float64)


@dataclass(frozen=True)
class Shares:
    """An allocation.

    Attributes
    ----------
    x : ndarray of float64, shape (m, R)
        x >= 0, sum_i s_i x_ir <= N_r, sum_r x_ir <= 1, within the solver's tolerance.
    objective : float
        The policy's objective, evaluated at x.
    """

    x: Floats
    objective: float


def most_equal(problem: ShareProblem, gain: Floats) -> tuple[Floats, float]:
    """Maximise z with sum_r gain_ir x_ir >= z for every job; return x and z.

    Every job needs a type with gain > 0. Rows are scaled to a largest gain of 1 and z to the least
    of the largest gains, which bounds it. A job that would then need less than `LEAST_NEED` of its
    fastest type is asked for that much, so that no coefficient is too small to be held.
    """
    if problem.solver == "prices":
        return equal_by_prices(problem.counts, problem.gang, gain, TOLERANCE)[:2]
    top = gain.max(axis=1)
    unit = float(top.min())
    x, z = _solve(problem, gain / top[:, None], np.maximum(unit / top, LEAST_NEED))
    return x, z * unit


def most_in_total(problem: ShareProblem, gain: Floats) -> Floats:
    """Maximise sum_ir gain_ir x_ir; return x."""
    if problem.solver == "prices":
        return total_by_prices(problem.counts, problem.gang, gain, TOLERANCE)[0]
    return _solve(problem, gain, None)[0]


def _solve(problem: ShareProblem, gain: Floats, need: Floats | None) -> tuple[Floats, float]:
    m, R = problem.speed.shape
    cell = np.arange(m * R)
    job, kind = cell // R, cell % R
    entries = Entries()
    entries.add(kind, cell, np.repeat(problem.gang, R))
    entries.add(R + job, cell, 1.0)
    rows, columns = R + m, m * R
    low = np.full(rows, -np.inf)
    high = np.concatenate([problem.counts, np.ones(m)])
    costs = gain.ravel()
    if need is not None:
        runs = np.flatnonzero(gain.ravel())
        entries.add(rows + job[runs], cell[runs], gain.ravel()[runs])
        entries.add(rows + np.arange(m), np.full(m, columns), -need)
        low, high = np.concatenate([low, np.zeros(m)]), np.concatenate([high, np.full(m, np.inf)])
        costs = np.append(np.zeros_like(costs), 1.0)
        rows, columns = rows + m, columns + 1
    start, index, value = entries.columns(rows, columns)
    model = LinearModel(
        costs,
        np.zeros(columns),
        np.full(columns, np.inf),
        low,
        high,
        start,
        index,
        value,
        np.zeros(columns, np.bool_),
        True,
        list,
        list,
    )
    # The programs are degenerate. An interior point spreads the shares over the jobs, as the
    # solvers behind the recorded runs do; a vertex gives some of them nothing.
    outcome = HighsModel(
        model, background=False, options={"solver": "ipm", "run_crossover": "off"}
    ).run()
    if outcome.x is None or outcome.termination != "optimal":
        raise SolverError(f"the shares of {m} jobs were not solved: {outcome.raw_status}")
    x = np.maximum(outcome.x[: m * R].reshape(m, R), 0.0)
    return x, float(outcome.x[-1]) if need is not None else 0.0
