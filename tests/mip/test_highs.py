"""The door to HiGHS. Tests named after a pitfall show the right value where a trap lies."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import textwrap
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import SolverError
from hadaropt.mip import highs
from hadaropt.mip.highs import HighsModel, cost_scale
from hadaropt.mip.model import LinearModel
from hadaropt.offline.compact.solution import rounded

INF = math.inf


def model(
    cost: list[float],
    rows: list[list[float]],
    upper: list[float],
    *,
    lower: list[float] | None = None,
    columns: tuple[list[float], list[float]] | None = None,
    integer: list[bool] | None = None,
    maximise: bool = True,
) -> LinearModel:
    """A model from dense rows; by default A x <= upper, x >= 0."""
    a = np.array(rows, float).reshape(len(upper), len(cost))
    from scipy import sparse

    csc = sparse.csc_matrix(a)
    n = len(cost)
    low, high = columns or ([0.0] * n, [INF] * n)
    return LinearModel(
        np.array(cost, float),
        np.array(low, float),
        np.array(high, float),
        np.array(lower or [-INF] * len(upper), float),
        np.array(upper, float),
        csc.indptr.astype(np.int32),
        csc.indices.astype(np.int32),
        csc.data,
        np.array(integer or [False] * n),
        maximise,
        lambda: [f"x{i}" for i in range(n)],
        lambda: [f"r{i}" for i in range(len(upper))],
    )


def knapsack(n: int, seed: int = 0) -> LinearModel:
    """A multi-dimensional knapsack that keeps branch and bound busy."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(5, 1000, (8, n)).astype(float)
    limits = (weights.sum(axis=1) / 2).tolist()
    cost = (weights.mean(axis=0) + rng.integers(0, 50, n)).tolist()
    bounds = ([0.0] * n, [1.0] * n)
    return model(cost, weights.tolist(), limits, columns=bounds, integer=[True] * n)


def test_pitfall_1_tolerance_is_not_spent() -> None:
    """Min 2x+3z, x+z>=4.5, x<=10, z integer: 9, and not 8.999999."""
    trap = model(
        [2, 3],
        [[1, 1]],
        [INF],
        lower=[4.5],
        columns=([0, 0], [10, 10]),
        integer=[False, True],
        maximise=False,
    )
    outcome = HighsModel(trap).run()
    assert outcome.objective == pytest.approx(9, abs=1e-8)
    assert outcome.x is not None
    assert rounded(outcome.x[1:]).tolist() == [0]


def test_pitfall_2_gap_is_zero() -> None:
    highs = HighsModel(knapsack(10))
    options = highs.facts.options
    assert options["mip_rel_gap"] == options["mip_abs_gap"] == 0
    assert options["threads"] == 1


def test_pitfall_2_no_incumbent_is_none() -> None:
    outcome = HighsModel(knapsack(200)).run(time_limit=0)
    assert outcome.termination == "time_limit"
    assert outcome.x is None
    assert outcome.objective is None
    assert outcome.bound == INF or outcome.bound > 0
    assert outcome.row_prices is None


def test_pitfall_2_infeasible_has_no_objective() -> None:
    outcome = HighsModel(model([1], [[1], [-1]], [1, -2])).run()
    assert outcome.termination in ("infeasible", "infeasible_or_unbounded")
    assert outcome.objective is None
    assert outcome.x is None


def test_pitfall_2_misspelt_option() -> None:
    with pytest.raises(SolverError, match="mip_rel_gapp"):
        HighsModel(knapsack(5), options={"mip_rel_gapp": 0.0})
    with pytest.raises(SolverError, match="mip_rel_gap"):
        HighsModel(knapsack(5), options={"mip_rel_gap": -1.0})


def test_pitfall_2_other_thread_count_in_one_process() -> None:
    """A second solve with another thread count used to fail quietly, with objective 0."""
    answers = [HighsModel(knapsack(12), threads=threads).run() for threads in (1, 2, 1)]
    assert [a.termination for a in answers] == ["optimal"] * 3
    assert len({round(a.objective or 0, 6) for a in answers}) == 1
    assert answers[0].objective


