"""Branch-and-price against the brute-force oracle, every answer with its certificate."""

from __future__ import annotations

import signal
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings

from hadaropt.certificates import Certificate, certify, verify
from hadaropt.errors import CertificateError, ScheduleError, SolverError
from hadaropt.generate import generate
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.mip.highs import HighsModel
from hadaropt.offline.colgen import pricing_data as options
from hadaropt.offline.cuts.params import CutParams
from hadaropt.offline.first_schedule import first_schedule
from hadaropt.offline.heuristics import divers
from hadaropt.offline.heuristics.params import HeuristicParams
from hadaropt.offline.monitor import Progress
from hadaropt.offline.params import SolveParams
from hadaropt.offline.solve import solve
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.offline.tree.params import TreeParams
from hadaropt.schedule import check_schedule
from hadaropt.utility import Completion, EffectiveThroughput, Linear, Step
from tests.instances_strategy import PARALLELISMS, contended_instances, tiny_instances
from tests.offline.support import instance_of
from tests.oracle import Json, optimum


def solved(document: Json) -> tuple[Instance, object]:
    instance = instance_of(document)
    result = branch_and_price(instance)
    assert result.schedule is not None
    assert check_schedule(instance, result.schedule).value == result.value
    certificate = certify(instance, result)
    assert certificate.level == "L2"
    checked = verify(instance, certificate)
    assert checked.value == result.value
    assert checked.bound == result.bound
    return instance, result


@pytest.mark.parametrize("parallelism", PARALLELISMS)
@settings(max_examples=60, deadline=None)
@given(data=tiny_instances(max_jobs=3, max_rounds=4))
def test_optimum_of_tiny_instances(parallelism: str, data: Json) -> None:
    data["parallelism"] = parallelism
    best, _ = optimum(data)
    _, result = solved(data)
    assert result.value == best
    assert result.status == "proved"


@pytest.mark.parametrize("parallelism", PARALLELISMS)
@settings(max_examples=40, deadline=None)
@given(data=contended_instances(max_rounds=3))
def test_optimum_of_contended_instances(parallelism: str, data: Json) -> None:
    data["parallelism"] = parallelism
    best, _ = optimum(data)
    _, result = solved(data)
    assert result.value == best
    assert result.status == "proved"


def same_speed(parallelism: str = "single_type") -> Instance:
    """Three gangs of two on two types of three GPUs at one speed: only two fit at a time."""
    jobs = [Job(name, 0, 2, 1, {"V100": 1, "P100": 1}, Step(10, 1)) for name in "abc"]
    cluster = Cluster.of({"n0": {"V100": 3}, "n1": {"P100": 3}})
    return Instance(cluster, jobs, 1, Fraction(1), parallelism)  # type: ignore[arg-type]


def test_equal_progress_on_other_gpus_is_branched_on() -> None:
    instance = same_speed()
    result = branch_and_price(instance, params=TreeParams(cuts=CutParams(packings=False)))
    assert (result.value, result.status) == (20, "proved")
    assert verify(instance, certify(instance, result)).proved


def held_tree() -> dict[str, Any]:
    """Two nodes of three GPUs, gangs that are slow over nodes: a and b on n0 and n1, c nowhere."""
    ask = {"job": "a", "kind": "held", "round": 0, "type": "V100", "at_least": 1}
    return {
        "price_vectors": [[{"round": 0, "type": "V100", "price": "10"}], []],
        "nodes": [
            {"branch": ask, "yes": 1, "no": 2},
            {"prices": 1, "cuts": [], "bound": "30"},
            {"prices": 1, "cuts": [], "bound": "30"},
        ],
    }


def test_held_branches_are_checked() -> None:
    instance = same_speed()
    plain = certify(instance, branch_and_price(instance))

    def claim(tree: dict[str, Any]) -> Certificate:
        bounds = [Fraction(node["bound"]) for node in tree["nodes"] if "bound" in node]
        return replace(plain, tree=tree, bound=max(bounds))

    assert verify(instance, claim(held_tree())).bound == 30
    # A V100 costs 10 and three of them 30: on the yes side a must pay for two, 10 - 20, while b and
    # c run on P100, 10 each.
    yes = held_tree()
    yes["nodes"][1] = {"prices": 0, "cuts": [], "bound": "40"}
    checked = verify(instance, claim(yes))
    assert checked.bound == 40
    yes["nodes"][1]["bound"] = "39"
    with pytest.raises(CertificateError, match="must be at least 40"):
        verify(instance, claim(yes))
    for change, reason in (
        ({"type": "K80"}, "is not in the instance"),
        ({"at_least": -1}, "must be >= 0"),
        ({"node": "n0"}, "is an unknown field"),
        ({"round": 1}, "must be <= 0"),
    ):
        tree = held_tree()
        tree["nodes"][0]["branch"] |= change
        with pytest.raises(CertificateError, match=reason):
            verify(instance, claim(tree))


