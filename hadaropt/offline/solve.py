"""The offline optimum, its LP relaxation and the dual of that, through HiGHS."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from hadaropt.errors import InstanceError, SolverError, limited, shown
from hadaropt.exact import MAX_COUNT, nearest_float
from hadaropt.instance import Instance
from hadaropt.offline.assemble import FormChoice, assemble, exact_form
from hadaropt.offline.breach import breach
from hadaropt.offline.clock import Clock
from hadaropt.offline.extract import schedule_of, start_of
from hadaropt.offline.hall import HallModel
from hadaropt.offline.highs import HighsModel, Outcome, cost_scale
from hadaropt.offline.limited_run import run_within
from hadaropt.offline.model import Floats
from hadaropt.offline.node import NodeModel
from hadaropt.offline.placement import PlacementError
from hadaropt.offline.plans import JobPlan
from hadaropt.offline.prices import (
    certified_bound,
    free_bound,
    prices_of_cells,
    prices_of_sets,
    prices_together,
    zero_prices,
)
from hadaropt.offline.separate import Rows
from hadaropt.offline.spare import without_spare
from hadaropt.results import Grade, Prices, SolveResult, SolverFacts, Timings
from hadaropt.schedule import Schedule, check_schedule

ROOT_SHARE = 0.5
"""Most of a time limit that the LP relaxation may take before the integer program."""

LARGE_ROWS = 5000
"""From this size on the interior point method (with crossover) solves the first LP: three times
faster than simplex at 18,000 rows. Later LPs start from its basis."""

CLAIM_TOLERANCE = 1e-6
"""How far (relatively) the exact value may stay below the value that the solver claims."""


class _Work:
    """One instance on its way through assembly, LP relaxation and integer program."""

    def __init__(
        self,
        instance: Instance,
        form: FormChoice,
        threads: int,
        seed: int,
        clock: Clock,
    ) -> None:
        _check_arguments(instance, threads, seed)
        self.clock, self._begin = clock, time.perf_counter()
        self.instance, self.threads, self.seed = instance, threads, seed
        instance.check_size()
        self.model: HallModel | NodeModel = assemble(instance, form)
        self.linear = self.model.linear
        self.scale = cost_scale(self.linear.cost)
        self.rows = Rows(self.model) if isinstance(self.model, HallModel) else None
        self.assembled = time.perf_counter() - self._begin
        self.solving = 0.0
        self.facts: SolverFacts | None = None

    @property
    def plans(self) -> Sequence[JobPlan]:
        return self.model.plans

    def load(self, kind: str) -> HighsModel:
        """Hand the integer program, its relaxation or the dual of that to HiGHS."""
        linear = self.linear if kind == "ilp" else self.linear.relaxed()
        if kind == "dual":
            linear = linear.dual()
        # The right-hand sides of the dual are the costs of the primal: left in their own scale.
        scale = 1.0 if kind == "dual" else self.scale
        highs = HighsModel(linear, threads=self.threads, seed=self.seed, cost_scale=scale)
        if kind != "ilp" and linear.shape[0] >= LARGE_ROWS:
            highs.set_option("solver", "ipm")
        self.facts = highs.facts
        return highs

    def run(self, highs: HighsModel, clock: Clock) -> Outcome:
        outcome = run_within(highs, clock, sum(self.linear.shape))
        self.solving += outcome.seconds
        return outcome

    def relaxation(self, share: float = 1.0) -> Outcome:
        """Solve the LP relaxation, separating rows that were not written."""
        highs = self.load("lp")
        clock = self.clock.part(self.clock.left(share))
        while True:
            outcome = self.run(highs, clock)
            if outcome.termination != "optimal" or outcome.x is None or self.rows is None:
                return outcome
            violated = self.rows.violated(outcome.x)
            if not violated:
                return outcome
            self.rows.add(violated, highs)
            highs.set_option("solver", "choose")

    def prices(self, duals: Floats | None) -> Prices | None:
        """Return prices of GPUs from the duals of all rows."""
        if duals is None:
            return None
        if isinstance(self.model, HallModel):
            assert self.rows is not None  # it belongs to every Hall model
            own = duals[self.model.first_capacity_row :]
            kept = duals[self.model.first_together_row : self.model.first_capacity_row]
            if exact_form(self.instance) == "divisible":
                rows, together = self.rows.rows, self.model.together
                return prices_together(self.instance, self.plans, rows, own, together, kept)
            return prices_of_sets(self.instance, self.plans, self.rows.rows, own)
        table = np.append(duals, 0.0)[self.model.capacity_rows]  # row -1: nobody can use the cell
        return prices_of_cells(self.instance, self.plans, table)

    def timings(self) -> Timings:
        total = time.perf_counter() - self._begin
        return Timings(self.assembled, self.solving, total - self.assembled - self.solving)


def _better(exact: Fraction, floating: float) -> Fraction | float:
    """Return the exact bound unless the float is clearly better."""
    if not math.isfinite(floating):
        return exact
    slack = CLAIM_TOLERANCE * max(1.0, abs(floating))
    return exact if exact <= floating + slack else floating


def _check_arguments(instance: object, threads: int, seed: int) -> None:
    if not isinstance(instance, Instance):
        raise TypeError(f"instance: expected a hadaropt.Instance, got {shown(instance)}")
    for name, value in (("threads", threads), ("seed", seed)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise InstanceError(name, "must be an integer", shown(value))
        if not 0 <= value <= MAX_COUNT:
            raise InstanceError(name, f"must be >= 0 and <= {MAX_COUNT}", str(value))


@without_spare
@limited("the compact program")
def solve_ilp(
    instance: Instance,
    *,
    time_limit: float | None = None,
    form: FormChoice = "auto",
    threads: int = 1,
    seed: int = 0,
    start: Schedule | None = None,
    clock: Clock | None = None,
) -> SolveResult:
    """Return an optimal schedule, or the best found within the time limit, with a bound.

    ``max sum_j U_j(f_j - a_j + 1)`` over feasible schedules, as the integer program of
    `hadaropt.offline.assemble`. The solver's integers are rounded, placed on nodes, checked by
    `check_schedule` and valued exactly. The exact bound D(k) at the prices of the LP relaxation,
    lowered to the lattice of possible values, proves the optimum when it equals the value.

    Parameters
    ----------
    instance : Instance
    time_limit : float, optional
        Seconds of wall clock for everything that the solver does.
    form : {"auto", "hall", "divisible", "node"}
        See `hadaropt.offline.assemble.exact_form`.
    threads, seed : int
        Of the solver.
    start : Schedule, optional
        A feasible schedule to start from; the answer is never worse.
    clock : Clock, optional
        Of a solve that this is a part of, instead of a limit.

    Returns
    -------
    SolveResult
        Grade ``proved``; ``solver_optimal``; ``feasible`` (a schedule, at a time limit; or
        where the solver calls optimal a value that is below the exact bound by less than it can
        tell: ``termination`` is ``tolerance``); or ``bound`` (no schedule: ``schedule`` is None
        and ``objective`` nan).

    Raises
    ------
    SolverError
        If the solver returns something that is not an answer.
    InvariantError
        If an exact value exceeds an exact bound.
    ScheduleError
        If ``start`` is infeasible.

    Examples
    --------
    >>> from hadaropt import Cluster, Instance, Job
    >>> from hadaropt.utility import Linear
    >>> job = Job("a", 0, 1, 10, {"V100": 5}, Linear(3, 1))
    >>> result = solve_ilp(Instance(Cluster.of({"n": {"V100": 1}}), (job,), 3, 1))
    >>> result.grade, result.objective
    ('proved', Fraction(2, 1))
    """
    clock = Clock(time_limit) if clock is None else clock
    work = _Work(instance, form, threads, seed, clock)
    best: Schedule | None = None
    value = Fraction(0)
    if start is not None:
        best, value = start, check_schedule(instance, start).value
    exact = free_bound(work.plans)
    if exact == 0:
        best, value = Schedule.empty(instance) if best is None else best, Fraction(0)
    prices: Prices | None = zero_prices(instance)
    outcome: Outcome | None = None
    termination: str = clock.reached()
    raw = "not started"
    proved = best is not None and value == exact
    if not proved and not clock.over():
        root = work.relaxation(ROOT_SHARE if clock.limited else 1.0)
        found_prices = work.prices(root.row_prices)
        certified = certified_bound(instance, work.plans, found_prices)
        if certified is not None and certified < exact:
            exact, prices = certified, found_prices
        proved = best is not None and value == exact
        if not proved:
            outcome, found = _integer(work, best)
            termination, raw = outcome.termination, outcome.raw_status
            if found is not None:
                reached = check_schedule(instance, found).value
                if best is None or reached > value:
                    best, value = found, reached
    if best is not None and value > exact:
        breach(f"the exact value {value} exceeds the exact bound {exact}", instance, best)
    proved = best is not None and value == exact
    bound: Fraction | float = exact
    grade: Grade = "proved" if proved else "bound" if best is None else "feasible"
    nodes = 0
    if proved:
        termination, raw = "optimal", raw if outcome is not None else "proved by the exact bound"
    elif outcome is not None:
        nodes = outcome.nodes
        bound = _better(exact, outcome.bound)
        if best is not None and bound < value:
            # The solver's float is below the value by less than its tolerance; a float it stays.
            bound = nearest_float(value)
            if bound < value:
                bound = math.nextafter(bound, math.inf)
        if termination == "optimal":
            if best is not None and isinstance(bound, Fraction) and bound > value:
                termination = "tolerance"  # the solver cannot tell the two apart
            else:
                grade = "solver_optimal"
    return SolveResult(
        "ilp",
        termination,
        "none" if best is None else "feasible",
        raw,
        math.nan if best is None else value,
        bound,
        grade,
        best,
        prices,
        work.timings(),
        work.facts,
        nodes,
    )


def _integer(work: _Work, start: Schedule | None) -> tuple[Outcome, Schedule | None]:
    """Run the integer program, with every row that was separated, until its answer fits."""
    highs = work.load("ilp")
    if work.rows is not None and isinstance(work.model, HallModel):
        extra = work.rows.rows[len(work.model.row_round) :]
        work.rows.add_to(highs, extra)
    if start is not None:
        highs.set_start(start_of(work.model, start))
    while True:
        outcome = work.run(highs, work.clock)
        if outcome.termination not in ("optimal", "time_limit", "interrupted", "limit"):
            raise SolverError(f"HiGHS calls a feasible program {outcome.raw_status}")
        if outcome.x is None or outcome.objective is None:
            return outcome, None
        try:
            schedule = schedule_of(work.instance, work.model, outcome.x)
        except PlacementError as bad:
            if work.rows is None or not work.rows.fresh(bad.violated):
                raise SolverError(f"the solver's answer breaks rows of its program: {bad}") from bad
            if outcome.termination != "optimal":
                return outcome, None
            work.rows.add(bad.violated, highs)
            continue
        value = check_schedule(work.instance, schedule).value
        claim = outcome.objective
        if float(value) < claim - CLAIM_TOLERANCE * max(1.0, abs(claim)):
            raise SolverError(f"HiGHS claims {claim}, but its schedule is worth {float(value)}")
        return outcome, schedule


@without_spare
@limited("the compact program")
def solve_lp(
    instance: Instance,
    *,
    time_limit: float | None = None,
    form: FormChoice = "auto",
    threads: int = 1,
    seed: int = 0,
) -> SolveResult:
    """Return the value of the LP relaxation, its prices, and the exact bound that they prove.

    Parameters as for `solve_ilp`. ``objective`` is the LP's value, a float (nan at a time limit);
    ``bound`` is the exact D(k) at ``prices``, which is at most that value up to rounding.

    Raises
    ------
    SolverError
        If the solver returns something that is not an answer.
    """
    work = _Work(instance, form, threads, seed, Clock(time_limit))
    outcome = work.relaxation()
    return _bound_result("lp", work, outcome, work.prices(outcome.row_prices))


@without_spare
@limited("the compact program")
def solve_dual(
    instance: Instance,
    *,
    time_limit: float | None = None,
    form: FormChoice = "auto",
    threads: int = 1,
    seed: int = 0,
) -> SolveResult:
    """Return the value of the dual of the LP relaxation, solved as a program of its own.

    ``min sum_j mu_j + sum C(S) pi_tS`` over the dual columns named like the rows of the primal.
    Parameters and answer as for `solve_lp`.

    Raises
    ------
    SolverError
        If the solver returns something that is not an answer.
    """
    work = _Work(instance, form, threads, seed, Clock(time_limit))
    highs = work.load("dual")
    while True:
        outcome = work.run(highs, work.clock)
        optimal = outcome.termination == "optimal"
        if not optimal or work.rows is None or outcome.row_prices is None:
            break
        violated = work.rows.violated(outcome.row_prices)
        if not violated:
            break
        work.rows.add_columns(violated, highs)
        highs.set_option("solver", "choose")
    duals = outcome.x if optimal else None
    return _bound_result("dual", work, outcome, work.prices(duals))


def _bound_result(method: str, work: _Work, outcome: Outcome, prices: Prices | None) -> SolveResult:
    optimal = outcome.termination == "optimal" and outcome.objective is not None
    if outcome.termination not in ("optimal", "time_limit", "interrupted", "limit"):
        raise SolverError(f"HiGHS calls a feasible bounded program {outcome.raw_status}")
    exact = free_bound(work.plans)
    certified = certified_bound(work.instance, work.plans, prices)
    objective = outcome.objective if optimal and outcome.objective is not None else math.nan
    bound = exact if certified is None else min(exact, certified)
    if bound == exact:
        prices = zero_prices(work.instance)  # the simplest proof; rounded prices may prove less
    return SolveResult(
        method,
        outcome.termination,
        "feasible" if optimal else "none",
        outcome.raw_status,
        objective,
        bound,
        "bound",
        None,
        prices,
        work.timings(),
        work.facts,
    )
