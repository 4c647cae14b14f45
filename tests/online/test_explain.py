"""Explanations agree with what the run or the schedule does."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import Cluster, Instance, Job, policies, run_online, testing
from hadaropt.online.explain import _cheapest, explain_in_schedule, explain_online
from hadaropt.online.quotation import record_arrivals
from hadaropt.policies import PRICE_NAMES, PrimalDual
from hadaropt.schedule import Allocation, Schedule, check_schedule
from hadaropt.utility import Linear, Step

CLUSTER = Cluster.of({"n0": {"V100": 2}, "n1": {"V100": 1, "P100": 2}})


def job(name: str, gang: int, work: int, value: int, **more: int) -> Job:
    speeds = more.pop("speeds", {"V100": 2, "P100": 1})
    return Job(name, more.pop("release", 0), gang, work, speeds, Linear(value, 1), **more)


def instance(*jobs: Job, rounds: int = 5) -> Instance:
    return Instance(CLUSTER, jobs, rounds, 1)


def earns(problem: Instance, j: int) -> bool:
    from hadaropt.offline.infeasibility import why_unschedulable

    return why_unschedulable(problem, j) is None


@given(st.data(), st.sampled_from(PRICE_NAMES))
@settings(max_examples=60, deadline=None)
def test_online_explanations_agree_with_the_run(data: st.DataObject, price: str) -> None:
    problem, policy = data.draw(testing.instances()), PrimalDual(price)
    run = run_online(problem, policy)
    for j in range(len(problem.jobs)):
        if not earns(problem, j):
            continue
        found = explain_online(problem, j, policy)
        assert found.completion == run.completion[j]
        assert found.status == ("rejected" if run.completion[j] is None else "completes")
        earned = problem.value(j, found.completion) if found.completion is not None else 0
        assert found.value == earned
        ran = [fact.round for fact in found.rounds if fact.progress is not None]
        assert ran == sorted(allocation.round for allocation in run.schedule.jobs[j])
        assert all(min(fact.free) >= 0 for fact in found.rounds)
        assert len(found.reasons) >= 1


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_rejected_job_costs_at_least_what_it_is_worth(data: st.DataObject) -> None:
    problem = data.draw(testing.instances())
    for arrival in record_arrivals(problem, PrimalDual())[1]:
        cheapest = _cheapest(problem, arrival.job, arrival)
        if cheapest is None:
            assert arrival.best.payoff == 0
        else:
            _, value, cost = cheapest
            assert max(Fraction(0), value - cost) == arrival.best.payoff


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_explanations_within_a_schedule_agree_with_the_checker(data: st.DataObject) -> None:
    problem = data.draw(testing.instances())
    schedule = run_online(problem, policies.Fifo()).schedule
    checked = check_schedule(problem, schedule)
    for j in range(len(problem.jobs)):
        if not earns(problem, j):
            continue
        found = explain_in_schedule(problem, j, schedule)
        assert found.completion == checked.completion[j]
        assert sum(fact.progress or 0 for fact in found.rounds) == checked.progress[j]
        for fact in found.rounds:
            held = [a for a in schedule.jobs[j] if a.round == fact.round]
            if held and not held[0].copies:
                assert fact.progress is not None and fact.progress <= fact.possible


def test_what_a_gang_could_do_is_what_the_checker_grants() -> None:
    spread = replace(job("a", 3, 99, 50), spread_factor=Fraction(1, 2))
    problem = instance(spread)
    found = explain_in_schedule(problem, 0, Schedule.empty(problem))
    assert {fact.possible for fact in found.rounds} == {1}  # 3 V100 over two nodes; or mixed on n1
    alone = Instance(CLUSTER, (spread,), 5, 1, "single_type")
    assert explain_in_schedule(alone, 0, Schedule.empty(alone)).rounds[0].possible == 1


def test_a_job_that_waits_names_who_is_in_its_way() -> None:
    problem = instance(job("a", 3, 4, 90, speeds={"V100": 2}), job("b", 2, 4, 50, release=1))
    hold = tuple(Allocation(t, ((0, 0, 2), (1, 0, 1))) for t in range(2))
    later = tuple(Allocation(t, ((0, 0, 2),)) for t in (2, 4))
    found = explain_in_schedule(problem, 1, Schedule((hold, later)))
    assert found.completion == 4
    assert found.reasons == (
        "it completes in round 4, worth 47",
        "it waits in round 1: its gang would fit, but the decision does without",
        "it waits in round 3: its gang would fit, but the decision does without",
    )
    slow = instance(problem.jobs[0], job("b", 2, 4, 50, speeds={"V100": 2}))
    found = explain_in_schedule(slow, 1, Schedule((hold, later)))
    assert found.reasons[1] == "it waits in rounds 0 .. 1: its gang does not fit beside a"
    assert found.rounds[0].holders == ("a",)


@pytest.mark.parametrize(
    ("allocations", "words"),
    [
        ((), ("0 of its 4", "could complete it in round 1, worth 49: the schedule does not use")),
        ((Allocation(0, ((0, 0, 2),)),), ("2 of its 4", "could complete it in round 1")),
    ],
)
def test_an_unfinished_job_waits(allocations: tuple[Allocation, ...], words: tuple[str]) -> None:
    problem = instance(job("a", 2, 4, 50))
    found = explain_in_schedule(problem, 0, Schedule((allocations,)))
    assert found.status == "waiting"
    for said, reason in zip(words, found.reasons, strict=False):
        assert said in reason


def test_an_unfinished_job_without_room_is_told_so() -> None:
    wide = Job("wide", 0, 3, 10, {"V100": 2}, Linear(90, 1))
    late = Job("late", 0, 3, 4, {"V100": 2}, Step(5, 5))
    problem = instance(wide, late)
    hold = tuple(Allocation(t, ((0, 0, 2), (1, 0, 1))) for t in range(5))
    found = explain_in_schedule(problem, 1, Schedule((hold, ())))
    assert "the other jobs leave cannot complete it" in found.reasons[1]


def test_a_rejection_tells_price_from_lack_of_room() -> None:
    crowd = [job(f"big{i}", 3, 10, 900, speeds={"V100": 2}) for i in range(2)]
    problem = instance(*crowd, job("small", 2, 2, 1))
    room = explain_online(problem, 1, PrimalDual())
    assert room.status == "rejected"
    assert "earlier arrivals left cannot complete it" in room.reasons[0]
    cheap = {"V100": 2}
    jobs = (job("a", 1, 10, 900, speeds=cheap), job("b", 1, 2, 2, speeds=cheap))
    tight = Instance(Cluster.of({"n": {"V100": 2}}), jobs, 5, 1)
    price = explain_online(tight, 1, PrimalDual("linear"))
    assert price.status == "rejected"
    assert "could complete in round 0, worth 2, on the GPUs" in price.reasons[0]
    assert "and costs" in price.reasons[0]
    assert price.rounds[0].prices is not None and price.rounds[0].prices[0] > 2
    marginal = explain_online(tight, 1, PrimalDual("telescoped"))
    assert "no schedule that fits is worth more than it costs" in marginal.reasons[0]


def test_prices_per_node_show_the_least() -> None:
    problem = instance(job("a", 2, 4, 50, speeds={"V100": 2}), job("b", 1, 2, 60))
    policy = PrimalDual("linear", pool="node")
    found = explain_online(problem, 1, policy)
    before = record_arrivals(problem, policy)[1][1].before
    assert found.rounds[0].prices is not None
    assert found.rounds[0].prices[0] == min(before.price(0, 0, 0), before.price(0, 1, 0))
    assert found.rounds[0].prices[1] == before.price(0, 1, 1)
    assert np.unique(before.units[0, :, 0]).size == 2


def test_explanations_of_a_small_instance_compile_nothing() -> None:
    code = """
import sys
from hadaropt import Cluster, Instance, Job
from hadaropt.online.explain import explain_in_schedule, explain_online
from hadaropt.policies import PrimalDual
from hadaropt.schedule import Allocation, Schedule
from hadaropt.utility import Linear
cluster = Cluster.of({"n0": {"A": 1}})
jobs = [Job(name, 0, 1, 2, {"A": 1}, Linear(9, 1)) for name in "ab"]
instance = Instance(cluster, jobs, 4, 1)
assert explain_online(instance, 1, PrimalDual("linear")).status in ("completes", "rejected")
schedule = Schedule(((Allocation(0, ((0, 0, 1),)), Allocation(1, ((0, 0, 1),))), ()))
assert explain_in_schedule(instance, 1, schedule).status == "waiting"
assert "numba" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
