"""Inputs on which solvers are known to go wrong, each with its right answer.

Every check goes through the same door to the solver as the library does, and fails if the handling
there does not give the right answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from hadaropt.errors import SolverError
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.interrupts import uninterrupted
from hadaropt.mip.highs import HighsModel, Outcome
from hadaropt.mip.model import Entries, LinearModel
from hadaropt.offline.compact.solve import solve_ilp
from hadaropt.utility import Linear

INF = np.inf


class WrongAnswerError(Exception):
    """A check of the solver failed."""


def _model(
    cost: Sequence[float],
    rows: Sequence[Sequence[float]],
    least: Sequence[float],
    most: Sequence[float],
    *,
    upper: Sequence[float] | None = None,
    integer: Sequence[int] = (),
    maximise: bool = True,
) -> LinearModel:
    """Return a small model from rows of numbers; columns are >= 0."""
    n, entries = len(cost), Entries()
    matrix = np.array(rows, np.float64).reshape(-1, n)
    i, k = np.nonzero(matrix)
    entries.add(i, k, matrix[i, k])
    whole = np.zeros(n, np.bool_)
    whole[list(integer)] = True
    return LinearModel(
        np.array(cost, np.float64),
        np.zeros(n),
        np.full(n, INF) if upper is None else np.array(upper, np.float64),
        np.array(least, np.float64),
        np.array(most, np.float64),
        *entries.columns(len(matrix), n),
        whole,
        maximise,
        lambda: [f"x{c}" for c in range(n)],
        lambda: [f"r{c}" for c in range(len(matrix))],
    )


def _point(outcome: Outcome) -> list[int]:
    """Return the rounded point of an optimal run."""
    _expect(outcome.termination, "optimal")
    if outcome.x is None:
        raise WrongAnswerError("optimal without a point")
    return [round(float(value)) for value in outcome.x]


def _expect(found: object, right: object) -> None:
    if found != right:
        raise WrongAnswerError(f"{found}, must be {right}")


def tolerance_is_not_spent() -> None:
    """Minimise 2x + 3z, x + z >= 4.5, z integer: the optimum is 9; some releases say 15."""
    model = _model([2, 3], [[1, 1]], [4.5], [INF], upper=[10, 10], integer=[1], maximise=False)
    _, z = _point(HighsModel(model).run())
    _expect(2 * max(Fraction(0), Fraction(9, 2) - z) + 3 * z, 9)


def gap_is_closed() -> None:
    """Solve a knapsack on which the solver's default gap passes for optimal."""
    rng = np.random.default_rng(55)
    weight = rng.integers(1000, 2000, 25)
    profit, limit = weight * 100 + rng.integers(-2000, 2000, 25), int(weight.sum() // 2)
    best = np.zeros(limit + 1, np.int64)
    for p, w in zip(profit, weight, strict=True):
        best[w:] = np.maximum(best[w:], best[:-w] + p)
    everything = range(25)
    model = _model(
        [float(p) for p in profit],
        [[float(w) for w in weight]],
        [-INF],
        [limit],
        upper=[1] * 25,
        integer=everything,
    )
    chosen = _point(HighsModel(model, cost_scale=2.0**-8).run())
    _expect(sum(int(w) * v for w, v in zip(weight, chosen, strict=True)) <= limit, True)
    _expect(sum(int(p) * v for p, v in zip(profit, chosen, strict=True)), int(best[-1]))


def no_zeros_without_an_incumbent() -> None:
    """Find no point and no objective without time, and for an infeasible program."""
    covered = _model([1] * 3, [[1] * 3], [2], [INF], upper=[1] * 3, integer=range(3))
    outcome = HighsModel(covered).run(time_limit=0.0)
    if outcome.termination != "optimal":
        _expect((outcome.x, outcome.objective), (None, None))
    odd = _model([1, 1], [[2, 4], [4, 2]], [3, 3], [3, 3], upper=[1, 1], integer=[0, 1])
    outcome = HighsModel(odd).run()
    _expect((outcome.termination, outcome.x, outcome.objective), ("infeasible", None, None))


def options_are_not_ignored() -> None:
    """Refuse a misspelt option; take a second number of threads in one process."""
    model = _model([-1], [[2]], [3], [INF], upper=[5], integer=[0])
    try:
        HighsModel(model, options={"mip_rel_gapp": 0.0})
    except SolverError:
        pass
    else:
        raise WrongAnswerError("a misspelt option is accepted")
    for threads in (2, 1):
        _expect(_point(HighsModel(model, threads=threads).run()), [2])


def binaries_are_rounded_and_checked() -> None:
    """Solve knapsacks whose binaries come back as 0.9999991; values against full enumeration."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        weights, profit = rng.integers(1, 1000, (4, 12)), rng.integers(1, 1000, 12)
        limits = weights.sum(axis=1) // 2
        model = _model(
            [float(p) for p in profit],
            [[float(w) for w in row] for row in weights],
            [-INF] * 4,
            [float(limit) for limit in limits],
            upper=[1] * 12,
            integer=range(12),
        )
        chosen = np.array(_point(HighsModel(model).run()))
        every = np.array(list(itertools.product((0, 1), repeat=12)))
        best = (every @ profit)[(every @ weights.T <= limits).all(axis=1)].max()
        _expect(bool((weights @ chosen <= limits).all()), True)
        _expect(int(profit @ chosen), int(best))


def five_binaries_are_feasible() -> None:
    """Solve a feasible program that a solver in wide use calls infeasible."""
    rows = [  # x0, x1, x2, c0, c1
        [1, 0, 0, 0, 1],
        [1, 0, 0, 1, 0],
        [0, 1, 0, 0, 1],
        [0, 0, 0, 1, 1],
        [0, 0, 1, 0, 0],
        [9000, 0, 7200, 0, 10800],
    ]
    least, most = [1, 1, -INF, -INF, 1, 16200], [1, INF, 1, 1, 1, INF]
    cost = [0.0, 0, 0, 1, 1]
    model = _model(cost, rows, least, most, upper=[1] * 5, integer=range(5), maximise=False)
    _expect(_point(HighsModel(model).run())[3:], [0, 0])


def prices_have_their_sign() -> None:
    """Price 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18: 0, 3/2, 1 from primal and dual."""
    rows, limits, none = np.array([[1, 0], [0, 2], [3, 2]]), np.array([4, 12, 18]), np.full(3, INF)
    plain = _model([3, 5], rows.tolist(), (-none).tolist(), limits.tolist())
    dual = _model([4, 12, 18], rows.T.tolist(), [3, 5], [INF, INF], maximise=False)
    found = HighsModel(plain).run().row_prices
    point = HighsModel(dual).run().x
    for prices in (found, point):
        if prices is None:
            raise WrongAnswerError("no prices")
        _expect(np.abs(prices - [0, 1.5, 1]).max() < 1e-9, True)
        _expect(bool(np.signbit(prices).any()), False)


def small_instance() -> Instance:
    """Return two jobs that compete for two GPUs; its optimum is 253/2."""
    tenth = Fraction(1, 10)
    jobs = (
        Job("a", 0, 2, 4000, {"V100": 40 * tenth, "P100": 15 * tenth}, Linear(100, 4)),
        Job("b", 1, 2, 1000, {"V100": 20 * tenth, "P100": 7 * tenth}, Linear(405 * tenth, 3)),
    )
    return Instance(Cluster.of({"n0": {"V100": 2}, "n1": {"P100": 2}}), jobs, 6)


def optimum_is_proved() -> None:
    """Solve a whole instance whose optimum is 253/2, proved in exact arithmetic."""
    answer = uninterrupted(solve_ilp(small_instance()))
    _expect((answer.status, answer.value), ("proved", Fraction(253, 2)))


CHECKS: dict[str, Callable[[], None]] = {
    "tolerance": tolerance_is_not_spent,
    "gap": gap_is_closed,
    "no incumbent": no_zeros_without_an_incumbent,
    "options": options_are_not_ignored,
    "rounding": binaries_are_rounded_and_checked,
    "feasibility": five_binaries_are_feasible,
    "price signs": prices_have_their_sign,
    "whole instance": optimum_is_proved,
}
