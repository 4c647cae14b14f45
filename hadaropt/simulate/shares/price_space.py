"""Shares by column generation over the prices of the types: R + 1 rows, whatever the jobs.

A column is an answer x^k of all jobs at some prices, with its objective f_k and its use u_k of
each type. The master program mixes answers, max sum f_k y_k over sum u_k y_k <= N, sum y_k <= 1:
the mix is a feasible allocation worth at least that much, because the rates of the jobs are linear
in x. Its duals are the next prices p, and N p + max_x (f - p u) bounds the optimum from above (weak
duality).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hadaropt.errors import SolverError
from hadaropt.kernels.rounds.share_response import equal_response, total_response
from hadaropt.mip.highs import HighsModel
from hadaropt.mip.model import Floats, LinearModel

MOST_ROUNDS = 500
LEAST_USE = 1e-9
"""Smaller uses are rounding errors; HiGHS holds no coefficient below 1e-9."""
Response = Callable[[Floats, Floats, Floats, Floats], tuple[float, float]]


def equal_by_prices(
    counts: Floats, gang: Floats, gain: Floats, tolerance: float
) -> tuple[Floats, float, float]:
    """Maximise z with sum_r gain_ir x_ir >= z for every job; return x, z and an upper bound.

    Parameters
    ----------
    counts : ndarray of float64, shape (R,)
    gang : ndarray of float64, shape (m,)
    gain : ndarray of float64, shape (m, R)
        Every job needs a type with gain > 0.
    tolerance : float
        The bound exceeds z by at most this part of it.

    Raises
    ------
    SolverError
        If that is not reached within `MOST_ROUNDS` answers.
    """
    unit = float(gain.max(axis=1).min())
    x, z, bound = _generate(counts, gang, gain / unit, equal_response, tolerance)
    return x, z * unit, bound * unit


def total_by_prices(
    counts: Floats, gang: Floats, gain: Floats, tolerance: float
) -> tuple[Floats, float, float]:
    """Maximise sum_ir gain_ir x_ir; return x, the total and an upper bound.

    Parameters and errors are those of `equal_by_prices`.
    """
    unit = float(gain.max()) * max(1.0, float(counts.sum() / gang.min()))
    x, total, bound = _generate(counts, gang, gain / unit, total_response, tolerance)
    return x, total * unit, bound * unit


def _generate(
    counts: Floats, gang: Floats, gain: Floats, response: Response, tolerance: float
) -> tuple[Floats, float, float]:
    gain = np.ascontiguousarray(gain)
    master = _Master(counts)
    there = counts > 0
    prices = np.where(there, 1.0 / counts.sum(), 1.0 / max(1.0, counts.sum()) * 1e6)
    bound, best = np.inf, 0.0
    for _ in range(MOST_ROUNDS):
        x = np.empty_like(gain)
        objective, value = response(gain, gang, prices, x)
        bound = min(bound, float(counts @ prices) + value)
        if bound - best <= tolerance * bound:
            return master.mix(), best, bound
        master.add(x, objective, gang @ x)
        best, prices = master.solve()
    raise SolverError(f"shares of {len(gang)} jobs: {best} and {bound} after {MOST_ROUNDS} answers")


class _Master:
    """The program over the answers collected so far."""

    def __init__(self, counts: Floats) -> None:
        rows = len(counts) + 1
        none = np.zeros(0)
        self._answers: list[Floats] = []
        self._weights = none
        self._program = HighsModel(
            LinearModel(
                none,
                none,
                none,
                np.full(rows, -np.inf),
                np.append(counts, 1.0),
                np.zeros(1, np.int32),
                np.zeros(0, np.int32),
                none,
                np.zeros(0, np.bool_),
                True,
                list,
                list,
            ),
            background=False,
            options={"solver": "simplex", "presolve": "off"},
        )

    def add(self, x: Floats, objective: float, use: Floats) -> None:
        self._answers.append(x)
        column = np.append(use, 1.0)
        kept = np.flatnonzero(column > LEAST_USE)
        self._program.add_columns(
            np.array([objective]),
            np.zeros(1),
            np.full(1, np.inf),
            np.zeros(1, np.int32),
            kept.astype(np.int32),
            column[kept],
        )

    def solve(self) -> tuple[float, Floats]:
        """Return the value of the best mix, and the price of each type."""
        outcome = self._program.run()
        if outcome.x is None or outcome.objective is None or outcome.row_prices is None:
            raise SolverError(f"the mix of answers was not found: {outcome.raw_status}")
        self._weights = np.maximum(outcome.x, 0.0)
        return outcome.objective, np.maximum(outcome.row_prices[:-1], 0.0)

    def mix(self) -> Floats:
        """Return the allocation of the best mix."""
        return np.asarray(
            sum(
                (w * x for w, x in zip(self._weights, self._answers, strict=True) if w > 0),
                np.zeros_like(self._answers[0]),
            )
        )