def test_pitfall_3_integers_are_rounded_or_refused() -> None:
    assert rounded(np.array([0.9999999, 2.0000001, -0.0])).tolist() == [1, 2, 0]
    for bad in (0.5, math.nan, 1.00001):
        with pytest.raises(SolverError, match="integer"):
            rounded(np.array([1.0, bad]))


def test_pitfall_5_prices_have_the_right_sign() -> None:
    """Max 3x+5y; x<=4; 2y<=12; 3x+2y<=18: prices 0, 1.5, 1, without -0.0."""
    outcome = HighsModel(model([3, 5], [[1, 0], [0, 2], [3, 2]], [4, 12, 18])).run()
    assert outcome.objective == pytest.approx(36)
    assert outcome.row_prices is not None
    assert outcome.row_prices == pytest.approx([0, 1.5, 1])
    assert not np.signbit(outcome.row_prices).any()


def test_pitfall_5_prices_of_a_minimisation() -> None:
    dual = model([3, 5], [[1, 0], [0, 2], [3, 2]], [4, 12, 18]).dual()
    outcome = HighsModel(dual).run()
    assert outcome.objective == pytest.approx(36)
    assert outcome.row_prices == pytest.approx([2, 6])  # the primal point
    flipped = model([-3, -5], [[1, 0], [0, 2], [3, 2]], [4, 12, 18], maximise=False)
    outcome = HighsModel(flipped).run()
    assert outcome.objective == pytest.approx(-36)
    assert outcome.row_prices == pytest.approx([0, -1.5, -1])


def test_pitfall_7_dropped_coefficients_are_refused() -> None:
    with pytest.raises(SolverError, match=r"passModel|dropped"):
        HighsModel(model([1, 1], [[1, 1e-10]], [1]))


def test_pitfall_7_unbounded_is_not_infeasible() -> None:
    outcome = HighsModel(model([1, 0], [[-1, 1]], [1])).run()
    assert outcome.termination in ("unbounded", "infeasible_or_unbounded")
    assert outcome.objective is None


def test_pitfall_7_time_limit_is_kept() -> None:
    limit = 0.5
    busy = HighsModel(knapsack(200))
    busy.set_start(np.zeros(200))  # however slow the machine is, there is an incumbent
    outcome = busy.run(time_limit=limit)
    assert outcome.termination == "time_limit"
    assert outcome.x is not None
    assert outcome.objective is not None
    assert outcome.objective <= outcome.bound < INF


def test_overrun_is_abandoned_with_its_incumbent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that neither stops nor listens is left alone; its best point is kept."""
    highs = HighsModel(knapsack(60))
    released = threading.Event()

    class Deaf:
        """Reports one incumbent, then ignores everything until released."""

        def __init__(self, inner: Any) -> None:
            self.inner, self.listeners = inner, []

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

        @property
        def cbMipImprovingSolution(self) -> Any:
            return self

        @cbMipImprovingSolution.setter
        def cbMipImprovingSolution(self, value: Any) -> None:
            pass

        def __iadd__(self, listener: Any) -> Any:
            self.listeners.append(listener)
            return self

        def run(self) -> None:
            class Event:
                class data_out:  # noqa: N801
                    objective_function_value = 7.0
                    mip_solution = np.ones(60)
                    mip_dual_bound = 9.0

            for listener in self.listeners:
                listener(Event)
            released.wait()

    monkeypatch.setattr(highs, "_highs", Deaf(highs._highs))
    monkeypatch.setattr("hadaropt.mip.highs.GRACE_SECONDS", 0.05)
    outcome = highs.run(time_limit=0.05)
    assert outcome.termination == "time_limit"
    assert outcome.objective == 7.0
    assert outcome.bound == 9.0
    assert outcome.x is not None
    with pytest.raises(SolverError, match="abandoned"):
        highs.run()
    released.set()


def test_interrupted_by_ctrl_c() -> None:
    program = textwrap.dedent(
        """
        import os, signal, threading
        from tests.mip.test_highs import HighsModel, knapsack
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
        highs = HighsModel(knapsack(300))
        heard = threading.Event()
        def press() -> None:  # again after a while: an interrupt may fall into a finalizer
            pause = 1.0
            while not heard.wait(pause):
                os.kill(os.getpid(), signal.SIGINT)
                pause = 15.0
        threading.Thread(target=press, daemon=True).start()
        try:
            highs.run()
        except KeyboardInterrupt:
            heard.set()
            print("interrupted", flush=True)
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=os.getcwd(),
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    assert done.stdout == "interrupted\n", done.stderr  # and no banner of the solver
    assert done.returncode == 0


