"""One door: optimal on small instances, honest on all, and stopped at any time."""

from __future__ import annotations

import importlib
import itertools
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings

import hadaropt
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
from hadaropt.certificates import certify, verify
from hadaropt.errors import InvariantError, ScheduleError
from hadaropt.generate import generate
from hadaropt.instance import PARALLELISM
from hadaropt.mip.highs import HighsModel
from hadaropt.offline import run as solving
from hadaropt.offline.colgen import pricing_data as options
from hadaropt.offline.heuristics.divers import OneDiver
from hadaropt.offline.infeasibility import unschedulable_jobs
from hadaropt.offline.lagrangian import bound as lagrangian
from hadaropt.offline.monitor import Progress
from hadaropt.offline.nested import gains, solve_nested
from hadaropt.offline.params import SolveParams
from hadaropt.schedule import Allocation
from hadaropt.utility import Linear
from tests.instances_strategy import tiny_instances
from tests.offline.support import instance_of, rates_apart
from tests.oracle import Json, optimum

door = importlib.import_module("hadaropt.offline.solve")


def confirm(instance: Instance, result: hadaropt.results.Result) -> None:
    """Check everything that an answer claims."""
    assert result.schedule is not None
    assert check_schedule(instance, result.schedule).value == result.value
    assert result.bound >= result.value
    verified = verify(instance, certify(instance, result))
    assert verified.value == result.value
    assert verified.best_bound is not None and verified.best_bound <= result.bound
    assert (result.status == "proved") == (result.value == result.bound)
    for earlier, later in itertools.pairwise(result.history):
        assert earlier[0] <= later[0]
        assert earlier[1] is not None and earlier[1] <= later[1]
        assert earlier[2] is None or later[2] <= earlier[2]


AS_LARGE = SolveParams(tiny_jobs=0, small_jobs=0, medium_jobs=0)
"""No branch-and-price."""


@settings(max_examples=25, deadline=None)
@given(document=tiny_instances(max_jobs=3, max_rounds=4))
def test_optimum_of_tiny_instances(document: Json) -> None:
    instance = instance_of(document)
    best, _ = optimum(document)
    result = solve(instance)
    assert result.status == "proved" and result.termination == "optimal"
    assert result.value == best
    confirm(instance, result)


@pytest.mark.parametrize("parallelism", PARALLELISM)
@pytest.mark.parametrize("spread", ["1", "0.8"])
def test_search_is_feasible_in_every_model(parallelism: str, spread: str) -> None:
    """The search alone, without branch-and-price behind it."""
    instance = generate(
        "small_uniform",
        seed=4,
        num_jobs=16,
        num_rounds=10,
        parallelism=parallelism,
        spread_factor=spread,
    )
    result = solve(instance, cross_check=False, params=AS_LARGE)
    assert result.termination in ("search_limit", "optimal")
    assert result.value > 0
    assert "ejection chains" in result.raw_status
    confirm(instance, result)


def test_search_improves_on_greedy_and_keeps_a_start() -> None:
    instance = generate("measured_rates", seed=1, num_jobs=40, num_rounds=20)
    first = solve(instance, params=AS_LARGE)
    values = [value for _, value, _ in first.history if value]
    assert values[-1] > values[0]
    confirm(instance, first)
    again = solve(instance, start=first.schedule, time_limit=0, params=AS_LARGE)
    assert again.value >= first.value
    assert again.termination == "time_limit"
    confirm(instance, again)


def test_a_bad_start_is_refused() -> None:
    cluster = Cluster.of({"n": {"V100": 1}})
    jobs = tuple(Job(name, 0, 1, 2, {"V100": 1}, Linear(4, 1)) for name in "ab")
    instance = Instance(cluster, jobs, 4, 1)
    crowded = Schedule(((Allocation(0, ((0, 0, 1),)),),) * 2)
    with pytest.raises(ScheduleError, match=r"start\..*must not exceed the capacity of 1"):
        solve(instance, start=crowded)
    with pytest.raises(ScheduleError, match=r"start\.jobs = 1, must have one entry for each"):
        solve(instance, start=Schedule(((),)))
    with pytest.raises(ValueError, match="time_limit = -1"):
        solve(instance, time_limit=-1)
    with pytest.raises(ValueError, match="target_gap = -1"):
        solve(instance, target_gap=-1)


def test_nothing_to_schedule() -> None:
    cluster = Cluster.of({"n": {"V100": 2}})
    never = [
        Job("late", 9, 1, 10, {"V100": 5}, Linear(3, 1)),
        Job("wide", 0, 3, 10, {"V100": 5}, Linear(3, 1)),
        Job("vain", 0, 1, 10, {"V100": 5}, Linear(0, 0)),
    ]
    for jobs in ((), never):
        for limit in (None, 0):
            instance = Instance(cluster, tuple(jobs), 4, 1)
            result = solve(instance, time_limit=limit)
            assert result.status == "proved"
            assert result.value == result.bound == 0
            confirm(instance, result)


