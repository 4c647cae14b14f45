"""Whatever ends a solve, the best answer known comes along, and a defect can be reproduced."""

from __future__ import annotations

import itertools
import os
import signal
import tempfile
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from hadaropt import (
    Cluster,
    Instance,
    Job,
    Schedule,
    check_schedule,
    read_instance,
    read_schedule,
    solve,
    solve_ilp,
)
from hadaropt.errors import InvariantError, LimitError, SolverError, reproducing_files
from hadaropt.generate import generate
from hadaropt.interrupts import interrupted_once
from hadaropt.mip.highs import HighsModel
from hadaropt.offline import run as solving
from hadaropt.offline.colgen import configuration_lp as configuration
from hadaropt.offline.colgen.column_generation import Relaxation
from hadaropt.offline.colgen.configuration_lp import solve_configuration_lp
from hadaropt.offline.compact import solve as programs
from hadaropt.offline.lns.ejection_chains import EjectionSearch
from hadaropt.offline.params import SolveParams
from hadaropt.offline.tree import branch_and_price as tree_search
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.results import Result, best_known
from hadaropt.schedule import Allocation
from hadaropt.utility import Linear, Table

SAMPLES = Path(__file__).parent / "samples"
METHODS = (solve, solve_ilp, branch_and_price)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def crowd() -> tuple[Instance, Schedule]:
    """Two jobs on one GPU, and a poor start worth 2 where 7 can be had."""
    jobs = [Job(name, 0, 1, 1, {"V": 1}, Linear(4, 1)) for name in "ab"]
    instance = Instance(Cluster.of({"n": {"V": 1}}), jobs, 3, 1)
    return instance, Schedule(((Allocation(2, ((0, 0, 1),)),), ()))


def one_of_value_zero() -> tuple[Instance, Schedule]:
    """Two jobs worth something in their first round only, one of them late in the start."""
    jobs = [Job(n, 0, 1, 1, {"V": 1}, Table([v])) for n, v in (("a", 5), ("b", 4))]
    instance = Instance(Cluster.of({"n": {"V": 1}}), jobs, 2, 1)
    return instance, Schedule(tuple((Allocation(t, ((0, 0, 1),)),) for t in range(2)))


@pytest.mark.parametrize("method", METHODS)
def test_a_start_may_complete_a_job_at_value_0(method: Callable[..., Result]) -> None:
    instance, start = one_of_value_zero()
    found = method(instance, start=start)
    assert (found.value, found.status) == (5, "proved")


def test_the_point_of_the_start_is_not_taken_for_the_optimum() -> None:
    instance = read_instance(SAMPLES / "start_with_the_optimum.json")
    start = read_schedule(SAMPLES / "start_with_the_optimum.start.json", instance)
    found = solve_ilp(instance, start=start)
    assert (found.value, found.status) == (Fraction("36.102"), "proved")


def test_optimal_beyond_the_tolerance_of_the_solver_is_not_called_optimal() -> None:
    found = solve_ilp(read_instance(SAMPLES / "peaks_far_apart.json"))
    assert (found.termination, found.status) == ("tolerance", "feasible")
    assert isinstance(found.bound, Fraction)
    assert found.gap >= programs.CLAIM_TOLERANCE


def test_a_gap_of_the_solver_is_no_smaller_than_its_tolerance() -> None:
    seen = set()
    for seed in range(6):
        found = solve_ilp(generate("six_class", seed=seed, num_jobs=6, num_rounds=6))
        seen.add(found.status)
        if found.status == "solver_optimal":
            assert isinstance(found.bound, float)
            assert found.gap >= programs.CLAIM_TOLERANCE / 2
    assert "solver_optimal" in seen


