"""P2 to P6, P16, P17: optima proved, gaps at a limit, bounds; each bound against each schedule."""

from __future__ import annotations

import math
from functools import cache

import pytest

import hadaropt
from hadaropt.generate import generate
from hadaropt.mip.highs import write_model
from hadaropt.offline.compact.formulation import assemble, exact_form
from hadaropt.offline.lagrangian.bound import lagrangian_bound
from hadaropt.offline.tree.branch_and_price import branch_and_price

from .cp_sat import cp_sat
from .families import make, on_nodes

LARGE = {"six-class": "six_class", "measured-rates": "measured_rates"}


@cache
def warm():
    """Compile every kernel of these solvers first."""
    branch_and_price(make("six-class", 4, 8))
    small = generate("six_class", seed=0, num_jobs=100, num_rounds=20)
    hadaropt.solve(small, target_gap=0.01, time_limit=3.0, cross_check=False)
    lagrangian_bound(small, time_limit=1.0)


def gap(answer):
    """Return the gap in per cent; infinite where there is no schedule."""
    return {"gap_percent": math.inf if answer.gap is None else 100 * answer.gap}


def scip(instance, seconds, folder):
    """Return what solves the compact form by OR-tools' SCIP: a value and its own bound on it.

    The value is 0 and the bound infinite where it finds no schedule. It reads the minimisation.
    """
    model_builder = pytest.importorskip("ortools.linear_solver.python.model_builder")
    file = folder / "model.mps"
    write_model(assemble(instance, exact_form(instance, "auto")).linear, file)

    def run():
        model = model_builder.Model()
        assert model.import_from_mps_file(str(file))
        solver = model_builder.Solver("scip")
        solver.set_time_limit_in_seconds(seconds)
        status = solver.solve(model)
        if status not in (model_builder.SolveStatus.OPTIMAL, model_builder.SolveStatus.FEASIBLE):
            return 0.0, math.inf
        return abs(solver.objective_value), abs(solver.best_objective_bound)

    return run


@pytest.mark.row(
    "P2", "prove the optimum, load 0.7", quick=[8, 12, 16], small=[12, 18, 24], full=[20, 30, 40]
)
@pytest.mark.parametrize("way", ["hadaropt", "HiGHS, compact form", "OR-tools SCIP, compact form"])
def test_prove(record, family, size, way, full, choose, tmp_path):
    warm()
    instance = make(family, size, 24 if full else 16, load=0.7, seed=1)
    seconds = choose(5.0, 15.0, 60.0)
    best = branch_and_price(instance, time_limit=seconds)
    if way == "hadaropt":
        answer = record(lambda: branch_and_price(instance, time_limit=seconds), rounds=1, facts=gap)
        checked = hadaropt.verify(instance, hadaropt.certify(instance, answer))
        assert checked.value == answer.value
        assert checked.proved == (answer.status == "proved")
    elif way.startswith("HiGHS"):
        answer = record(
            lambda: hadaropt.solve_ilp(instance, time_limit=seconds), way=way, rounds=1, facts=gap
        )
        assert answer.value <= best.bound
    else:
        value, _ = record(scip(instance, seconds, tmp_path), way=way, rounds=1)
        assert 0 < value <= float(best.bound) * (1 + 1e-6)


@pytest.mark.row(
    "P3", "gap at a limit, load 1.3", quick=[10, 15, 20], small=[20, 30, 40], full=[60, 80, 100]
)
@pytest.mark.parametrize("way", ["hadaropt", "HiGHS, compact form", "OR-tools CP-SAT"])
def test_overloaded(record, family, size, way, choose):
    warm()
    instance, seconds = make(family, size, 24, load=1.3, seed=1), choose(1.0, 3.0, 60.0)
    if not way.startswith("OR-tools"):
        at_a_limit(record, way, instance, seconds)
        return
    pytest.importorskip("ortools.sat.python.cp_model")
    answer = record(
        lambda: cp_sat(instance, seconds, 1),
        way=way,
        rounds=1,
        facts=lambda answer: {"gap_percent": answer.gap},
    )
    # Its schedule was checked; no value may exceed the exact bound of another method.
    assert answer.value <= lagrangian_bound(instance, time_limit=1.0).bound


@pytest.mark.row(
    "P4",
    "gap at a limit, load 0.7",
    quick=[25, 50, 100],
    small=[50, 100, 200],
    full=[100, 200, 400],
)
@pytest.mark.parametrize("way", ["hadaropt", "HiGHS, compact form"])
def test_underloaded(record, family, size, way, choose):
    warm()
    at_a_limit(record, way, make(family, size, 24, load=0.7, seed=1), choose(1.0, 4.0, 20.0))