def test_no_time_still_answers_with_a_bound() -> None:
    instance = generate("six_class", seed=2, num_jobs=60, num_rounds=20)
    result = solve(instance, time_limit=0)
    assert result.termination == "time_limit"
    assert isinstance(result.bound, Fraction)
    confirm(instance, result)


def test_few_jobs_on_many_nodes_have_a_schedule_before_the_first_relaxation(monkeypatch) -> None:
    instance = generate("six_class", seed=3, num_jobs=20, num_rounds=24, parallelism="forked")

    def stuck(*_: object, **options: object) -> object:
        assert check_schedule(instance, options["start"]).value > 0  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(solving, "branch_and_price", stuck)
    result = solve(instance, time_limit=600)
    assert result.value > 0
    confirm(instance, result)


def test_the_target_gap_stops() -> None:
    instance = generate("six_class", seed=2, num_jobs=60, num_rounds=20)
    result = solve(instance, target_gap=0.3)
    assert result.termination == "target_gap"
    assert 0 < result.gap <= 0.3
    confirm(instance, result)


def test_the_callback_sees_progress_and_stops() -> None:
    instance = generate("six_class", seed=2, num_jobs=80, num_rounds=20)
    seen: list[Progress] = []

    def callback(progress: Progress) -> bool:
        seen.append(progress)
        return progress.value > 0 and progress.gap < 10

    result = solve(instance, callback=callback)
    assert result.termination == "stopped"
    assert seen[0].phase == "greedy"  # a first schedule, before anything is bounded
    assert "bound" in {progress.phase for progress in seen}
    assert seen[-1].value > 0 and seen[-1].gap < 10
    confirm(instance, result)