def test_more_gpus_than_the_gang_is_a_closed_side() -> None:
    instance = same_speed()
    plain = certify(instance, branch_and_price(instance))
    tree = held_tree()
    tree["nodes"][0]["branch"]["at_least"] = 3
    # Nothing holds three: the yes side is empty, whatever it claims.
    tree["nodes"][1]["bound"] = "0"
    assert verify(instance, replace(plain, tree=tree, bound=Fraction(30))).bound == 30


def test_the_same_answer_twice() -> None:
    instance = generate("overloaded_tight", seed=3)
    first, second = branch_and_price(instance), branch_and_price(instance)
    assert first.branching_tree == second.branching_tree
    assert first.schedule == second.schedule
    assert first.nodes == second.nodes


def test_a_start_is_kept_and_checked() -> None:
    instance = generate("small_uniform", seed=0)
    best = branch_and_price(instance)
    again = branch_and_price(instance, time_limit=0, start=best.schedule)
    assert again.value == best.value
    assert again.bound >= best.value
    checked = verify(instance, certify(instance, again))
    assert (checked.level, checked.bound) == ("L2", again.bound)
    with pytest.raises(ScheduleError):
        branch_and_price(generate("small_uniform", seed=1), start=best.schedule)


def test_a_target_gap_stops_early() -> None:
    instance = generate("overloaded_tight", seed=1)
    rough = branch_and_price(instance, target_gap=0.2)
    assert rough.gap <= 0.2
    assert rough.nodes <= branch_and_price(instance).nodes
    assert verify(instance, certify(instance, rough)).bound == rough.bound


@pytest.mark.parametrize("jobs", [(), (Job("a", 9, 1, 1, {"V100": 1}, Step(1, 1)),)])
def test_nothing_to_do(jobs: tuple[Job, ...]) -> None:
    instance = Instance(Cluster.of({"n0": {"V100": 1}}), jobs, 2)
    result = branch_and_price(instance)
    assert (result.value, result.bound, result.status) == (0, 0, "proved")
    assert verify(instance, certify(instance, result)).proved


def test_values_without_a_short_denominator_close_exactly() -> None:
    """Effective throughput has denominators far beyond what rounded prices could close."""
    jobs = [
        Job(name, t, 2, q, {"V100": 3, "P100": 2}, EffectiveThroughput(1))
        for name, t, q in (("a", 0, 7), ("b", 0, 11), ("c", 1, 13), ("d", 2, 17))
    ]
    cluster = Cluster.of({"n0": {"V100": 2, "P100": 1}, "n1": {"P100": 2}})
    for parallelism in PARALLELISMS:
        instance = Instance(cluster, jobs, 11, Fraction(7), parallelism)  # type: ignore[arg-type]
        result = branch_and_price(instance)
        assert result.status == "proved"
        assert verify(instance, certify(instance, result)).proved


@pytest.mark.parametrize("limit", [None, 0])
def test_too_many_ways_leave_the_start(limit: float | None, monkeypatch: Any) -> None:
    instance = generate("small_uniform", seed=0, num_jobs=5, num_rounds=6, parallelism="forked")
    best = branch_and_price(instance)
    params = TreeParams()
    if limit is None:
        monkeypatch.setattr(options, "MAX_COPY_STATES", 2)
    else:
        params = TreeParams(building_share=-1.0, building_seconds=-1.0)
    result = branch_and_price(instance, start=best.schedule, time_limit=600, params=params)
    assert (result.termination, result.value) == ("too_large", best.value)
    assert verify(instance, certify(instance, result)).best_bound == result.bound
    first = check_schedule(instance, first_schedule(instance)).value
    assert branch_and_price(instance, time_limit=600, params=params).value == first > 0
    whole = solve(instance, params=SolveParams(tree=params))
    assert "too large for branch-and-price" in whole.raw_status
    assert 0 < whole.value <= best.value <= whole.bound


def test_what_was_proved_before_the_solver_fails_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = generate("overloaded_tight", seed=1)
    solve, runs = HighsModel.run, []

    def fails(self: HighsModel, time_limit: float | None = None) -> object:
        runs.append(self)
        if len(runs) == 10:
            raise SolverError("no answer")
        return solve(self, time_limit)

    monkeypatch.setattr(HighsModel, "run", fails)
    result = branch_and_price(instance)
    assert (result.termination, result.status) == ("solver_error", "feasible")
    assert result.raw_status.endswith("stopped: no answer")
    assert result.bound > result.value
    assert verify(instance, certify(instance, result)).best_bound == result.bound


@pytest.mark.parametrize("parallelism", PARALLELISMS)
@settings(max_examples=25, deadline=None)
@given(data=contended_instances(max_rounds=3))
def test_every_reported_bound_holds_and_every_reported_value_is_reached(
    parallelism: str, data: Json
) -> None:
    data["parallelism"] = parallelism
    seen: list[Progress] = []

    def callback(progress: Progress) -> bool:
        seen.append(progress)
        return False

    result = branch_and_price(instance_of(data), callback=callback)
    assert all(p.bound is not None and p.value <= result.value <= p.bound for p in seen)
    assert [p.value for p in seen] == sorted(p.value for p in seen)


