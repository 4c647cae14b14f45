"""OR-tools CP-SAT beside `hadaropt.solve`: the same instances, the same seconds.

CP-SAT gets a model in its own idiom: one literal per job, round and level, at most one of a job
in a round, one literal "completed by round t" that enforces the linear constraint on progress, and
Hall's rows for the GPUs. Its schedules are placed, checked and valued by the checker of hadaropt;
its bounds are its own word. hadaropt runs on one thread, CP-SAT on ``--workers``.

Run: ``python -m benchmarks.runtime.cp_sat [--seconds 15] [--workers 2] [--families ...]``
(needs the extra ``peers``)
"""

from __future__ import annotations

import argparse
import math
import time
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import hadaropt
from hadaropt.instance import Instance
from hadaropt.modes.hall_sets import TypeSet, capacity_sets
from hadaropt.modes.plans import JobPlan, Way, job_plans
from hadaropt.offline.compact.placement import place_pooled
from hadaropt.schedule import Schedule, check_schedule

from .families import FAMILIES, make

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

SIZES = ((20, 24, 0.7), (20, 24, 1.3), (40, 24, 0.7), (40, 24, 1.3), (100, 24, 0.7), (100, 24, 1.3))
MOST_COST = 10**15
"""Largest objective that is handed over unrounded."""


@dataclass(frozen=True)
class Answer:
    """A checked value (0 without a schedule), a bound, and the seconds that they took."""

    value: Fraction
    bound: float
    seconds: float

    @property
    def gap(self) -> float:
        """Relative gap in per cent."""
        return 100 * max(0.0, self.bound - float(self.value)) / max(1.0, float(self.value))


def objective_scale(instance: Instance, plans: tuple[JobPlan, ...]) -> int:
    """Return the factor that makes values integers: exact where the numbers stay small."""
    total = sum((plan.values[0] for plan in plans), Fraction(1))
    exact = instance.value_unit.denominator
    return exact if exact * total <= MOST_COST else int(MOST_COST / total)


class Model:
    """The CP-SAT model of an instance for which node identity does not matter."""

    def __init__(self, instance: Instance) -> None:
        from ortools.sat.python import cp_model

        self.instance, self.plans = instance, job_plans(instance, "hall")
        self.model = model = cp_model.CpModel()
        self.scale = objective_scale(instance, self.plans)
        self.run: dict[tuple[int, int], list[tuple[Way, cp_model.IntVar]]] = {}
        worth = []
        for p, plan in enumerate(self.plans):
            reached, before = [], None
            for t in range(plan.release, plan.last + 1):
                ways = [
                    (way, model.new_bool_var(f"run_{plan.job}_{t}_{way.level}"))
                    for way in plan.ways
                ]
                self.run[p, t] = ways
                model.add_at_most_one(x for _, x in ways)
                reached += [way.units * x for way, x in ways]
                if t < plan.first:
                    continue
                done = model.new_bool_var(f"done_{plan.job}_{t}")
                model.add(sum(reached) >= plan.need).only_enforce_if(done)
                if before is not None:
                    model.add_implication(before, done)
                before = done
                k = t - plan.first
                later = plan.values[k + 1] if k + 1 < len(plan.values) else Fraction(0)
                worth.append(math.floor((plan.values[k] - later) * self.scale) * done)
        self._capacity()
        model.maximize(sum(worth))

    def _capacity(self) -> None:
        pooled = self.instance.cluster.pooled_capacity
        for t in range(self.instance.num_rounds):
            held: dict[TypeSet, list[cp_model.LinearExpr]] = defaultdict(list)
            for p, plan in enumerate(self.plans):
                for way, x in self.run.get((p, t), ()):
                    held[frozenset(way.admitted)].append(plan.gang_size * x)
            for types in capacity_sets(held):
                inside = [term for own, terms in held.items() if own <= types for term in terms]
                self.model.add(sum(inside) <= sum(pooled[r] for r in types))

    def schedule(self, solver: cp_model.CpSolver) -> Schedule:
        """Return the solver's answer, placed on nodes."""
        runs: dict[int, list[tuple[JobPlan, Way]]] = defaultdict(list)
        for (p, t), ways in self.run.items():
            runs[t] += [(self.plans[p], way) for way, x in ways if solver.boolean_value(x)]
        return place_pooled(self.instance, {t: gangs for t, gangs in runs.items() if gangs})


def cp_sat(instance: Instance, seconds: float, workers: int) -> Answer:
    """Solve with CP-SAT; building the model counts."""
    from ortools.sat.python import cp_model

    begin = time.perf_counter()
    model = Model(instance)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = max(0.1, seconds - (time.perf_counter() - begin))
    solver.parameters.num_workers = workers
    status = solver.solve(model.model)
    value = Fraction(0)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        value = check_schedule(instance, model.schedule(solver)).value
        # Floors lose less than one unit per step of a utility.
        steps = sum(len(plan.values) for plan in model.plans)
        assert value * model.scale >= round(solver.objective_value)
        slack = steps / model.scale if model.scale != instance.value_unit.denominator else 0.0
    else:
        slack = 0.0
    bound = solver.best_objective_bound / model.scale + slack
    return Answer(value, bound, time.perf_counter() - begin)


def ours(instance: Instance, seconds: float) -> Answer:
    """Solve with hadaropt; the bound is exact, and checked from the certificate."""
    begin = time.perf_counter()
    result = hadaropt.solve(instance, time_limit=seconds, cross_check=False)
    took = time.perf_counter() - begin
    checked = hadaropt.verify(instance, hadaropt.certify(instance, result))
    assert checked.value == result.value
    assert checked.best_bound is not None
    return Answer(checked.value, float(checked.best_bound), took)


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    options = parser.parse_args()
    ours(make("six-class", 30, 24), 3.0)  # compile first
    print("| instance | value | bound | gap % | s | CP-SAT value | bound | gap % | s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for family in options.families:
        for jobs, rounds, load in SIZES:
            for seed in range(options.seeds):
                instance = make(family, jobs, rounds, load=load, seed=seed)
                a = ours(instance, options.seconds)
                b = cp_sat(instance, options.seconds, options.workers)
                # No value may exceed the other's bound (CP-SAT's is a float).
                assert float(a.value) <= b.bound + 1e-6 * max(1.0, b.bound)
                assert float(b.value) <= a.bound + 1e-6 * max(1.0, a.bound)
                cells = " | ".join(
                    f"{float(x.value):.4f} | {x.bound:.4f} | {x.gap:.3f} | {x.seconds:.1f}"
                    for x in (a, b)
                )
                print(f"| {family} {jobs}x{rounds} {load} s{seed} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