def test_display_is_on_standard_error(capsys) -> None:
    instance = generate("six_class", seed=2, num_jobs=60, num_rounds=20)
    solve(instance, target_gap=0.3, display=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "value" in err and "bound" in err and "gap" in err


def test_interrupt_returns_the_best_with_its_certificate(monkeypatch) -> None:
    instance = generate("six_class", seed=2, num_jobs=80, num_rounds=20)

    def callback(progress: Progress) -> None:
        if progress.phase == "search":
            raise KeyboardInterrupt

    result = solve(instance, callback=callback)
    assert result.termination == "interrupted"
    assert result.value > 0
    confirm(instance, result)


def test_ctrl_c_from_outside() -> None:
    code = (
        "import hadaropt, sys\n"
        "from hadaropt.generate import generate\n"
        "instance = generate('six_class', seed=3, num_jobs=700, num_rounds=60)\n"
        "tell = lambda p: print(p.phase, flush=True)\n"
        "result = hadaropt.solve(instance, callback=tell)\n"
        "assert result.termination == 'interrupted', result.termination\n"
        "assert result.value > 0\n"
        "print('done', flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("search"):
            process.send_signal(signal.SIGINT)
            break
    rest = process.stdout.read()
    assert process.wait() == 0
    assert rest.endswith("done\n")


def test_rates_that_differ_by_a_billion() -> None:
    instance = rates_apart()
    result = solve(instance)
    assert result.value == 11 and result.status == "proved"
    confirm(instance, result)


def test_interrupt_within_branch_and_price(monkeypatch) -> None:
    """The tree as it stands proves the bound, whatever the moment."""
    instance = generate("overloaded_tight", seed=2)
    run, runs = HighsModel.run, []

    def stopped(self: HighsModel, time_limit: float | None = None) -> object:
        runs.append(self)
        if len(runs) == 12:
            raise KeyboardInterrupt
        return run(self, time_limit)

    monkeypatch.setattr(HighsModel, "run", stopped)
    result = solve(instance)
    assert len(runs) == 12  # no cross-check afterwards either
    assert (result.termination, result.status) == ("interrupted", "feasible")
    assert result.value > 0
    confirm(instance, result)


def test_a_start_of_another_instance_is_refused() -> None:
    """As many jobs, but other capacities, releases and gangs."""
    instance = generate("overloaded_tight", seed=1)
    other = generate("overloaded_tight", seed=2)
    assert len(instance.jobs) == len(other.jobs)
    best = solve(other, time_limit=5, cross_check=False).schedule
    with pytest.raises(ScheduleError, match=r'start\.job "j0", round 0, must hold 0 or'):
        solve(instance, start=best)


def test_all_are_unschedulable_and_said_why() -> None:
    cluster = Cluster.of({"n": {"V100": 1}})
    slow = tuple(Job(f"j{j}", 0, 1, 10**12, {"V100": 1}, Linear(3, 1)) for j in range(70))
    instance = Instance(cluster, slow, 4, 1)
    result = solve(instance)
    assert (result.value, result.bound, result.status) == (0, 0, "proved")
    confirm(instance, result)
    assert "horizon is 4 rounds" in unschedulable_jobs(instance)["j69"]


def reproduced(error: InvariantError, instance: Instance) -> Schedule:
    """Read the files that a breach left; return the schedule."""
    again, schedule = error.files
    problem = read_instance(again)
    assert problem == instance
    return read_schedule(schedule, problem)


def test_a_proof_that_the_compact_program_beats_is_a_breach(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    instance = generate("small_uniform", seed=1, num_jobs=5, num_rounds=6)
    honest = solving.branch_and_price

    def liar(*arguments: object, **options: object) -> hadaropt.results.Result:
        found = honest(*arguments, **options)  # type: ignore[arg-type]
        empty = Schedule.empty(instance)
        return replace(found, value=Fraction(0), bound=Fraction(0), schedule=empty)

    monkeypatch.setattr(solving, "branch_and_price", liar)
    with pytest.raises(InvariantError, match="reproduce with") as caught:
        solve(instance)
    reproduced(caught.value, instance)


def test_a_compact_optimum_below_a_schedule_is_a_breach(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    instance = generate("small_uniform", seed=1, num_jobs=5, num_rounds=6)
    best = solve(instance).value
    empty = Schedule.empty(instance)

    def liar(*arguments: object, **options: object) -> hadaropt.results.Result:
        found = solve_ilp(*arguments, **options)  # type: ignore[arg-type]
        return replace(found, value=Fraction(0), status="solver_optimal", schedule=empty)

    monkeypatch.setattr(solving, "solve_ilp", liar)
    with pytest.raises(InvariantError, match="calls 0 optimal") as caught:
        solve(instance)
    assert check_schedule(instance, reproduced(caught.value, instance)).value == best


def test_the_cross_check_claims_no_more_than_prices_prove() -> None:
    for seed in (0, 12, 14):
        instance = generate("six_class", seed=seed, num_jobs=5, num_rounds=6)
        for limit in (0, 0.03):
            confirm(instance, solve(instance, time_limit=limit, cross_check=True))


def test_a_type_that_ends_a_job_in_no_time_keeps_the_time_limit() -> None:
    cluster = Cluster.of({"n0": {"slow": 1, "fast": 1}, "n1": {"slow": 2, "fast": 1}})
    speeds = {"slow": "334651/10889", "fast": 600_000_000}
    jobs = [Job("a", 0, 2, 23_624, speeds, Linear(9, 1), "1/3")]  # type: ignore[arg-type]
    instance = Instance(cluster, jobs, 3, parallelism="single_type")
    confirm(instance, solve(instance, time_limit=1, cross_check=False))


def interrupted_at(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, call: int) -> None:
    """Let a function raise KeyboardInterrupt at one of its calls."""
    real, calls = getattr(owner, name), itertools.count()

    def function(*args: object, **options: object) -> object:
        if next(calls) == call:
            raise KeyboardInterrupt
        return real(*args, **options)

    monkeypatch.setattr(owner, name, function)


@pytest.mark.parametrize("call", [0, 1, 5, 40])
def test_ctrl_c_during_the_dual_search_ends_the_solve(
    monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    instance = generate("gavel_like", seed=5, num_jobs=60, num_rounds=30)
    interrupted_at(monkeypatch, lagrangian.Oracle, "__call__", call)
    result = solve(instance, time_limit=600)
    assert result.termination == "interrupted"
    assert isinstance(result.bound, Fraction)
    confirm(instance, result)


def test_ctrl_c_ends_all_models_of_parallelism(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = generate("gavel_like", seed=5, num_jobs=60, num_rounds=30)
    for owner, name in ((lagrangian.Oracle, "__call__"), (solving, "Lagrangian")):
        with monkeypatch.context() as patch:
            interrupted_at(patch, owner, name, 0)
            found = solve_nested(instance)
        assert found["single_type"].termination == "interrupted"
        assert len(gains(found)) == 3
        for model, result in found.items():
            confirm(instance.with_parallelism(model), result)


def test_few_jobs_too_large_for_branch_and_price_go_to_the_compact_program() -> None:
    cluster = Cluster.of({"n0": {"A": 2, "B": 1}, "n1": {"A": 1, "B": 2}})
    jobs = [
        Job(f"j{i}", 0, 1, 10**6 + i, {"A": 10**5 + 7 * i, "B": 10**6 + i}, Linear(10 + i, 1))
        for i in range(4)
    ]
    instance = Instance(cluster, jobs, 4, 1, "forked")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(options, "MAX_COPY_STATES", 1)
        result = solve(instance, cross_check=False)
    assert result.status == "proved"
    assert "too large" in result.raw_status
    assert verify(instance, certify(instance, result)).proved


@pytest.mark.parametrize(
    ("jobs", "work", "early"), [(61, 5000, True), (61, 4999, False), (60, 5000, False)]
)
def test_processes_that_will_dive_load_before_there_is_a_dive(
    jobs: int, work: int, early: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    class Noted(OneDiver):
        def start(self) -> None:
            seen.append("started")

    @contextmanager
    def noted(threads: int | None) -> Iterator[OneDiver]:
        assert threads == 2
        yield Noted()

    def stop(progress: Progress) -> bool:
        seen.append(progress.phase)
        return True

    monkeypatch.setattr(door, "divers", noted)
    instance = generate("small_uniform", seed=0, num_jobs=jobs, num_rounds=4)
    solve(instance, work_limit=work, threads=2, callback=stop)
    assert ("started" in seen) == early and seen[early:]
    assert seen[0] == "started" or not early