def test_bounds_reported_deep_in_a_tree() -> None:
    instance = generate("overloaded_tight", seed=0, num_jobs=14, num_rounds=10)
    seen: list[Progress] = []

    def callback(progress: Progress) -> bool:
        seen.append(progress)
        return False

    result = branch_and_price(instance, callback=callback)
    assert result.status == "proved"
    assert result.nodes > 10
    assert all(p.bound is not None and p.value <= result.value <= p.bound for p in seen)
    assert seen[-1].bound == result.bound


def test_a_callback_that_stops_leaves_a_valid_answer() -> None:
    instance = generate("overloaded_tight", seed=0, num_jobs=12, num_rounds=10)
    result = branch_and_price(instance, callback=lambda progress: progress.value > 0)
    assert result.termination == "stopped" or result.status == "proved"
    assert verify(instance, certify(instance, result)).bound == result.bound


def test_branches_on_more_progress_than_32_bits_are_certified() -> None:
    speeds = {"A": 2 * 10**9}
    jobs = [
        Job(name, 2, 2, 1_620_000_000_000, speeds, Completion("10/7", 7), "1/3")  # type: ignore
        for name in "abc"
    ]
    last = Linear("17e-6", "3e-6")
    jobs.append(Job("d", 3, 2, 180_000_000, {"A": 500_000}, last, "1/2"))  # type: ignore[arg-type]
    cluster = Cluster.of({"n0": {"A": 1}, "n1": {"A": 4}})
    instance = Instance(cluster, jobs, 6, 360, "single_type")  # type: ignore[arg-type]
    result = branch_and_price(instance)
    assert result.branching_tree is not None and "720000000000" in str(result.branching_tree)
    assert verify(instance, certify(instance, result)).proved


@pytest.mark.parametrize("parallelism", PARALLELISMS)
@settings(max_examples=15, deadline=None)
@given(data=contended_instances(max_rounds=3))
def test_optima_are_the_same_without_tables_of_states(parallelism: str, data: Json) -> None:
    """What is priced from labels, in 64 bits and in integers of any size, in every branch."""
    data["parallelism"] = parallelism
    instance = instance_of(data)
    found = branch_and_price(instance)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(options, "MAX_STATES", 1)
        other = branch_and_price(instance)
    assert (other.value, other.bound, other.status) == (found.value, found.bound, "proved")
    assert verify(instance, certify(instance, other)).proved


def test_many_states_keep_the_time_limit() -> None:
    speeds = dict(zip("ABCDE", (10_000_019, 5_000_011, 333_337, 77_773, 2003), strict=True))
    jobs = [Job("a", 0, 2, 7_200_000_000, speeds, Linear(35, 1))]
    cluster = Cluster.of({f"n{h}": dict.fromkeys("ABCDE", 2) for h in range(12)})
    instance = Instance(cluster, jobs, 6, parallelism="forked")
    found = branch_and_price(instance, time_limit=0.1)
    assert found.termination in ("too_large", "time_limit")


BY_DIVES = TreeParams(
    heuristics=HeuristicParams(
        few_jobs=0, divers_from=0.0, stale_refills=6, noisy_dives=1, restricted_gap_many=0.0
    )
)
"""Dives as for many jobs, so that other processes take part."""


@pytest.mark.parametrize("work", [60, 250])
def test_dives_in_other_processes_change_nothing_at_equal_work(work: int) -> None:
    instance = generate("overloaded_tight", seed=1, num_jobs=12, num_rounds=12)
    one, two, three = (
        branch_and_price(instance, work_limit=work, threads=threads, params=BY_DIVES)
        for threads in (1, 2, 3)
    )
    for other in (two, three):
        assert (other.value, other.bound, other.schedule) == (one.value, one.bound, one.schedule)
        assert (other.branching_tree, other.raw_status) == (one.branching_tree, one.raw_status)
    assert verify(instance, certify(instance, three)).value == one.value


def test_ctrl_c_while_another_process_dives_gives_the_best_answer_so_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = generate("overloaded_tight", seed=1, num_jobs=12, num_rounds=12)
    true, processes = divers._Child.answer, []

    def pressed(child: Any, number: int, seconds: float) -> object:
        processes.append(child.process)
        if len(processes) == 3:
            signal.raise_signal(signal.SIGINT)
        return true(child, number, seconds)

    monkeypatch.setattr(divers._Child, "answer", pressed)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = branch_and_price(instance, threads=2, params=BY_DIVES)
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.termination == "interrupted" and result.value > 0
    assert verify(instance, certify(instance, result)).value == result.value
    assert len(processes) == 3 and all(process.poll() is not None for process in processes)


def test_a_number_of_threads_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="threads = 0, must be an integer >= 1 and <= 1024"):
        branch_and_price(same_speed(), threads=0)
