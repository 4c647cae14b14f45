"""Grades, bounds, limits and starts of the offline solvers."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from hadaropt import (
    Cluster,
    Instance,
    Job,
    Schedule,
    check_schedule,
    solve_dual,
    solve_ilp,
    solve_lp,
)
from hadaropt.certificates import certify, verify
from hadaropt.errors import InvariantError, LimitError, ScheduleError, SolverError
from hadaropt.generate import generate
from hadaropt.instance import LATTICE_CELLS, PARALLELISM
from hadaropt.mip.highs import HighsModel
from hadaropt.offline.compact import solve
from hadaropt.offline.compact.formulation import assemble
from hadaropt.offline.compact.solution import schedule_of, start_of
from hadaropt.offline.infeasibility import unschedulable_jobs
from hadaropt.utility import (
    Completion,
    EffectiveThroughput,
    Linear,
    Sigmoid,
    Step,
    Table,
)
from tests.instances_strategy import contended_instances
from tests.offline.support import instance_of, many_types
from tests.oracle import Json

GPU = Cluster.of({"n0": {"V100": 1}})


def crowd(jobs: int = 40, rounds: int = 24, gpus: int = 8, seed: int = 0) -> Instance:
    """Enough jobs for the solver to need a while."""
    rng = np.random.default_rng(seed)
    cluster = Cluster.of({f"n{r}": {r: gpus} for r in ("V100", "P100", "K80")})
    speeds = [(20, 8, 2), (20, 10, 4), (20, 12, 6), (20, 14, 10)]
    made = []
    for j in range(jobs):
        speed = dict(zip(("V100", "P100", "K80"), speeds[rng.integers(4)], strict=True))
        peak, decay = int(rng.integers(20, 90)), int(rng.integers(1, 9))
        release, gang = int(rng.integers(0, rounds // 2)), int(rng.choice([1, 2, 4, 8]))
        work = int(rng.integers(20, 200))
        made.append(Job(f"j{j}", release, gang, work, speed, Linear(peak, decay)))
    return Instance(cluster, tuple(made), rounds, 1)


def test_no_jobs() -> None:
    instance = Instance(GPU, (), 3)
    result = solve_ilp(instance)
    assert (result.value, result.bound, result.status) == (0, 0, "proved")
    assert result.schedule == Schedule(())
    assert result.termination == "optimal"
    for bound in (solve_lp(instance), solve_dual(instance)):
        assert bound.relaxation_value == bound.bound == 0


def test_all_unschedulable() -> None:
    jobs = (
        Job("wide", 0, 2, 1, {"V100": 1}, Linear(1, 0)),
        Job("late", 3, 1, 1, {"V100": 1}, Linear(1, 0)),
        Job("nowhere", 0, 1, 1, {}, Linear(1, 0)),
        Job("slow", 0, 1, 100, {"V100": 5}, Linear(1, 0)),
        Job("still", 0, 1, 1, {"V100": "0.5"}, Linear(1, 0)),
        Job("worthless", 0, 1, 10, {"V100": 5}, Step(1, 1)),
        Job("fine", 0, 1, 10, {"V100": 5}, Step(1, 2)),
    )
    instance = Instance(GPU, jobs, 3, 1)
    reasons = unschedulable_jobs(instance)
    assert list(reasons) == ["wide", "late", "nowhere", "slow", "still", "worthless"]
    words = ("gang of 2", "release 3", "zero on every", "20 rounds", "no whole", "from round 1 on")
    for reason, word in zip(reasons.values(), words, strict=True):
        assert word in reason
    result = solve_ilp(replace(instance, jobs=jobs[:-1]))
    assert (result.value, result.status) == (0, "proved")
    assert result.schedule == Schedule(((),) * 6)
    assert solve_ilp(instance).value == 1


def test_time_limit_zero() -> None:
    instance = crowd(5)
    result = solve_ilp(instance, time_limit=0)
    assert result.schedule is None
    assert (result.value, result.gap) == (None, None)
    assert (result.termination, result.status) == ("time_limit", "bound")
    assert isinstance(result.bound, Fraction)
    assert result.bound >= solve_ilp(instance).value
    for bound in (solve_lp(instance, time_limit=0), solve_dual(instance, time_limit=0)):
        assert bound.termination == "time_limit"
        assert (bound.value, bound.relaxation_value) == (None, None)
        assert bound.bound == result.bound
    for bad in (-1, math.nan):
        with pytest.raises(ValueError, match="time_limit"):
            solve_ilp(instance, time_limit=bad)


def test_no_incumbent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run without a solution is not an answer of value 0 (pitfall 2)."""
    honest = HighsModel.run

    def empty(self: HighsModel, time_limit: float | None = None) -> object:
        outcome = honest(self, time_limit)
        if not self._mip:
            return outcome
        none = {"x": None, "objective": None, "termination": "time_limit", "bound": math.inf}
        return replace(outcome, **none)

    monkeypatch.setattr(HighsModel, "run", empty)
    result = solve_ilp(crowd(5), time_limit=60)
    assert result.schedule is None
    assert result.value is None
    assert result.status == "bound"
    assert math.isfinite(result.bound)


