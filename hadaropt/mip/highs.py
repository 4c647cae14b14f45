"""The one door to HiGHS: arrays in, checked answers out. No other file imports highspy."""

from __future__ import annotations

import atexit
import errno
import gzip
import math
import os
import shutil
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from hadaropt.errors import LimitError, SolverError
from hadaropt.io.files import writing
from hadaropt.mip.model import Floats, Indices, LinearModel
from hadaropt.results import SolverFacts
from hadaropt.tolerances import SOLVER_FEASIBILITY

POLL_SECONDS = 0.1
"""Seconds between two looks of whoever waits for a run. More: Ctrl-C is noticed later."""
GRACE_SECONDS = 1.0
"""A run that overruns its limit by this much (or by a tenth) is told to stop, and is abandoned
with its best incumbent if it has not stopped after as long again."""

INFINITE = 1e20
"""Numbers from this on stand for infinity in HiGHS."""

_LAST_LINES = (b"endata", b"end")
"""Of a whole file in MPS, and in LP format."""

# What HiGHS calls the end of a run -> `Outcome.termination`; any other end is a SolverError.
_TERMINATION = {
    "kOptimal": "optimal",
    "kModelEmpty": "optimal",
    "kTimeLimit": "time_limit",
    "kInterrupt": "interrupted",
    "kHighsInterrupt": "interrupted",
    "kInfeasible": "infeasible",
    "kUnbounded": "unbounded",
    "kUnboundedOrInfeasible": "infeasible_or_unbounded",
    "kIterationLimit": "limit",
    "kSolutionLimit": "limit",
    "kObjectiveBound": "limit",
    "kObjectiveTarget": "limit",
}

STOP_SECONDS = 10.0
"""How long Ctrl-C and the end of the process wait for a run to stop (a second Ctrl-C: not)."""

DEFAULT_OPTIONS: dict[str, bool | float | str] = {
    "output_flag": False,
    "threads": 1,
    "random_seed": 0,
    "mip_rel_gap": 0.0,
    "mip_abs_gap": 0.0,
    "primal_feasibility_tolerance": SOLVER_FEASIBILITY,
    "dual_feasibility_tolerance": SOLVER_FEASIBILITY,
    "mip_feasibility_tolerance": SOLVER_FEASIBILITY,
}
"""Options of every run, unless it is asked otherwise."""

_WITH_POINT = ("optimal", "time_limit", "interrupted", "limit")
"""Terminations after which there may be a primal point."""


