"""Traps of the installed solvers, flow codes and compilers, each beside the handling that works.

Every test obtains the right value by that handling and fails if it stops working. What the tool
does when left alone is recorded as a property of the test (``trap``), not asserted, unless the
handling relies on it: a later release may well repair it.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import subprocess
import sys
import textwrap
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import highspy
import networkx as nx
import numba
import numpy as np
import pulp
import pytest
from numpy.typing import NDArray

from tests.oracle import number

Record = Callable[[str, object], None]
Status = highspy.HighsModelStatus


def solver(**options: Any) -> highspy.Highs:
    """A silent HiGHS on one thread; an option that is refused is an error."""
    highs = highspy.Highs()
    highs.silent()
    for name, value in {"threads": 1, "random_seed": 0, **options}.items():
        assert highs.setOptionValue(name, value) == highspy.HighsStatus.kOk, name
    return highs


def python(code: str, *, timeout: float = 120, **env: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={"PATH": "", **env},
    )


def knapsack(
    profit: Sequence[int], weight: Sequence[int], limit: int, **options: Any
) -> tuple[highspy.Highs, NDArray[np.float64]]:
    """Solve a 0/1 knapsack; return the solver and its raw column values."""
    highs = solver(**options)
    x = [highs.addBinary() for _ in profit]
    highs.addConstr(sum(int(w) * v for w, v in zip(weight, x, strict=True)) <= int(limit))
    highs.maximize(sum(int(p) * v for p, v in zip(profit, x, strict=True)))
    return highs, np.array(highs.getSolution().col_value)


def knapsack_optimum(profit: Sequence[int], weight: Sequence[int], limit: int) -> int:
    """Exact optimum by dynamic programming over the weight."""
    best = np.zeros(limit + 1, dtype=np.int64)
    for p, w in zip(profit, weight, strict=True):
        best[w:] = np.maximum(best[w:], best[:-w] + p)
    return int(best[-1])


# ---------------------------------------------------------------- solver status and values


def test_01_mip_spends_its_tolerance_to_beat_the_truth(record_property: Record) -> None:
    # min 2x + 3z, x + z >= 4.5, 0 <= x <= 10, z integer in 0..10: the truth is 9.
    highs = solver()
    x, z = highs.addVariable(0, 10, 2), highs.addIntegral(0, 10, 3)
    highs.addConstr(x + z >= 4.5)
    highs.run()
    raw, (_, raw_z) = highs.getObjectiveValue(), highs.getSolution().col_value
    record_property("trap", {"objective": raw, "bound": highs.getInfo().mip_dual_bound})
    assert raw == pytest.approx(9, abs=1e-5)  # HiGHS 1.14 says 15
    # Handling: fix the integer and recompute exactly; the float bound proves nothing.
    fixed = Fraction(round(raw_z))
    assert 2 * max(Fraction(0), Fraction(9, 2) - fixed) + 3 * fixed == 9


def test_02a_default_gap_is_called_optimal(record_property: Record) -> None:
    rng = np.random.default_rng(55)
    weight = rng.integers(1000, 2000, 25)
    profit, limit = weight * 100 + rng.integers(-2000, 2000, 25), int(weight.sum() // 2)
    truth = knapsack_optimum(profit, weight, limit)
    careless, _ = knapsack(profit, weight, limit)
    record_property("trap", truth - careless.getObjectiveValue())
    highs, x = knapsack(profit, weight, limit, mip_rel_gap=0.0, mip_abs_gap=0.0)
    chosen = [round(v) for v in x]
    assert highs.getModelStatus() == Status.kOptimal
    assert sum(int(p) * v for p, v in zip(profit, chosen, strict=True)) == truth
    assert sum(int(w) * v for w, v in zip(weight, chosen, strict=True)) <= limit


def test_02b_pulp_says_optimal_at_a_time_limit(record_property: Record) -> None:
    rng = np.random.default_rng(0)
    program = pulp.LpProblem("hard", pulp.LpMaximize)
    x = [program.add_variable(f"x{i}", cat="Binary") for i in range(120)]
    program += pulp.lpSum(int(c) * v for c, v in zip(rng.integers(50, 100, 120), x, strict=True))
    for _ in range(20):
        row = rng.integers(20, 100, 120)
        program += pulp.lpSum(int(a) * v for a, v in zip(row, x, strict=True)) <= int(
            row.sum() // 2
        )
    program.solve(pulp.HiGHS(msg=False, timeLimit=0.3, threads=1))
    record_property("trap", pulp.LpStatus[program.status])
    # Handling: only the solution status tells a proof from an incumbent.
    assert program.sol_status != pulp.LpSolutionOptimal


def test_02c_zeros_without_an_incumbent() -> None:
    highs = solver(time_limit=0.0)
    x = [highs.addBinary() for _ in range(3)]
    highs.addConstr(x[0] + x[1] + x[2] >= 2)
    highs.minimize(x[0] + x[1] + x[2])
    assert list(highs.getSolution().col_value) == [0, 0, 0]  # looks like an answer; infeasible
    # Handling: believe a point only if the primal status says that there is one.
    feasible = highspy.SolutionStatus.kSolutionStatusFeasible
    assert highs.getModelStatus() == Status.kTimeLimit
    assert highs.getInfo().primal_solution_status != feasible


def test_02d_infeasible_comes_with_an_objective_of_zero(record_property: Record) -> None:
    program = pulp.LpProblem("infeasible", pulp.LpMinimize)
    x, y = (program.add_variable(name, 0, 1, "Integer") for name in "xy")
    program += x + y
    program += 2 * x + 4 * y == 3
    program += 4 * x + 2 * y == 3
    program.solve(pulp.HiGHS(msg=False, threads=1))
    record_property("trap", (pulp.value(program.objective), x.varValue, y.varValue))
    assert program.status == pulp.LpStatusInfeasible
    assert program.sol_status not in (pulp.LpSolutionOptimal, pulp.LpSolutionIntegerFeasible)


def test_02e_misspelt_option_only_returns_an_error() -> None:
    highs = highspy.Highs()
    highs.silent()
    assert highs.setOptionValue("mip_rel_gapp", 0.0) == highspy.HighsStatus.kError  # no exception
    with pytest.raises(AssertionError, match="mip_rel_gapp"):
        solver(mip_rel_gapp=0.0)


def test_02f_second_thread_count_in_one_process_fails_quietly() -> None:
    # In a process of its own: the number of threads is a state of the whole process.
    done = python(
        """
        import highspy
        def solve(threads):
            h = highspy.Highs(); h.silent(); h.setOptionValue("threads", threads)
            x = h.addIntegral(0, 5); h.addConstr(2 * x >= 3)
            returned = h.minimize(x)
            return returned.name, h.getModelStatus().name, h.getObjectiveValue()
        print(*solve(2)); print(*solve(1))
        highspy.Highs.resetGlobalScheduler(True)
        print(*solve(1))
        """
    )
    first, second, after_reset = (line.split() for line in done.stdout.splitlines()[-3:])
    assert first == ["kOk", "kOptimal", "2.0"]
    if second != first:  # the trap: no exception, no answer, and the return value says so
        assert second[:2] == ["kError", "kNotset"]
    assert after_reset == ["kOk", "kOptimal", "2.0"]


def test_03_binaries_are_not_integers(record_property: Record) -> None:
    truncated = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = 12
        a, c = rng.integers(1, 1000, (4, n)), rng.integers(1, 1000, n)
        b = a.sum(axis=1) // 2
        highs = solver(mip_rel_gap=0.0)
        x = [highs.addBinary() for _ in range(n)]
        for row, limit in zip(a, b, strict=True):
            highs.addConstr(sum(int(k) * v for k, v in zip(row, x, strict=True)) <= int(limit))
        highs.maximize(sum(int(k) * v for k, v in zip(c, x, strict=True)))
        values = np.array(highs.getSolution().col_value)
        truncated += bool((values.astype(int) != np.round(values)).any())
        # Handling: round, then check every row in exact integers.
        chosen = np.round(values).astype(np.int64)
        assert np.abs(values - chosen).max() <= 1e-6
        assert (a @ chosen <= b).all()
        every = np.array(list(itertools.product((0, 1), repeat=n)))
        assert c @ chosen == (every @ c)[(every @ a.T <= b).all(axis=1)].max()
    record_property("trap", f"int(x) is wrong on {truncated} of 40 answers")


def test_03b_a_rounded_answer_may_still_break_a_row(record_property: Record) -> None:
    # max 3b + c, b <= y, y <= 0.9999995, b + c <= 1, b and c binary: the truth is c = 1, value 1.
    highs = solver(mip_rel_gap=0.0)
    b, c = highs.addBinary(), highs.addBinary()
    y = highs.addVariable(0, 0.9999995)
    highs.addConstr(b - y <= 0)
    highs.addConstr(b + c <= 1)
    highs.maximize(3 * b + c)
    raw = highs.getSolution().col_value
    record_property("trap", (highs.getModelStatus().name, list(raw)))
    limit = number("0.9999995")
    choices = itertools.product((0, 1), repeat=2)
    feasible = {pair for pair in choices if pair[0] <= limit and sum(pair) <= 1}
    assert max(3 * p + q for p, q in feasible) == 1
    # Handling: the exact check of the rounded answer sees the tolerance; nothing else does.
    rounded = (round(raw[0]), round(raw[1]))
    assert (rounded in feasible) == (highs.getObjectiveValue() == pytest.approx(1))


def test_04_cbc_is_not_the_reference(record_property: Record) -> None:
    def rows(x0: Any, x1: Any, x2: Any, c0: Any, c1: Any) -> list[Any]:
        return [
            x0 + c1 == 1,
            x0 + c0 >= 1,
            x1 + c1 <= 1,
            c0 + c1 <= 1,
            x2 == 1,
            9000 * x1 + 7200 * x2 + 10800 * c1 >= 16200,
        ]

    truth = min(v[3] + v[4] for v in itertools.product((0, 1), repeat=5) if all(rows(*v)))

    def build() -> pulp.LpProblem:
        program = pulp.LpProblem("five_binaries", pulp.LpMinimize)
        v = [program.add_variable(name, cat="Binary") for name in ("x0", "x1", "x2", "c0", "c1")]
        program += v[3] + v[4]
        for row in rows(*v):
            program += row
        return program

    program = build()
    program.solve(pulp.HiGHS(msg=False, threads=1))
    chosen = tuple(round(v.varValue) for v in sorted(program.variables(), key=lambda v: v.name))
    c0, c1, x0, x1, x2 = chosen
    assert program.sol_status == pulp.LpSolutionOptimal
    assert all(rows(x0, x1, x2, c0, c1)) and c0 + c1 == truth
    if "PULP_CBC_CMD" in pulp.listSolvers(onlyAvailable=True):
        other = build()
        other.solve(pulp.PULP_CBC_CMD(msg=False))
        record_property("trap", pulp.LpStatus[other.status])


A = np.array([[1, 0], [0, 2], [3, 2]])  # max 3x + 5y: prices 0, 3/2, 1 and value 36
B = np.array([4, 12, 18])
C = np.array([3, 5])


@pytest.mark.parametrize("sense", ["max", "min"])
@pytest.mark.parametrize("negated", [False, True])
def test_05a_sign_of_duals(sense: str, negated: bool) -> None:
    highs = solver()
    x, y = highs.addVariable(lb=0), highs.addVariable(lb=0)
    for (p, q), limit in zip(A.tolist(), B.tolist(), strict=True):
        if negated:
            highs.addConstr(-p * x - q * y >= -limit)
        else:
            highs.addConstr(p * x + q * y <= limit)
    if sense == "max":
        highs.maximize(3 * x + 5 * y)
    else:
        highs.minimize(-3 * x - 5 * y)
    raw = np.array(highs.getSolution().row_dual)
    # Handling: one flip for a minimisation, one for a negated row; then price >= 0 by definition
    # (+ 0.0 turns -0.0 into 0.0).
    price = raw * (-1 if sense == "min" else 1) * (-1 if negated else 1) + 0.0
    assert price == pytest.approx([0, 1.5, 1])
    assert not np.signbit(price).any()


def test_05b_pulp_solvers_disagree_on_the_sign(record_property: Record) -> None:
    signs = {}
    available = pulp.listSolvers(onlyAvailable=True)
    for name in ("HiGHS", "PULP_CBC_CMD"):
        if name not in available:
            continue
        program = pulp.LpProblem("wyndor", pulp.LpMaximize)
        x, y = program.add_variable("x", 0), program.add_variable("y", 0)
        program += 3 * x + 5 * y
        for i, ((p, q), limit) in enumerate(zip(A.tolist(), B.tolist(), strict=True)):
            program += p * x + q * y <= limit, f"c{i}"
        program.solve(pulp.getSolver(name, msg=False, threads=1))
        raw = np.array([program.get_constraint_by_name(f"c{i}").pi for i in range(3)])
        # Handling: a price of a <= row of a maximisation is >= 0, so the sign carries no news;
        # a mixture of signs would be an error. Then test value and feasibility.
        assert (raw <= 1e-9).all() or (raw >= -1e-9).all()
        price = np.abs(raw)
        signs[name] = float(np.sign(raw.sum()))
        assert price @ B == pytest.approx(36)
        assert (A.T @ price >= C - 1e-9).all()
    record_property("trap", signs)
    assert "HiGHS" in signs


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_05c_degenerate_duals_are_tested_by_value_and_feasibility(copies: int) -> None:
    # max x + y with the row x + y <= 1 several times and x <= 1: many right vectors.
    highs = solver()
    x, y = highs.addVariable(lb=0), highs.addVariable(lb=0)
    for _ in range(copies):
        highs.addConstr(x + y <= 1)
    highs.addConstr(1 * x <= 1)
    highs.maximize(x + y)
    price = np.array(highs.getSolution().row_dual) + 0.0
    a = np.array([[1, 1]] * copies + [[1, 0]])
    assert price.sum() == pytest.approx(1)
    assert (price >= 0).all() and (a.T @ price >= 1 - 1e-9).all()


def test_06_float_duals_are_repaired_to_an_exact_bound(record_property: Record) -> None:
    broken = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        a, b, c = rng.random((6, 10)), rng.random(6) * 5, rng.random(10)
        highs = solver()
        x = [highs.addVariable(lb=0, ub=1) for _ in range(10)]
        for row, limit in zip(a, b, strict=True):
            highs.addConstr(sum(float(k) * v for k, v in zip(row, x, strict=True)) <= float(limit))
        highs.maximize(sum(float(k) * v for k, v in zip(c, x, strict=True)))
        raw = np.array(highs.getSolution().row_dual)
        upper = np.array(highs.getSolution().col_dual)
        broken += bool((np.maximum(upper, 0) < c - a.T @ raw).any())
        # Handling: clip the signs, raise mu to the exact violation, add up in Fractions.
        k = [max(Fraction(0), Fraction(float(v))) for v in raw]
        mu = [
            max(
                Fraction(0),
                Fraction(float(c[j])) - sum(Fraction(float(a[i, j])) * k[i] for i in range(6)),
            )
            for j in range(10)
        ]
        bound = sum(mu) + sum(Fraction(float(b[i])) * k[i] for i in range(6))
        # A primal point made exactly feasible is below the bound, and close to it.
        point = [
            min(Fraction(1), max(Fraction(0), Fraction(float(v))))
            for v in highs.getSolution().col_value
        ]
        loads = [sum(Fraction(float(a[i, j])) * point[j] for j in range(10)) for i in range(6)]
        shrink = min(
            [Fraction(1), *(Fraction(float(b[i])) / loads[i] for i in range(6) if loads[i] > 0)]
        )
        value = shrink * sum(Fraction(float(c[j])) * point[j] for j in range(10))
        assert value <= bound <= value + Fraction(1, 10**6)
    record_property("trap", f"strict float dual feasibility fails on {broken} of 60")


def test_07a_tiny_coefficients_are_scaled_or_refused(record_property: Record) -> None:
    # max x, 1e-9 x <= 1, x <= 1e12: the truth is 1e9.
    def answer(scale: float) -> tuple[str, float]:
        highs = solver()
        highs.addVar(0, 1e12)
        highs.changeColCost(0, 1.0)
        highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        row = (np.array([0], dtype=np.int32), np.array([1e-9 * scale]))
        returned = highs.addRow(-highspy.kHighsInf, 1.0 * scale, 1, *row)
        highs.run()
        return returned.name, highs.getObjectiveValue()

    returned, value = answer(1.0)
    record_property("trap", (returned, value))
    # Handling: a warning on building is as bad as an error; scaled rows are kept.
    assert value == pytest.approx(1e9) or returned != "kOk"
    assert answer(1e9) == ("kOk", pytest.approx(1e9))


def test_07b_unbounded_may_be_reported_infeasible(record_property: Record) -> None:
    program = pulp.LpProblem("unbounded", pulp.LpMinimize)
    x, y = program.add_variable("x"), program.add_variable("y", 0, 1, "Integer")
    program += x + y
    program.solve(pulp.HiGHS(msg=False, threads=1))
    record_property("trap", pulp.LpStatus[program.status])
    highs = solver()
    free = highs.addVariable(-highspy.kHighsInf, highspy.kHighsInf)
    whole = highs.addIntegral(0, 1)
    highs.minimize(free + whole)
    # Handling: read HiGHS itself and keep "infeasible or unbounded" as a status of its own.
    assert highs.getModelStatus() in (Status.kUnbounded, Status.kUnboundedOrInfeasible)


# ---------------------------------------------------------------- flows and rounding


@pytest.mark.parametrize(
    ("weights", "scale", "truth"),
    [([["0.5", "0.4"], ["0.2", "0.6"]], 10, "0.6"), ([["0.1", "0.1"], ["0.1", "0.9"]], 10, "0.2")],
)
def test_08_network_simplex_gets_integers_and_its_flow_is_rechecked(
    weights: list[list[str]], scale: int, truth: str, record_property: Record
) -> None:
    n = len(weights)
    try:
        alone = python(
            f"""
            import networkx as nx
            graph = nx.DiGraph()
            for i in range({n}):
                graph.add_node(("j", i), demand=-1); graph.add_node(("s", i), demand=1)
            for i, row in enumerate({[[float(w) for w in row] for row in weights]}):
                for k, w in enumerate(row):
                    graph.add_edge(("j", i), ("s", k), capacity=1, weight=w)
            print(nx.network_simplex(graph)[0])
            """,
            timeout=3,
        ).stdout.strip()
    except subprocess.TimeoutExpired:
        alone = "hangs"
    record_property("trap", alone)
    # Handling: integers in, and the flow that comes back is checked and priced again.
    graph = nx.DiGraph()
    for i in range(n):
        graph.add_node(("j", i), demand=-1)
        graph.add_node(("s", i), demand=1)
    exact = [[number(w) * scale for w in row] for row in weights]
    assert all(w.denominator == 1 for row in exact for w in row)
    for i, k in itertools.product(range(n), repeat=2):
        graph.add_edge(("j", i), ("s", k), capacity=1, weight=int(exact[i][k]))
    cost, flow = nx.network_simplex(graph)
    sent = np.array([[flow["j", i]["s", k] for k in range(n)] for i in range(n)])
    assert sent.dtype.kind == "i" and sent.min() >= 0 and sent.max() <= 1
    assert (sent.sum(axis=0) == 1).all() and (sent.sum(axis=1) == 1).all()
    price = sum(exact[i][k] * int(sent[i, k]) for i, k in itertools.product(range(n), repeat=2))
    assert price == cost == number(truth) * scale


def test_09_slots_are_counted_in_fractions() -> None:
    assert (math.floor(0.7 / 0.1), math.ceil(2.1 / 0.7)) == (6, 4)  # the truth: 7 and 3
    assert math.floor(number("0.7") / number("0.1")) == 7
    assert math.ceil(number("2.1") / number("0.7")) == 3
    steps = functools.reduce(operator.add, [0.1] * 10)  # t += dt; sum() corrects since Python 3.12
    assert steps != 1 and sum([number("0.1")] * 10) == 1


# ---------------------------------------------------------------- numba


def test_10a_cache_keeps_old_code_of_an_imported_function(
    tmp_path: Path, record_property: Record
) -> None:
    header = "import numba\n@numba.njit(cache=True)\n"
    own = header + "def inner(x):\n    return x + {0}\n"
    own += header + "def alone(x):\n    return inner(x)\n"

    def write(add: int) -> None:
        # The padding changes the size, so that the cache index cannot mistake one for the other.
        (tmp_path / "part.py").write_text(
            header + f"def inner(x):\n    return x + {add}\n" + "#" * add
        )
        (tmp_path / "own.py").write_text(own.format(add) + "#" * add)

    (tmp_path / "split.py").write_text(
        "import numba\nfrom part import inner\n@numba.njit(cache=True)\n"
        "def outer(x):\n    return inner(x)\n"
    )

    def run() -> list[str]:
        code = "import split, own; print(split.outer(0), own.alone(0))"
        return python(code, PYTHONPATH=str(tmp_path), HOME=str(tmp_path)).stdout.split()

    write(1)
    assert run() == ["1", "1"]
    write(2)
    stale, fresh = run()
    record_property("trap", f"after the edit, the split module returns {stale} instead of 2")
    # Handling: a kernel calls nothing outside its own file, whose edits renew the cache.
    assert fresh == "2"


OFFSET = 1


@numba.njit
def _frozen(x: int) -> int:
    return x + OFFSET


@numba.njit
def _given(x: int, offset: int) -> int:
    return x + offset


def test_10b_globals_freeze_at_compile_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _frozen(0) == 1
    monkeypatch.setattr(sys.modules[__name__], "OFFSET", 2)
    assert _frozen.py_func(0) == 2
    assert _frozen(0) == 1  # still
    assert _given(0, OFFSET) == 2  # handling: what may change is an argument


@numba.njit
def _square(x: int) -> int:
    return x * x


def test_10c_int64_wraps_silently() -> None:
    big = 4_000_000_000
    assert _square(big) != big * big
    # Handling: bound the largest intermediate in Python integers before calling.
    limit = np.iinfo(np.int64).max
    assert big * big > limit
    safe = math.isqrt(limit)
    assert _square(safe) == safe * safe


@numba.njit(fastmath=True)
def _fast_isnan(x: float) -> bool:
    return bool(np.isnan(x))


@numba.njit
def _isnan(x: float) -> bool:
    return bool(np.isnan(x))


def test_10d_fastmath_breaks_isnan(record_property: Record) -> None:
    record_property("trap", _fast_isnan(math.nan))
    assert _isnan(math.nan) and not _isnan(1.0)  # handling: no fastmath


def test_10e_out_of_bounds_reads_raise_under_boundscheck() -> None:
    done = python(
        """
        import numba, numpy as np
        @numba.njit
        def read(a, i):
            return a[i]
        try:
            read(np.zeros(5), 10)
        except IndexError:
            print("caught")
        """,
        NUMBA_BOUNDSCHECK="1",
    )
    assert done.stdout.split() == ["caught"]


def test_10f_no_place_for_the_cache_must_not_stop_the_import(record_property: Record) -> None:
    # Code without a file has no place for a cache, like a folder that cannot be written.
    def decorate(function: Callable[[int], int]) -> Callable[[int], int]:
        try:
            return numba.njit(cache=True)(function)
        except RuntimeError as trap:  # handling: compile without a cache
            record_property("trap", str(trap))
            return numba.njit(function)

    scope: dict[str, Any] = {}
    exec(compile("def double(x):\n    return 2 * x\n", "/nowhere/at/all.py", "exec"), scope)
    assert decorate(scope["double"])(4) == 8