def test_time_limit_keeps_the_start() -> None:
    instance = crowd()
    start = solve_ilp(crowd(), time_limit=2).schedule
    if start is None:
        start = Schedule.empty(instance)
    value = check_schedule(instance, start).value
    result = solve_ilp(instance, time_limit=0, start=start)
    assert result.value == value
    assert result.status == "feasible"
    assert result.bound >= value
    better = solve_ilp(instance, time_limit=1, start=start)
    assert better.value >= value
    assert better.bound >= better.value


def test_infeasible_start_is_refused() -> None:
    job = Job("a", 0, 1, 10, {"V100": 5}, Linear(3, 1))
    instance = Instance(GPU, (job,), 3, 1)
    schedule = solve_ilp(instance).schedule
    assert schedule is not None
    with pytest.raises(ScheduleError):
        solve_ilp(replace(instance, jobs=(replace(job, release=1),)), start=schedule)


@settings(deadline=None, max_examples=60)
@given(contended_instances())
def test_start_is_a_point_of_the_program(document: Json) -> None:
    """An optimal schedule satisfies every row, and comes back with its value."""
    instance = instance_of(document)
    result = solve_ilp(instance)
    assert result.schedule is not None
    for form in ("auto", "node"):
        model = assemble(instance, form)  # type: ignore[arg-type]
        x = start_of(model, result.schedule)
        linear = model.linear
        assert (linear.matrix @ x <= linear.row_upper + 1e-9).all()
        assert (x >= linear.lower).all() and (x <= linear.upper).all()
        assert linear.cost @ x == pytest.approx(float(result.value), rel=1e-12)
        again = schedule_of(instance, model, x)
        assert check_schedule(instance, again).value == result.value


def test_proved_without_an_integer_program() -> None:
    job = Job("a", 0, 1, 10, {"V100": 5}, Linear(3, 1))
    instance = Instance(GPU, (job,), 3, 1)
    start = solve_ilp(instance).schedule
    result = solve_ilp(instance, start=start)
    assert result.status == "proved"
    assert result.solver is None
    assert result.raw_status == "proved by the exact bound"