class _Run(threading.Thread):
    """One run in a thread of its own, which can be told to stop.

    HiGHS keeps one scheduler for each thread that calls it, with as many threads as its first run
    asked for. In a thread of its own every run has its own scheduler, so that runs of one process
    neither wait for each other nor have to agree on their threads. The thread of highspy itself
    would not do: all models of the process share its lock.
    """

    def __init__(self, highs: Any, stop: threading.Event) -> None:
        super().__init__(name="HiGHS", daemon=True)
        self._highs, self._stopping = highs, stop
        self._ended = threading.Event()
        self._status: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        """Solve, and keep the status or the error."""
        try:
            self._status = self._highs.run()
        except BaseException as error:  # raised again by whoever waits
            self._error = error
        finally:
            _reset_scheduler(False)
            _running.discard(self)
            self._ended.set()

    @property
    def ended(self) -> bool:
        """Whether the solver has left the thread."""
        return self._ended.is_set()

    def tell_to_stop(self) -> None:
        """Interrupt the solver, as soon as it asks whether it is."""
        self._stopping.set()

    def wait(self, seconds: float) -> bool:
        """Wait until the solver has left, and return whether it has.

        In short pieces: the signal of Ctrl-C may have gone to a thread of the solver, which wakes
        none. Not by `join`: an exception in it makes CPython 3.11 believe that the thread is over.
        """
        end = time.perf_counter() + seconds
        while not self.ended and (left := end - time.perf_counter()) > 0:
            self._ended.wait(min(POLL_SECONDS, left))
        return self.ended

    def result(self) -> Any:
        """Return the status of a run that has ended, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return self._status


_running: set[_Run] = set()


@atexit.register
def _let_runs_stop() -> None:
    """Wait for them: leaving the process under a running solver would abort it."""
    runs = tuple(_running)
    for run in runs:
        run.tell_to_stop()
    for run in runs:
        run.wait(STOP_SECONDS)


os.register_at_fork(after_in_child=_running.clear)


def _reset_scheduler(wait: bool) -> None:
    """Let the scheduler of this thread go (older versions know it by another name)."""
    highs: Any = highspy.Highs
    getattr(highs, "resetThreadScheduler", highs.resetGlobalScheduler)(wait)


@dataclass(frozen=True)
class Outcome:
    """What one run gave. What does not exist is None, never a zero.

    Attributes
    ----------
    termination : str
        ``optimal``, ``time_limit``, ``interrupted``, ``limit``, ``infeasible``, ``unbounded`` or
        ``infeasible_or_unbounded``.
    raw_status : str
        The solver's own words.
    objective : float or None
        Of ``x``.
    bound : float
        Best bound on the optimum; infinite (in the unhelpful direction) if there is none.
    x : ndarray or None
        Primal point, feasible within tolerance.
    row_prices, column_prices : ndarray or None
        Of an LP solved to optimality: change of the optimum per unit of the row's limit (of the
        column's limit). So >= 0 for a <= row of a maximisation and for a >= row of a minimisation.
    nodes : int
        Branch-and-bound nodes; 0 for an LP.
    iterations : int
        Simplex iterations.
    seconds : float
        Of wall clock, a second run for a missed tolerance included.
    """

    termination: str
    raw_status: str
    objective: float | None
    bound: float
    x: Floats | None
    row_prices: Floats | None
    column_prices: Floats | None
    nodes: int
    iterations: int
    seconds: float


class _Quiet(highspy.Highs):
    """HiGHS prints its banner when callbacks are first enabled: silence it before."""

    def enableCallbacks(self) -> None:
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call]


@dataclass
class _Incumbent:
    """The best integer point reported during a run, for a run that has to be abandoned."""

    objective: float | None = None
    x: Floats | None = None
    bound: float | None = None

    def record(self, event: Any) -> None:
        data = event.data_out
        self.objective = float(data.objective_function_value)
        self.x = np.array(data.mip_solution, np.float64)
        self.bound = float(data.mip_dual_bound)


class HighsModel:
    """A model inside HiGHS that can be run, extended and run again from its last basis.

    Parameters
    ----------
    model : LinearModel
    threads, seed : int
    cost_scale : float
        Costs are multiplied by this inside HiGHS and every answer is divided by it again. Its
        tolerances are absolute: costs should be of the order of 1 to 1000.
    options : mapping, optional
        More options of HiGHS, by name.
    background : bool
        Run in a thread of its own, which Ctrl-C and an overrun limit can stop. False: run in the
        caller's thread, with one thread; for the many short LPs of column generation, which gain
        most of their time by it.

    Raises
    ------
    SolverError
        If HiGHS refuses an option or the model.
    """

    def __init__(
        self,
        model: LinearModel,
        *,
        threads: int = 1,
        seed: int = 0,
        cost_scale: float = 1.0,
        options: Mapping[str, bool | float | str] | None = None,
        background: bool = True,
    ) -> None:
        self._highs: Any = _Quiet()  # type: ignore[no-untyped-call]
        self._stop = threading.Event()
        if background:
            self._highs.cbSimplexInterrupt += self._interrupt
            self._highs.cbIpmInterrupt += self._interrupt
            self._highs.cbMipInterrupt += self._interrupt
        self._background = background
        self._usable = True
        self._told = False
        self._scale = cost_scale
        self._maximise = model.maximise
        self._mip = bool(model.integer.any())
        self._row_lower, self._row_upper = model.row_lower, model.row_upper
        self._options: dict[str, object] = {}
        for name, value in {
            **DEFAULT_OPTIONS,
            "threads": threads,
            "random_seed": seed,
            **(options or {}),
        }.items():
            self.set_option(name, value)
        self._pass(model)

    def _pass(self, model: LinearModel) -> None:
        rows, cols = model.shape
        limits = (model.lower, model.upper, model.row_lower, model.row_upper)
        for numbers in (model.cost * self._scale, *limits):
            largest = np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0)
            if largest >= INFINITE:
                raise LimitError(f"HiGHS takes {largest:.3g} for infinite, must be < {INFINITE:g}")
        status = self._highs.passModel(
            cols,
            rows,
            len(model.value),
            int(highspy.MatrixFormat.kColwise),
            int(highspy.ObjSense.kMaximize if model.maximise else highspy.ObjSense.kMinimize),
            0.0,
            model.cost * self._scale,
            model.lower,
            model.upper,
            model.row_lower,
            model.row_upper,
            model.start,
            model.index,
            model.value,
            model.integer.astype(np.int32),
        )
        # kWarning means that something was changed or dropped, such as a coefficient below 1e-9.
        self._check(status, "passModel")
        if self._highs.getNumNz() != len(model.value):
            raise SolverError("HiGHS dropped coefficients: their range cannot be held")

    def _check(self, status: Any, action: str, *, warning: bool = False) -> None:
        allowed = [highspy.HighsStatus.kOk] + [highspy.HighsStatus.kWarning] * warning
        if status not in allowed:
            raise SolverError(f"HiGHS answers {status.name} to {action}")

    @property
    def facts(self) -> SolverFacts:
        """Name, version and options of the solver."""
        return SolverFacts("HiGHS", str(self._highs.version()), dict(self._options))

    def set_option(self, name: str, value: bool | float | str) -> None:
        """Set an option, or raise SolverError if HiGHS has none such or refuses the value."""
        self._check(self._highs.setOptionValue(name, value), f"option {name} = {value!r}")
        self._options[name] = value

    def set_start(self, x: Floats) -> None:
        """Offer an integer point to start from."""
        solution = highspy.HighsSolution()
        solution.col_value = list(map(float, x))
        solution.value_valid = True
        self._check(self._highs.setSolution(solution), "setSolution", warning=True)

    def add_rows(
        self, lower: Floats, upper: Floats, start: Indices, index: Indices, value: Floats
    ) -> None:
        """Add rows (``start`` has one entry per row); the basis is kept."""
        count = len(lower)
        status = self._highs.addRows(count, lower, upper, len(index), start, index, value)
        self._check(status, "addRows")
        self._row_lower = np.concatenate([self._row_lower, lower])
        self._row_upper = np.concatenate([self._row_upper, upper])

    def add_columns(
        self,
        cost: Floats,
        lower: Floats,
        upper: Floats,
        start: Indices,
        index: Indices,
        value: Floats,
    ) -> None:
        """Add continuous columns (``start`` has one entry per column); the basis is kept."""
        status = self._highs.addCols(
            len(cost), cost * self._scale, lower, upper, len(index), start, index, value
        )
        self._check(status, "addCols")

    def set_bounds(self, columns: Indices, lower: Floats, upper: Floats) -> None:
        """Change the limits of columns."""
        status = self._highs.changeColsBounds(len(columns), columns, lower, upper)
        self._check(status, "changeColsBounds")

    def set_row_limits(self, rows: Indices, lower: Floats, upper: Floats) -> None:
        """Change the limits of rows."""
        status = self._highs.changeRowsBounds(len(rows), rows, lower, upper)
        self._check(status, "changeRowsBounds")
        self._row_lower, self._row_upper = self._row_lower.copy(), self._row_upper.copy()
        self._row_lower[rows], self._row_upper[rows] = lower, upper

    def basis(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which columns and which rows (their slacks) are basic after the last run."""
        basis, basic = self._highs.getBasis(), highspy.HighsBasisStatus.kBasic
        if not basis.valid:
            raise SolverError("HiGHS has no basis")
        columns, rows = (
            np.array([status == basic for status in part], np.bool_)
            for part in (basis.col_status, basis.row_status)
        )
        return columns, rows

    def write(self, file: Path, names: LinearModel) -> None:
        """Write the model, its rows and columns named as those of ``names``."""
        for i, name in enumerate(names.column_names()):
            self._check(self._highs.passColName(i, name), f"the column name {name}")
        for i, name in enumerate(names.row_names()):
            self._check(self._highs.passRowName(i, name), f"the row name {name}")
        self._check(self._highs.writeModel(str(file)), f"writing {file}")

    def probe(self, iterations: int) -> float:
        """Return the objective after a few iterations of the dual simplex from the last basis.

        An optimistic estimate of the LP value after limits were changed; infinite if the LP turns
        out infeasible (-inf for a maximisation).
        """
        self.set_option("simplex_iteration_limit", iterations)
        try:
            self._check(self._highs.run(), "run", warning=True)
        finally:
            self.set_option("simplex_iteration_limit", 2**31 - 1)
        if self._highs.getModelStatus().name == "kInfeasible":
            return -math.inf if self._maximise else math.inf
        return float(self._highs.getInfo().objective_function_value) / self._scale

    def save_basis(self) -> Any:
        """Return the present basis."""
        return self._highs.getBasis()

    def restore_basis(self, basis: Any) -> None:
        """Start the next run from a saved basis (of as many rows and columns)."""
        self._check(self._highs.setBasis(basis), "setBasis")

    def run(self, time_limit: float | None = None) -> Outcome:
        """Solve, within ``time_limit`` seconds of wall clock for this run alone.

        A run that overruns its limit is told to stop, and after a grace period abandoned: it is
        answered with its best incumbent, the model cannot be used any more, and the solver goes on
        in its thread until it notices. Ctrl-C stops the run and is raised again.

        Raises
        ------
        SolverError
            On anything that is not an answer.
        KeyboardInterrupt
            After Ctrl-C; its attribute ``point`` is the best integer point so far, or None.
        """
        if not self._usable:
            raise SolverError("this model belongs to a run that was abandoned")
        limit = math.inf if time_limit is None else max(0.0, float(time_limit))
        self._check(self._highs.setOptionValue("time_limit", limit), f"time_limit = {limit}")
        incumbent = _Incumbent()
        if self._mip:
            self._highs.cbMipImprovingSolution += incumbent.record
        begin = time.perf_counter()
        try:
            status = self._wait(limit)
            seconds = time.perf_counter() - begin
        except KeyboardInterrupt as stop:
            stop.point = incumbent.x  # type: ignore[attr-defined]
            raise
        finally:
            if self._mip and self._usable:
                self._highs.cbMipImprovingSolution -= incumbent.record
        if status is None:
            return self._abandoned(incumbent, seconds)
        self._check(status, "run", warning=True)
        if self._misses_its_optimum():
            # Within tolerance only in the scaled model: start anew, without the old basis.
            self._check(self._highs.clearSolver(), "clearSolver")
            status = self._wait(limit)
            seconds = time.perf_counter() - begin
            if status is None:
                return self._abandoned(incumbent, seconds)
            self._check(status, "second run", warning=True)
        return self._outcome(seconds)

    def _misses_its_optimum(self) -> bool:
        """Whether an LP is called optimal although its point is infeasible."""
        if self._mip or self._highs.getModelStatus().name != "kOptimal":
            return False
        return not _feasible(self._highs.getInfo())

    def _interrupt(self, event: Any) -> None:
        if self._stop.is_set():
            event.interrupt()

    def _wait(self, limit: float) -> Any:
        """Run in a thread of its own and return its status, or None if it had to be abandoned."""
        if not self._background:
            status = self._highs.run()
            if status == highspy.HighsStatus.kError:
                # Foreign code may have run HiGHS in this thread, with another number of threads.
                _reset_scheduler(True)
                status = self._highs.run()
            return status
        grace = max(GRACE_SECONDS, 0.1 * limit)
        self._told = False
        self._stop.clear()
        run = _Run(self._highs, self._stop)
        self._usable = False
        _running.add(run)
        try:
            run.start()
            if not run.wait(limit + grace):
                self._told = True
                run.tell_to_stop()
                run.wait(grace)
        except KeyboardInterrupt:
            run.tell_to_stop()
            run.wait(STOP_SECONDS)
            raise
        finally:
            self._usable = run.ended
        return run.result() if self._usable else None

    def _abandoned(self, incumbent: _Incumbent, seconds: float) -> Outcome:
        worst = math.inf if self._maximise else -math.inf
        return Outcome(
            "time_limit",
            "did not stop at its time limit",
            None if incumbent.objective is None else incumbent.objective / self._scale,
            worst if incumbent.bound is None else incumbent.bound / self._scale,
            incumbent.x,
            None,
            None,
            0,
            0,
            seconds,
        )

    def _outcome(self, seconds: float) -> Outcome:
        highs = self._highs
        model_status = highs.getModelStatus()
        raw = str(highs.modelStatusToString(model_status))
        termination = _TERMINATION.get(model_status.name)
        if termination == "interrupted" and self._told:
            termination = "time_limit"
        if termination is None:
            raise SolverError(f"HiGHS stopped without an answer: {raw}")
        info, solution = highs.getInfo(), highs.getSolution()
        worst = math.inf if self._maximise else -math.inf
        optimal = termination == "optimal"
        objective: float | None = None
        x: Floats | None = None
        # Without an incumbent HiGHS fills in zeros and an infinite objective.
        feasible = _feasible(info)
        if model_status.name == "kModelEmpty":
            objective, x = 0.0, np.zeros(0)
        elif (
            feasible and termination in _WITH_POINT and math.isfinite(info.objective_function_value)
        ):
            objective = float(info.objective_function_value) / self._scale
            x = np.array(solution.col_value, np.float64)
        if optimal and x is None:
            raise SolverError("HiGHS calls optimal a model for which it has no solution")
        row_prices = column_prices = None
        if self._mip:
            bound = float(info.mip_dual_bound) / self._scale
        else:
            bound = worst
            if optimal and objective is not None:
                bound = objective
                if solution.dual_valid or model_status.name == "kModelEmpty":
                    row_prices = self._signed(np.array(solution.row_dual, np.float64))
                    column_prices = np.array(solution.col_dual, np.float64) / self._scale + 0.0
        nodes = max(0, int(info.mip_node_count)) if self._mip else 0
        iterations = int(info.simplex_iteration_count)
        return Outcome(
            termination,
            raw,
            objective,
            bound,
            x,
            row_prices,
            column_prices,
            nodes,
            iterations,
            seconds,
        )

    def _signed(self, duals: Floats) -> Floats:
        """Return the prices of rows with the sign that their side demands, noise made 0."""
        if len(duals) == 0:
            return duals
        sign = 1.0 if self._maximise else -1.0
        at_most, at_least = np.isneginf(self._row_lower), np.isposinf(self._row_upper)
        wrong = np.where(at_most, -sign * duals, 0.0) + np.where(at_least, sign * duals, 0.0)
        tolerance = 1e-6 * max(1.0, float(np.abs(duals).max()))
        if wrong.max() > tolerance:
            raise SolverError(f"HiGHS returned a dual of the wrong sign, off by {wrong.max():.3g}")
        # Adding 0.0 turns -0.0 into 0.0.
        return np.where(wrong > 0, 0.0, duals) / self._scale + 0.0


