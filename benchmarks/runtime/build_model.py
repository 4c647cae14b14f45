"""P1: time to build the compact (Hall) model, against modelling layers, in one process.

Every way builds the same program from the same plans, and the benchmark asserts equal numbers of
rows, columns and non-zeros and equal sums of costs and coefficients. Medians of repeated runs, in
seconds of processor time, so that a busy machine does not distort the ratios.

Run: ``python -m benchmarks.runtime.build_model [--family F] [--jobs J ...] [--rounds T]``
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import highspy
import numpy as np

from hadaropt.instance import Instance
from hadaropt.mip.highs import HighsModel
from hadaropt.modes.hall_sets import capacity_sets
from hadaropt.modes.plans import JobPlan, job_plans
from hadaropt.offline.compact.hall import HallModel, hall_arrays

from .families import FAMILIES, make

INF = highspy.kHighsInf
Row = list[tuple[float, Any]]
Facts = tuple[int, int, int, float, float]  # rows, columns, non-zeros, costs, coefficients


def row_by_row(
    plans: Sequence[JobPlan],
    instance: Instance,
    column: Callable[[float, bool], Any],
    row: Callable[[Row, float], None],
) -> Row:
    """Write the program through ``column(upper, integer)`` and ``row(entries, limit)``."""
    costs: Row = []
    users: list[list[tuple[frozenset[int], int, Any]]] = [[] for _ in range(instance.num_rounds)]
    for p in plans:
        progress, done, before = None, None, None
        last = column(1, True)
        for t in range(p.release, p.last + 1):
            runs = [(way, column(1, True)) for way in p.ways]
            busy: Row = [(1, x) for _, x in runs] + [(-1, last)]
            row(busy + ([(1, done)] if done is not None else []), 0)
            before, progress = progress, column(INF, False)
            made: Row = [(1, progress)] + [(-way.units, x) for way, x in runs]
            row(made + ([(-1, before)] if before is not None else []), 0)
            users[t] += [(frozenset(way.admitted), p.gang_size, x) for way, x in runs]
            if t >= p.first:
                value = p.values[t - p.first]
                later = p.values[t - p.first + 1] if t < p.last else 0
                previous, done = done, last if t == p.last else column(1, True)
                costs.append((float(value - later), done))
                row([(p.need, done), (-1, progress)], 0)
                if previous is not None:
                    row([(1, previous), (-1, done)], 0)
        row([(1, last)], 1)
    pooled = instance.cluster.pooled_capacity
    for used in users:
        for types in capacity_sets(s for s, _, _ in used):
            entries: Row = [(gang, x) for s, gang, x in used if s <= types]
            row(entries, sum(pooled[r] for r in types))
    return costs


def facts(highs: Any) -> Facts:
    """Return what must be equal."""
    lp = highs.getLp()
    coefficients = float(np.sum(lp.a_matrix_.value_))
    costs = abs(float(np.sum(lp.col_cost_)))
    return highs.getNumRow(), highs.getNumCol(), highs.getNumNz(), costs, coefficients


def by_arrays(plans: Sequence[JobPlan], instance: Instance) -> tuple[float, float, Facts]:
    begin = time.process_time()
    model = arrays(plans, instance)
    built = time.process_time()
    highs = HighsModel(model.linear)
    return built - begin, time.process_time() - built, facts(highs._highs)


def arrays(plans: Sequence[JobPlan], instance: Instance) -> HallModel:
    return hall_arrays(plans, instance.num_rounds, instance.cluster.pooled_capacity)


def by_pulp_model(plans: Sequence[JobPlan], instance: Instance) -> tuple[float, float, Facts]:
    """The readable program of ``models``: it makes its own plans."""
    from models import offline_ilp

    begin = time.process_time()
    problem = offline_ilp.build(instance).problem
    return pulp_facts(problem, begin)


def by_pulp_lists(plans: Sequence[JobPlan], instance: Instance) -> tuple[float, float, Facts]:
    """PuLP at its fastest: expressions from lists of pairs."""
    import pulp

    begin = time.process_time()
    problem = pulp.LpProblem("p1", pulp.LpMaximize)
    count = iter(range(10**9))

    def column(upper: float, integer: bool) -> Any:
        cat = "Integer" if integer else "Continuous"
        bound = None if upper == INF else upper
        return problem.add_variable(f"x{next(count)}", 0, bound, cat)

    def row(entries: Row, limit: float) -> None:
        problem.addConstraint(pulp.LpAffineExpression([(x, c) for c, x in entries]) <= limit)

    costs = row_by_row(plans, instance, column, row)
    problem.setObjective(pulp.LpAffineExpression([(x, c) for c, x in costs]))
    return pulp_facts(problem, begin)


def pulp_facts(problem: Any, begin: float) -> tuple[float, float, Facts]:
    import pulp

    built = time.process_time()
    solver = pulp.HiGHS(msg=False)
    solver.createAndConfigureSolver(problem)
    solver.buildSolverModel(problem)
    return built - begin, time.process_time() - built, facts(problem.solverModel)


def by_highspy_rows(plans: Sequence[JobPlan], instance: Instance) -> tuple[float, float, Facts]:
    begin = time.process_time()
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    none_i, none_f, integers, count = np.zeros(0, np.int32), np.zeros(0), [], iter(range(10**9))

    def column(upper: float, integer: bool) -> int:
        highs.addCol(0.0, 0.0, upper, 0, none_i, none_f)
        index = next(count)
        if integer:
            integers.append(index)
        return index

    def row(entries: Row, limit: float) -> None:
        index = np.array([x for _, x in entries], np.int32)
        value = np.array([c for c, _ in entries], np.float64)
        highs.addRow(-INF, limit, len(entries), index, value)

    costs = row_by_row(plans, instance, column, row)
    index = np.array([x for _, x in costs], np.int32)
    highs.changeColsCost(len(costs), index, np.array([c for c, _ in costs]))
    kinds = np.ones(len(integers), np.uint8)
    highs.changeColsIntegrality(len(integers), np.array(integers, np.int32), kinds)
    highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
    return time.process_time() - begin, 0.0, facts(highs)


def by_linopy(plans: Sequence[JobPlan], instance: Instance) -> tuple[float, float, Facts]:
    """Linopy with masked (plan, round, type) arrays; single-letter names are its dimensions."""
    import linopy
    import pandas as pd
    import xarray as xr

    # The rows below mean what linopy does today: a variable that is masked out counts as 0.
    warnings.filterwarnings("ignore", category=linopy.LinopySemanticsWarning)
    begin = time.process_time()
    T, R, n = instance.num_rounds, len(instance.cluster.accelerators), len(plans)
    release, first, last, need, gang = (
        np.array([getattr(p, name) for p in plans])
        for name in ("release", "first", "last", "need", "gang_size")
    )
    units, admitted = np.zeros((n, R)), np.zeros((n, R), np.int64)
    values = np.zeros((n, T + 1))
    for i, p in enumerate(plans):
        values[i, p.first : p.last + 1] = [float(v) for v in p.values]
        for way in p.ways:
            units[i, way.level] = way.units
            admitted[i, way.level] = sum(1 << r for r in way.admitted)
    t = np.arange(T)[None]
    active = (t >= release[:, None]) & (t <= last[:, None])
    paid = (t >= first[:, None]) & active
    model = linopy.Model()
    J, D, L = (pd.RangeIndex(k, name=name) for k, name in ((n, "j"), (T, "t"), (R, "l")))

    def array(x: Any, *names: str) -> Any:
        return xr.DataArray(x, coords=[{"j": J, "t": D, "l": L}[name] for name in names])

    here, pays = array(active, "j", "t"), array(paid, "j", "t")
    ways = array(active[:, :, None] & (units > 0)[:, None, :], "j", "t", "l")
    run = model.add_variables(coords=[J, D, L], binary=True, mask=ways, name="run")
    progress = model.add_variables(lower=0, coords=[J, D], mask=here, name="progress")
    done = model.add_variables(coords=[J, D], binary=True, mask=pays, name="done")
    final = array(last, "j")
    ends = done.sel(j=final.j, t=final)
    made = (array(units, "j", "l") * run).sum("l")
    model.add_constraints(progress - progress.shift(t=1) - made <= 0, mask=here, name="advance")
    model.add_constraints(array(need, "j") * done - progress <= 0, mask=pays, name="complete")
    chain = pays & array(t > first[:, None], "j", "t")
    model.add_constraints(done.shift(t=1) - done <= 0, mask=chain, name="monotone")
    model.add_constraints(run.sum("l") + done.shift(t=1) - ends <= 0, mask=here, name="active")
    model.add_constraints(1 * ends <= 1, name="once")
    use = array(gang, "j") * run
    own = [frozenset(frozenset(way.admitted) for way in p.ways) for p in plans]
    there: list[set[frozenset[int]]] = [set() for _ in range(T)]
    for p, sets in zip(plans, own, strict=True):
        for k in range(p.release, p.last + 1):
            there[k] |= sets
    closure = functools.cache(capacity_sets)
    written = [closure(frozenset(sets)) for sets in there]
    for types in sorted({s for sets in written for s in sets}, key=sorted):
        mask = sum(1 << r for r in types)
        within = array((admitted > 0) & (admitted & ~mask == 0), "j", "l")
        rows = array(np.array([types in sets for sets in written]), "t")
        limit = sum(instance.cluster.pooled_capacity[r] for r in types)
        total = use.where(within).sum(["j", "l"])
        model.add_constraints(total <= limit, mask=rows, name=f"capacity{mask}")
    gains = array(np.where(paid, values[:, :-1] - values[:, 1:], 0), "j", "t")
    model.add_objective((gains * done).sum(), sense="max")
    built = time.process_time()
    highs = model.to_highspy()
    return built - begin, time.process_time() - built, facts(highs)


def same(a: Facts, b: Facts) -> bool:
    return a[:3] == b[:3] and np.allclose(a[3:], b[3:], rtol=1e-9)


WAYS: dict[str, Callable[[Sequence[JobPlan], Instance], tuple[float, float, Facts]]] = {
    "arrays": by_arrays,
    "highspy addCol/addRow": by_highspy_rows,
    "PuLP, lists of pairs": by_pulp_lists,
    "PuLP, models.offline_ilp": by_pulp_model,
    "linopy": by_linopy,
}


def measure(instance: Instance, names: Iterable[str], repeats: int) -> None:
    """Print the table of one instance."""
    seconds = []
    for _ in range(5):
        begin = time.process_time()
        plans = job_plans(instance, "hall")
        seconds.append(time.process_time() - begin)
    exact = statistics.median(seconds)
    reference = by_arrays(plans, instance)[2]
    rows, columns, nonzeros = reference[:3]
    print(f"{instance.name}: {rows} rows, {columns} columns, {nonzeros} non-zeros")
    print(f"  exact plans of the jobs: {exact:.4f} s (shared by all ways but models.offline_ilp)")
    base = None
    for name in names:
        runs = []
        for _ in range(5 * repeats if name == "arrays" else repeats):
            built, handed, found = WAYS[name](plans, instance)
            assert same(found, reference), (name, found, reference)
            runs.append((built, handed))
        built, handed = (statistics.median(column) for column in zip(*runs, strict=True))
        base = base or built
        print(f"  {name:26} build {built:8.4f} s ({built / base:6.1f}x)  hand over {handed:7.4f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--family", choices=FAMILIES, default="six-class")
    parser.add_argument("--jobs", type=int, nargs="+", default=[125, 250, 500])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    names = [n for n in WAYS if n != "linopy" or importlib.util.find_spec("linopy")]
    sizes, times = [], []
    for jobs in given.jobs:
        instance = make(given.family, jobs, given.rounds, seed=1)
        measure(instance, names, given.repeats)
        plans = job_plans(instance, "hall")
        runs = [by_arrays(plans, instance) for _ in range(9)]
        sizes.append(runs[0][2][2])
        times.append(statistics.median(run[0] for run in runs))
    if len(sizes) > 1:
        slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        print(f"build seconds of the arrays grow as non-zeros ^ {slope:.2f}")


if __name__ == "__main__":
    main()