def raising(
    monkeypatch: pytest.MonkeyPatch, owner: object, name: str, error: BaseException, call: int = 0
) -> None:
    """Let a function raise at one of its calls, and at those that follow."""
    real, calls = getattr(owner, name), itertools.count()

    def function(*arguments: object, **options: object) -> object:
        if next(calls) >= call:
            raise error
        return real(*arguments, **options)

    monkeypatch.setattr(owner, name, function)


def solve_by_search(instance: Instance, start: Schedule) -> Result:
    """Solve with ejection chains before branch-and-price, as if there were many jobs."""
    return solve(instance, start=start, params=SolveParams(tiny_jobs=0))


PLACES = [
    (solve, solving, "Lagrangian"),
    (solve_by_search, EjectionSearch, "greedy"),
    (solve, solving, "branch_and_price"),
    (solve, solving.Run, "cross_check"),
    (solve_ilp, programs, "assemble"),
    (solve_ilp, programs, "certified_bound"),
    (solve_ilp, HighsModel, "run"),
    (branch_and_price, tree_search.Space, "of"),
    (branch_and_price, tree_search, "Relaxation"),
    (branch_and_price, Relaxation, "converge"),
    (branch_and_price, tree_search, "tree_document"),
]


@pytest.mark.parametrize(("method", "owner", "name"), PLACES)
def test_a_defect_in_any_phase_carries_the_answer_and_leaves_files(
    monkeypatch: pytest.MonkeyPatch, method: Callable[..., Result], owner: object, name: str
) -> None:
    instance, start = crowd()
    raising(monkeypatch, owner, name, IndexError("planted"))
    with pytest.raises(IndexError, match="planted") as caught:
        method(instance, start=start)
    known = best_known(caught.value)
    assert known is not None and known.schedule is not None
    assert check_schedule(instance, known.schedule).value == known.value >= 2
    assert known.bound >= 7
    folder = Path(reproducing_files(caught.value)[0]).parent
    assert read_instance(folder / "instance.json") == instance
    assert read_schedule(folder / "schedule.json", instance).jobs == known.schedule.jobs
    assert read_schedule(folder / "start.json", instance) is not None
    assert "planted" in (folder / "traceback.txt").read_text()


@pytest.mark.parametrize(("method", "owner", "name"), PLACES)
def test_ctrl_c_in_any_phase_returns_the_best_known(
    monkeypatch: pytest.MonkeyPatch, method: Callable[..., Result], owner: object, name: str
) -> None:
    instance, start = crowd()
    raising(monkeypatch, owner, name, KeyboardInterrupt())
    found = method(instance, start=start)
    assert found.schedule is not None
    assert check_schedule(instance, found.schedule).value == found.value >= 2
    assert found.bound >= 7 and found.termination in ("interrupted", "optimal")