def _feasible(info: Any) -> bool:
    return bool(info.primal_solution_status == int(highspy.SolutionStatus.kSolutionStatusFeasible))


def write_model(model: LinearModel, file: Path) -> None:
    """Write a model with its names, in the format that the suffix names (.mps, .mps.gz, .lp).

    Numbers are written with 17 digits: reading gives the same floats.

    Raises
    ------
    ValueError
        If the model has no columns.
    SolverError
        If HiGHS refuses the model.
    OSError
        If the file cannot be written whole; then there is none.
    """
    if not len(model.cost):
        raise ValueError("the model has no columns")
    with writing(file) as draft:
        if draft.suffix.lower() != ".gz":
            _write_whole(model, draft, file)
            return
        # HiGHS would write this file, but not compress it.
        with (
            NamedTemporaryFile(suffix=draft.with_suffix("").suffix, dir=draft.parent) as plain,
            draft.open("wb") as sink,
            gzip.GzipFile("", "wb", fileobj=sink, mtime=0) as packed,
        ):
            _write_whole(model, Path(plain.name), file)
            shutil.copyfileobj(plain, packed)


def _write_whole(model: LinearModel, draft: Path, file: Path) -> None:
    HighsModel(model, background=False).write(draft, model)
    with draft.open("rb") as written:
        tail = deque(written, maxlen=1)
    if not tail or tail[0].strip().lower() not in _LAST_LINES:  # HiGHS calls a full disk kOk
        raise OSError(errno.ENOSPC, "could not be written whole; is the disk full?", str(file))


def cost_scale(cost: NDArray[np.float64]) -> float:
    """Return the power of two that brings the largest cost into [512, 1024); 1 without costs."""
    largest = float(np.abs(cost).max(initial=0.0))
    return 2.0 ** (10 - math.frexp(largest)[1]) if largest > 0 else 1.0


__all__ = ["HighsModel", "Outcome", "cost_scale", "write_model"]