COMPACT = ["hadaropt", "HiGHS, compact form", "OR-tools SCIP, compact form"]
"""Ways of solving where neither copies nor nodes can be pooled: a solver gets the node form."""


@pytest.mark.row(
    "P16", "forked: gap at a limit, T = 24", quick=[4, 6, 8], small=[8, 12, 16], full=[12, 16, 20]
)
@pytest.mark.parametrize("way", COMPACT)
def test_forked(record, family, size, way, choose, tmp_path):
    warm()
    instance = generate(LARGE[family], seed=1, num_jobs=size, num_rounds=24, parallelism="forked")
    at_a_limit(record, way, instance, choose(2.0, 10.0, 60.0), hadaropt.solve, tmp_path)


NODES = {10: 2, 20: 4, 40: 8, 120: 16, 480: 64}
"""Jobs -> nodes of 8 GPUs."""


@pytest.mark.row(
    "P17",
    "nodes of 8 GPUs, spread gangs at 0.8: gap at a limit",
    quick=[10, 20, 40],
    small=[20, 40, 120],
    full=[40, 120, 480],
)
@pytest.mark.parametrize("way", COMPACT)
def test_nodes(record, size, way, choose, tmp_path):
    warm()
    instance = on_nodes(NODES[size], size, seed=1)
    at_a_limit(record, way, instance, choose(2.0, 10.0, 60.0), hadaropt.solve, tmp_path)


def scip_at_a_limit(record, way, instance, seconds, folder):
    """Record SCIP on the compact form until a limit: the gap is that of its own bound."""

    def facts(found):
        value, bound = found
        return {"gap_percent": 100 * max(0.0, bound - value) / value if value > 0 else math.inf}

    value, bound = record(scip(instance, seconds, folder), way=way, rounds=1, facts=facts)
    assert bound >= value * (1 - 1e-6)
    # No value may exceed the exact bound of another method.
    assert value <= float(lagrangian_bound(instance, time_limit=1.0).bound) * (1 + 1e-6)


def at_a_limit(record, way, instance, seconds, own=branch_and_price, folder=None):
    if way.startswith("OR-tools"):
        scip_at_a_limit(record, way, instance, seconds, folder)
        return
    solve = own if way == "hadaropt" else hadaropt.solve_ilp
    answer = record(lambda: solve(instance, time_limit=seconds), way=way, rounds=1, facts=gap)
    if answer.schedule is not None:
        value = hadaropt.check_schedule(instance, answer.schedule).value
        assert value == answer.value
    if way == "hadaropt":
        checked = hadaropt.verify(instance, hadaropt.certify(instance, answer))
        assert checked.value == answer.value <= checked.best_bound <= answer.bound


@pytest.mark.row(
    "P5",
    "certified gap at a limit, load 1.3",
    quick=[50, 100, 200],
    small=[100, 300, 1000],
    full=[10**3, 10**4, 10**5],
)
def test_large(record, family, size, full, choose):
    warm()
    rounds, limit = (
        (100, {10**3: 60.0, 10**4: 120.0, 10**5: 300.0}[size])
        if full
        else (50, choose(2.0, 5.0, None))
    )
    instance = generate(LARGE[family], seed=0, num_jobs=size, num_rounds=rounds, load="1.3")
    answer = record(
        lambda: hadaropt.solve(instance, time_limit=limit, cross_check=False), rounds=1, facts=gap
    )
    value = hadaropt.check_schedule(instance, answer.schedule).value
    assert value == answer.value <= answer.bound


@pytest.mark.row(
    "P6",
    "dual bound within 0.1 %",
    quick=[50, 100, 200],
    small=[100, 300, 1000],
    full=[10**3, 10**4, 10**5],
)
def test_bound(record, family, size, full, choose):
    """Seconds until the bound is within 0.1 % of the one at the end of the limit."""
    warm()
    rounds, limit = (100, 60.0) if full else (50, choose(1.5, 4.0, None))
    instance = generate(LARGE[family], seed=0, num_jobs=size, num_rounds=rounds, load="1.3")

    def close(answer):
        return next(s for s, _, bound in answer.history if bound <= answer.bound * 1.001)

    answer = record(lambda: lagrangian_bound(instance, time_limit=limit), rounds=1, own=close)
    checked = hadaropt.verify(instance, hadaropt.certify(instance, answer))
    assert checked.value <= checked.bound