def test_rows_and_columns_are_added_from_the_last_basis() -> None:
    """Max x + y, x + 2y <= 4; then 2x + y <= 4; then a column z."""
    highs = HighsModel(model([1, 1], [[1, 2]], [4]))
    assert highs.run().objective == pytest.approx(4)
    one = np.array([1.0])
    highs.add_rows(
        -INF * one,
        4 * one,
        np.array([0], np.int32),
        np.array([0, 1], np.int32),
        np.array([2.0, 1.0]),
    )
    outcome = highs.run()
    assert outcome.objective == pytest.approx(8 / 3)
    assert outcome.row_prices == pytest.approx([1 / 3, 1 / 3])
    highs.add_columns(
        3 * one,
        0 * one,
        INF * one,
        np.array([0], np.int32),
        np.array([0, 1], np.int32),
        np.array([1.0, 1.0]),
    )
    outcome = highs.run()
    assert outcome.objective == pytest.approx(12)
    assert outcome.x == pytest.approx([0, 0, 4])
    highs.set_bounds(np.array([2], np.int32), 0 * one, one)
    assert highs.run().objective == pytest.approx(3 + 2)


def test_start_is_used() -> None:
    highs = HighsModel(knapsack(40))
    highs.set_start(np.zeros(40))
    outcome = highs.run(time_limit=0.2)
    assert outcome.x is not None


def test_scaled_costs_scale_back() -> None:
    plain = model([3e-9, 5e-9], [[1, 0], [0, 2], [3, 2]], [4, 12, 18])
    scale = cost_scale(plain.cost)
    assert 512 <= 5e-9 * scale < 1024
    outcome = HighsModel(plain, cost_scale=scale).run()
    assert outcome.objective == pytest.approx(36e-9, rel=1e-12)
    assert outcome.row_prices == pytest.approx([0, 1.5e-9, 1e-9], rel=1e-9)
    assert cost_scale(np.zeros(3)) == 1


def test_empty_model() -> None:
    outcome = HighsModel(model([], [], [])).run()
    assert outcome.termination == "optimal"
    assert outcome.objective == 0
    assert outcome.x is not None and len(outcome.x) == 0


numbers = st.integers(0, 5).map(float)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_strong_duality_feasibility_and_slackness(data: st.DataObject) -> None:
    """On random LPs max c x, A x <= b, x >= 0 with a bounded feasible set."""
    n, m = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    rows = data.draw(st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=m, max_size=m))
    rows += [[1.0] * n]
    upper = data.draw(st.lists(numbers, min_size=m, max_size=m))
    upper.append(7.0)
    cost = data.draw(st.lists(st.integers(-3, 5).map(float), min_size=n, max_size=n))
    program = model(cost, rows, upper)
    outcome = HighsModel(program).run()
    dual = HighsModel(program.dual()).run()
    assert outcome.objective is not None and outcome.x is not None
    assert outcome.row_prices is not None and dual.objective is not None
    assert dual.objective == pytest.approx(outcome.objective, abs=1e-7)
    a, b, c = np.array(rows), np.array(upper), np.array(cost)
    y, x = outcome.row_prices, outcome.x
    assert b @ y == pytest.approx(c @ x, abs=1e-7)
    assert (y >= 0).all()
    assert (a.T @ y >= c - 1e-7).all()
    assert np.abs(y * (b - a @ x)).max() <= 1e-7
    assert np.abs(x * (a.T @ y - c)).max() <= 1e-7


def test_an_optimum_that_is_infeasible_is_solved_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    linear = model([1, 1], [[1, 2], [2, 1]], [3, 3])
    said = iter([False, True])
    monkeypatch.setattr(highs, "_feasible", lambda info: next(said))
    outcome = HighsModel(linear).run()
    assert outcome.objective == pytest.approx(2)
    assert next(said, None) is None
    monkeypatch.setattr(highs, "_feasible", lambda info: False)
    with pytest.raises(SolverError, match="no solution"):
        HighsModel(linear).run()
