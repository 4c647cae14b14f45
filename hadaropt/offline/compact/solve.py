"""The offline optimum, its LP relaxation and the dual of that, through HiGHS."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Literal

import numpy as np

from hadaropt.errors import InstanceError, SolverError, limited, shown
from hadaropt.exact import MAX_COUNT, MAX_THREADS, nearest_float
from hadaropt.instance import Instance
from hadaropt.interrupts import interrupted_once
from hadaropt.mip.highs import HighsModel, Outcome, cost_scale
from hadaropt.mip.model import Floats
from hadaropt.modes.plans import JobPlan
from hadaropt.offline.clock import Clock
from hadaropt.offline.compact.duals_to_prices import (
    certified_bound,
    free_bound,
    prices_of_cells,
    prices_of_sets,
    prices_of_single_nodes,
)
from hadaropt.offline.compact.formulation import FormChoice, assemble, exact_form
from hadaropt.offline.compact.hall import HallModel
from hadaropt.offline.compact.hall_separation import Rows
from hadaropt.offline.compact.node import NodeModel
from hadaropt.offline.compact.placement import PlacementError
from hadaropt.offline.compact.solution import schedule_of, start_of
from hadaropt.offline.contradiction import answering, breach
from hadaropt.offline.known import Known, zero_prices
from hadaropt.offline.limited_run import run_within
from hadaropt.offline.spare import without_spare
from hadaropt.results import Prices, Result, SolverFacts, Status, Termination, Timings
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
        self.clock, self._begin = clock, time.perf_counter()
        self.instance, self.threads, self.seed = instance, threads, seed
        self.model: HallModel | NodeModel = assemble(instance, form)
        self.linear = self.model.linear
        self.scale = cost_scale(self.linear.cost)
        self.largest = float(np.abs(self.linear.cost).max(initial=0.0))
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

    def relaxation(self, share: float = 1.0) -> tuple[Outcome, Floats | None]:
        """Solve the LP relaxation; return its outcome and the duals of all rows."""
        outcome = self._separated("lp", self.clock.part(self.clock.left(share)))
        return outcome, outcome.row_prices

    def dual(self) -> tuple[Outcome, Floats | None]:
        """Solve the dual of the LP relaxation; return its outcome and its point."""
        outcome = self._separated("dual", self.clock)
        return outcome, outcome.x if outcome.termination == "optimal" else None

    def _separated(self, kind: Literal["lp", "dual"], clock: Clock) -> Outcome:
        """Solve a program, adding the rows (columns of the dual) that were not written."""
        highs = self.load(kind)
        while True:
            outcome = self.run(highs, clock)
            point = outcome.x if kind == "lp" else outcome.row_prices
            if outcome.termination != "optimal" or point is None or self.rows is None:
                return outcome
            violated = self.rows.violated(point)
            if not violated:
                return outcome
            if kind == "lp":
                self.rows.add(violated, highs)
            else:
                self.rows.add_columns(violated, highs)
            highs.set_option("solver", "choose")

    def prices(self, duals: Floats | None) -> Prices | None:
        """Return prices of GPUs from the duals of all rows."""
        if duals is None:
            return None
        if isinstance(self.model, HallModel):
            assert self.rows is not None  # it belongs to every Hall model
            own = duals[self.model.first_capacity_row :]
            kept = duals[self.model.first_single_node_row : self.model.first_capacity_row]
            if exact_form(self.instance) == "divisible":
                rows, single_node = self.rows.rows, self.model.single_node
                return prices_of_single_nodes(
                    self.instance, self.plans, rows, own, single_node, kept
                )
            return prices_of_sets(self.instance, self.plans, self.rows.rows, own)
        table = np.append(duals, 0.0)[self.model.capacity_rows]  # row -1: nobody can use the cell
        return prices_of_cells(self.instance, self.plans, table)

    def slack(self, claim: float) -> Fraction:
        """Return by how much a claim of the solver may be off: its word is worth its tolerance."""
        return Fraction(CLAIM_TOLERANCE) * Fraction(max(abs(claim), self.largest))

    def timings(self) -> Timings:
        total = time.perf_counter() - self._begin
        return Timings(self.assembled, self.solving, total - self.assembled - self.solving)


def _check_arguments(instance: object, threads: int, seed: int) -> None:
    if not isinstance(instance, Instance):
        raise TypeError(f"instance: expected a hadaropt.Instance, got {shown(instance)}")
    for name, value in (("threads", threads), ("seed", seed)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise InstanceError(name, "must be an integer", shown(value))
        most = MAX_THREADS if name == "threads" else MAX_COUNT
        if not 0 <= value <= most:
            raise InstanceError(name, f"must be >= 0 and <= {most}", str(value))
    instance.check_size()


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
) -> Result:
    """Return an optimal schedule, or the best found within the time limit, with a bound.

    ``max sum_j U_j(f_j - a_j + 1)`` over feasible schedules, as the integer program of
    `hadaropt.offline.compact.formulation`. The solver's integers are rounded,
    placed on nodes, checked by `check_schedule` and valued exactly. The exact bound D(k) at the
    prices of the LP relaxation, lowered to the lattice of possible values, proves the optimum when
    it equals the value.

    Ctrl-C returns what is known by then.

    Parameters
    ----------
    instance : Instance
    time_limit : float, optional
        Seconds of wall clock for everything that the solver does.
    form : {"auto", "hall", "divisible", "node"}
        See `hadaropt.offline.compact.formulation.exact_form`.
    threads, seed : int
        Of the solver.
    start : Schedule, optional
        A feasible schedule to start from; the answer is never worse.
    clock : Clock, optional
        Of a solve that this is a part of, instead of a limit.

    Returns
    -------
    Result
        Status ``proved``; ``solver_optimal`` (``bound`` is then a float, above the solver's own by
        its tolerance); ``feasible`` (a schedule, at a time limit or ``interrupted``; or where the
        solver calls optimal what its tolerance cannot tell from better, since a job is worth less
        than that or the exact bound is as close: ``termination`` is ``tolerance``, and ``bound``
        exact); or ``bound`` (no schedule: ``schedule`` and ``value`` are None).

    Raises
    ------
    SolverError
        If the solver returns something that is not an answer.
    InvariantError
        If an exact value exceeds an exact bound.
    ScheduleError
        If ``start`` is infeasible.

    Notes
    -----
    An error that ends a solve under way has the attribute ``best_known``, the best answer so far;
    a defect leaves files that reproduce it (attribute ``files``).

    Examples
    --------
    >>> from hadaropt import Cluster, Instance, Job
    >>> from hadaropt.utility import Linear
    >>> job = Job("a", 0, 1, 10, {"V100": 5}, Linear(3, 1))
    >>> result = solve_ilp(Instance(Cluster.of({"n": {"V100": 1}}), (job,), 3, 1))
    >>> str(result.status), result.value
    ('proved', Fraction(2, 1))
    """
    _check_arguments(instance, threads, seed)
    clock = Clock(time_limit) if clock is None else clock
    known = Known(instance, "ilp", start)
    with answering(known), interrupted_once():
        try:
            with limited("the compact program"):
                return _solve_ilp(known, _Work(instance, form, threads, seed, clock))
        except KeyboardInterrupt:
            return known.best(Termination.INTERRUPTED)


def _solve_ilp(known: Known, work: _Work) -> Result:
    instance = work.instance
    known.prove(free_bound(work.plans), zero_prices(instance))
    if known.bound == 0 and known.schedule is None:
        known.offer(Schedule.empty(instance))
    outcome, termination, raw = None, work.clock.reached(), "not started"
    if not known.proved and not work.clock.over():
        _, duals = work.relaxation(ROOT_SHARE if work.clock.limited else 1.0)
        prices = work.prices(duals)
        certified = certified_bound(instance, work.plans, prices)
        if certified is not None and prices is not None:
            known.prove(certified, prices)
        if not known.proved:
            outcome = _integer(work, known)
            termination, raw = Termination(outcome.termination), outcome.raw_status
    if known.schedule is not None and known.value > known.bound:
        breach(
            f"the exact value {known.value} exceeds the exact bound {known.bound}",
            instance,
            known.schedule,
        )
    bound: Fraction | float = known.bound
    status = Status.BOUND if known.schedule is None else Status.FEASIBLE
    if known.proved:
        status, termination = Status.PROVED, Termination.OPTIMAL
        raw = raw if outcome is not None else "proved by the exact bound"
    elif outcome is not None:
        bound = _bound(work, known, outcome)
        if termination == Termination.OPTIMAL:
            if isinstance(bound, Fraction):
                status, termination = Status.FEASIBLE, Termination.TOLERANCE
            else:
                status = Status.SOLVER_OPTIMAL
    return replace(
        known.best(termination),
        termination=termination,
        raw_status=raw,
        bound=bound,
        status=status,
        timings=work.timings(),
        solver=work.facts,
        nodes=0 if outcome is None else outcome.nodes,
    )


def _bound(work: _Work, known: Known, outcome: Outcome) -> Fraction | float:
    """Return the solver's bound, raised by its tolerance, where it says more than the exact one.

    The exact bound also where the solver calls optimal what it cannot see: a job whose whole worth
    is below its tolerance.
    """
    if not math.isfinite(outcome.bound):
        return known.bound
    slack = work.slack(outcome.bound)
    claim = Fraction(outcome.bound) + slack
    unseen = outcome.termination == "optimal" and any(
        plan.values[0] <= slack for plan in work.plans
    )
    if unseen or known.bound <= claim or claim < known.value:
        return known.bound
    found = nearest_float(claim)
    return found if found >= claim else math.nextafter(found, math.inf)


class _ClaimError(SolverError):
    """The solver claims a value that its point does not have."""


def _integer(work: _Work, known: Known) -> Outcome:
    """Run the integer program; keep the schedule that it finds."""
    start = known.schedule
    try:
        return _run_integer(work, known, start)
    except _ClaimError:
        if start is None:
            raise
        # HiGHS may answer with the point of the start and the objective of the optimum.
        return _run_integer(work, known, None)


def _run_integer(work: _Work, known: Known, start: Schedule | None) -> Outcome:
    """Run the integer program, with every row that was separated, until its answer fits."""
    highs = work.load("ilp")
    if work.rows is not None and isinstance(work.model, HallModel):
        extra = work.rows.rows[len(work.model.row_round) :]
        work.rows.add_to(highs, extra)
    if start is not None:
        highs.set_start(start_of(work.model, start))
    while True:
        try:
            outcome = work.run(highs, work.clock)
        except KeyboardInterrupt as stop:
            point = getattr(stop, "point", None)
            if point is not None:
                with suppress(PlacementError, SolverError):  # rows may be missing still
                    known.offer(schedule_of(work.instance, work.model, point))
            raise
        if outcome.termination not in ("optimal", "time_limit", "interrupted", "limit"):
            raise SolverError(f"HiGHS calls a feasible program {outcome.raw_status}")
        if outcome.x is None or outcome.objective is None:
            return outcome
        try:
            schedule = schedule_of(work.instance, work.model, outcome.x)
        except PlacementError as bad:
            if work.rows is None or not work.rows.fresh(bad.violated):
                raise SolverError(f"the solver's answer breaks rows of its program: {bad}") from bad
            if outcome.termination != "optimal":
                return outcome
            work.rows.add(bad.violated, highs)
            continue
        known.offer(schedule)
        value = check_schedule(work.instance, schedule).value
        claim = outcome.objective
        if value < Fraction(claim) - work.slack(claim):
            raise _ClaimError(f"HiGHS claims {claim}, but its schedule is worth {float(value)}")
        return outcome


@without_spare
@limited("the compact program")
def solve_lp(
    instance: Instance,
    *,
    time_limit: float | None = None,
    form: FormChoice = "auto",
    threads: int = 1,
    seed: int = 0,
) -> Result:
    """Return the value of the LP relaxation, its prices, and the exact bound that they prove.

    Parameters as for `solve_ilp`. ``relaxation_value`` is the LP's value, a float (None at a time
    limit); ``bound`` is the exact D(k) at ``prices``, which is at most that value up to rounding.

    Raises
    ------
    SolverError
        If the solver returns something that is not an answer.
    """
    return _bounded(instance, "lp", time_limit, form, threads, seed)


@without_spare
@limited("the compact program")
def solve_dual(
    instance: Instance,
    *,
    time_limit: float | None = None,
    form: FormChoice = "auto",
    threads: int = 1,
    seed: int = 0,
) -> Result:
    """Return the value of the dual of the LP relaxation, solved as a program of its own.

    ``min sum_j mu_j + sum C(S) pi_tS`` over the dual columns named like the rows of the primal.
    Parameters and answer as for `solve_lp`.

    Raises
    ------
    SolverError
        If the solver returns something that is not an answer.
    """
    return _bounded(instance, "dual", time_limit, form, threads, seed)


def _bounded(
    instance: Instance,
    method: Literal["lp", "dual"],
    time_limit: float | None,
    form: FormChoice,
    threads: int,
    seed: int,
) -> Result:
    """Solve the relaxation or its dual; after Ctrl-C return the bound that is known without it."""
    _check_arguments(instance, threads, seed)
    clock, known = Clock(time_limit), Known(instance, method)
    with answering(known), interrupted_once():
        try:
            with limited("the compact program"):
                work = _Work(instance, form, threads, seed, clock)
                outcome, duals = work.relaxation() if method == "lp" else work.dual()
                return _bound_result(method, work, outcome, work.prices(duals))
        except KeyboardInterrupt:
            return known.best(Termination.INTERRUPTED)


def _bound_result(method: str, work: _Work, outcome: Outcome, prices: Prices | None) -> Result:
    optimal = outcome.termination == "optimal"
    if outcome.termination not in ("optimal", "time_limit", "interrupted", "limit"):
        raise SolverError(f"HiGHS calls a feasible bounded program {outcome.raw_status}")
    exact = free_bound(work.plans)
    certified = certified_bound(work.instance, work.plans, prices)
    bound = exact if certified is None else min(exact, certified)
    if bound == exact:
        prices = zero_prices(work.instance)  # the simplest proof; rounded prices may prove less
    return Result(
        method=method,
        termination=Termination(outcome.termination),
        status=Status.BOUND,
        bound=bound,
        prices=prices,
        relaxation_value=outcome.objective if optimal else None,
        raw_status=outcome.raw_status,
        timings=work.timings(),
        solver=work.facts,
    )