def test_value_above_the_bound_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two proven facts that contradict each other leave files behind."""
    monkeypatch.setattr(solve, "certified_bound", lambda *_: Fraction(1))
    job = Job("a", 0, 1, 10, {"V100": 5}, Linear(3, 1))
    other = replace(job, name="b")
    with pytest.raises(InvariantError, match="exceeds the exact bound") as error:
        solve_ilp(Instance(GPU, (job, other), 2, 1))
    assert len(error.value.files) == 2


def test_pitfall_1_a_claim_is_recomputed(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = HighsModel.run

    def boasting(self: HighsModel, time_limit: float | None = None) -> object:
        outcome = honest(self, time_limit)
        return replace(outcome, objective=(outcome.objective or 0) + 0.1)

    instance = Instance(GPU, tuple(Job(n, 0, 1, 10, {"V100": 5}, Linear(3, 1)) for n in "ab"), 2, 1)
    monkeypatch.setattr(HighsModel, "run", boasting)
    with pytest.raises(SolverError, match="claims"):
        solve_ilp(instance)


def test_pitfall_6_the_bound_is_exact() -> None:
    """Float duals are repaired: D(k) bounds the optimum exactly, at any rounding."""
    thirds = tuple(
        Job(n, 0, 1, 1, {"V100": 1}, Linear(f"{k}/3", 0)) for n, k in (("a", 5), ("b", 4))
    )
    instance = Instance(GPU, thirds, 1, 1)
    for result in (solve_lp(instance), solve_dual(instance)):
        assert isinstance(result.bound, Fraction)
        assert result.bound == Fraction(5, 3)
        assert result.prices is not None
        assert result.prices.price(0, 0) >= Fraction(4, 3) - Fraction(1, 10**9)
    assert solve_ilp(instance).status == "proved"


def test_pitfall_7_ranges_that_cannot_be_held() -> None:
    utility = Linear(1, 0)
    wide = Job("a", 0, 1, 3 * 10**8, {"V100": 2**28 + 1, "P100": 3}, utility)
    cluster = Cluster.of({"n0": {"V100": 1, "P100": 1}})
    with pytest.raises(LimitError, match=r"jobs\[0\].iterations = 300000000, must be <= "):
        solve_ilp(Instance(cluster, (wide,), 3, 1))
    even = replace(wide, throughput={"V100": 10**8, "P100": 10**7})
    assert solve_ilp(Instance(cluster, (even,), 3, 1)).value == 1


def test_small_and_large_utilities() -> None:
    for factor in (Fraction(1, 10**12), Fraction(10**12)):
        jobs = tuple(
            Job(n, 0, 1, 1, {"V100": 1}, Linear(k * factor, 0)) for n, k in (("a", 5), ("b", 4))
        )
        result = solve_ilp(Instance(GPU, jobs, 1, 1))
        assert result.value == 5 * factor
        assert result.status == "proved"


def test_the_lattice_closes_the_last_gap() -> None:
    utilities = (Linear(6, 0), Linear(4, 0), Table(("7/2",)))
    jobs = tuple(Job(f"j{i}", 0, 1, 1, {"V100": 1}, u) for i, u in enumerate(utilities))
    some, two = Instance(GPU, jobs, 1, 1), Instance(GPU, jobs[:2], 1, 1)
    bound = Fraction(59, 10)
    assert some.round_down(bound) == Fraction(11, 2) and two.round_down(bound) == 4
    assert Instance(GPU, (), 1, 1).round_down(bound) == 5
    assert Instance(GPU, jobs, LATTICE_CELLS, 1).round_down(bound, quick=True) == bound
    assert two.round_down(bound, quick=True) == 4


def test_large_relaxations_use_the_interior_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """And have the same value; the next LPs of a separation start from its basis."""
    for instance in (crowd(12), many_types(6, 1)):
        plain = solve_lp(instance), solve_dual(instance)
        with monkeypatch.context() as patch:
            patch.setattr(solve, "LARGE_ROWS", 0)
            large = solve_lp(instance), solve_dual(instance)
        for one, other in zip(plain, large, strict=True):
            assert other.relaxation_value == pytest.approx(one.relaxation_value, rel=1e-7)
            assert other.solver is not None and other.solver.options["solver"] == "ipm"


def test_a_bound_is_exact_only_where_prices_prove_it() -> None:
    for seed in range(6):
        for parallelism in PARALLELISM:
            instance = generate(
                "six_class", seed=seed, num_jobs=5, num_rounds=6, parallelism=parallelism
            )
            for found in (solve_ilp(instance), solve_lp(instance)):
                if isinstance(found.bound, Fraction):
                    proved = verify(instance, certify(instance, found)).best_bound
                    assert proved is not None and proved <= found.bound
                if found.schedule is not None:
                    assert found.value <= found.bound


def test_the_bound_of_every_job_alone_has_its_own_prices() -> None:
    # At rounded duals the bound is a little above what zero prices prove.
    values = [Completion("3/500000", 7), EffectiveThroughput(4)]
    values += [Table((44_000_000, 39_000_000)), Sigmoid(peak=82, steepness="7/10", deadline=5)]
    needs, speeds = (1, 27 * 10**8, 1, 744_437), (1, 9 * 10**9, 2, 10**9)
    jobs = [
        Job(f"j{i}", 3 if i == 1 else 0, 2 if i in (0, 2) else 1, need, {"V100": speed}, value)
        for i, (need, speed, value) in enumerate(zip(needs, speeds, values, strict=True))
    ]
    cluster = Cluster.of({"n0": {"V100": 1}, "n1": {"V100": 0}})
    instance = Instance(cluster, jobs, 6, "1/10", "forked")  # type: ignore[arg-type]
    found = solve_ilp(instance)
    assert found.status == "proved"
    assert verify(instance, certify(instance, found)).proved