def test_ctrl_c_in_the_integer_program_keeps_its_best_point(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = generate("six_class", seed=0, num_jobs=6, num_rounds=6)
    honest = HighsModel.run

    def pressed(self: HighsModel, time_limit: float | None = None) -> object:
        outcome = honest(self, time_limit)
        if not self._mip:
            return outcome
        stop = KeyboardInterrupt()
        stop.point = outcome.x  # type: ignore[attr-defined]
        raise stop

    monkeypatch.setattr(HighsModel, "run", pressed)
    found = solve_ilp(instance)
    assert found.termination == "interrupted" and found.value > 0
    assert isinstance(found.bound, Fraction)


def test_ctrl_c_in_column_generation_keeps_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = generate("six_class", seed=0, num_jobs=12, num_rounds=8)
    raising(monkeypatch, configuration.Relaxation, "_improving", KeyboardInterrupt(), call=3)
    found = solve_configuration_lp(instance)
    assert (found.termination, found.status) == ("interrupted", "bound")
    plain = solve_configuration_lp
    monkeypatch.undo()
    assert found.bound >= plain(instance).bound


def test_pressing_twice_at_once_interrupts_once() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with interrupted_once():
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("method", [solve, branch_and_price])
@pytest.mark.parametrize("answer", [True, np.bool_(True)])
def test_a_callback_stops_with_true_of_python_or_numpy(
    method: Callable[..., Result], answer: object
) -> None:
    instance = generate("six_class", seed=0, num_jobs=12, num_rounds=8)
    assert method(instance, callback=lambda *_: answer).termination == "stopped"


@pytest.mark.parametrize("method", [solve, branch_and_price])
@pytest.mark.parametrize("answer", [1, "yes", np.zeros(2)])
def test_a_callback_that_returns_something_odd_is_told(
    method: Callable[..., Result], answer: object
) -> None:
    instance, start = crowd()
    with pytest.raises(TypeError, match="must be True, False or None") as caught:
        method(instance, start=start, callback=lambda *_: answer)
    known = best_known(caught.value)
    assert known is not None and known.value >= 2
    assert reproducing_files(caught.value) == ()


@pytest.mark.parametrize("method", [solve, branch_and_price])
@pytest.mark.parametrize("call", [1, 2])
def test_what_a_callback_raises_is_raised_with_the_answer(
    method: Callable[..., Result], call: int
) -> None:
    instance, start = crowd()
    calls = itertools.count(1)
    error = LimitError("of the caller")

    def callback(*_: object) -> None:
        if next(calls) >= call:
            raise error

    with pytest.raises(LimitError) as caught:
        method(instance, start=start, callback=callback)
    known = best_known(caught.value)
    assert known is not None and known.value >= 2
    assert reproducing_files(caught.value) == ()


def test_a_schedule_that_the_checker_refuses_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    instance, start = crowd()
    both = Schedule(((Allocation(0, ((0, 0, 1),)),),) * 2)
    monkeypatch.setattr(programs, "schedule_of", lambda *_: both)
    with pytest.raises(InvariantError, match="no schedule: ") as caught:
        solve_ilp(instance, start=start)
    known = best_known(caught.value)
    assert known is not None and known.value == 2
    assert Path(reproducing_files(caught.value)[0]).exists()


def test_a_boast_of_the_solver_keeps_the_value_of_its_point(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest = HighsModel.run

    def boasting(self: HighsModel, time_limit: float | None = None) -> object:
        outcome = honest(self, time_limit)
        return replace(outcome, objective=(outcome.objective or 0) + 0.1)

    instance, _ = crowd()
    monkeypatch.setattr(HighsModel, "run", boasting)
    monkeypatch.setattr(programs, "certified_bound", lambda *_: None)
    with pytest.raises(SolverError, match="claims") as caught:
        solve_ilp(instance)
    known = best_known(caught.value)
    assert known is not None and known.value == 7


def test_a_full_disk_for_the_files_of_a_defect_keeps_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance, start = crowd()
    raising(monkeypatch, programs, "assemble", IndexError("planted"))
    raising(monkeypatch, tempfile, "mkdtemp", OSError(28, "No space left on device"))
    with pytest.raises(IndexError) as caught:
        solve_ilp(instance, start=start)
    known = best_known(caught.value)
    assert known is not None and known.value == 2
    assert "No space left" in "".join(caught.value.__notes__)


@pytest.mark.parametrize("target", [0.05, 0.3])
def test_a_target_gap_that_is_reached_is_told(target: float) -> None:
    reached = set()
    for seed in range(4):
        instance = generate("overloaded_tight", seed=seed)
        found = branch_and_price(instance, target_gap=target)
        assert found.gap <= target
        reached.add(found.termination)
    assert reached <= {"optimal", "target_gap"}
    assert target < 0.1 or "target_gap" in reached


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf")])
def test_a_target_gap_is_a_number(bad: float) -> None:
    for method in (solve, branch_and_price):
        with pytest.raises(ValueError, match="target_gap"):
            method(crowd()[0], target_gap=bad)
    with pytest.raises(ValueError, match="time_limit"):
        solve_configuration_lp(crowd()[0], time_limit=float("nan"))
