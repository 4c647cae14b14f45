from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import check_schedule
from hadaropt.errors import InstanceError, InvariantError
from hadaropt.instance import Cluster
from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.metrics import metrics
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import make_scheduler
from hadaropt.simulate.rounds import run_rounds
from hadaropt.simulate.schedulers.hadare import HadarE
from hadaropt.testing import instances
from hadaropt.workload import Workload
from tests.simulate.small import finish, job, run
from tests.simulate.test_engine import Script

FORKED = ("hadare", "hadare:makespan", "hadare:utility")
BOTH = ((0, 0, 1), (1, 1, 1))


# The engine


def test_copies_add_their_steps_and_end_together():
    found = run("fast=1,slow=1", Script({0: BOTH}, {0: BOTH}), job("a", 0, 1, 180))
    assert [use.copy_steps for use in found.uses] == [(100, 50), (20, 10)]
    assert finish(found) == {"a": 120}


def test_each_copy_pays_for_consolidation_also_in_the_last_round():
    plan = [{0: BOTH}, {0: BOTH}]
    found = run("fast=1,slow=1", Script(*plan), job("a", 0, 1, 180), consolidation_seconds=10)
    assert [use.copy_steps for use in found.uses] == [(90, 45), (30, 15)]
    assert finish(found) == {"a": 140}
    alone = run("fast=1", Script({0: ((0, 0, 1),)}), job("a", 0, 1, 90), consolidation_seconds=10)
    assert finish(alone) == {"a": 90}


def test_restart_and_consolidation_add_up():
    found = run(
        "fast=1,slow=1",
        Script({0: BOTH}, {0: BOTH}),
        job("a", 0, 1, 180),
        consolidation_seconds=10,
        restart_seconds=20,
    )
    assert [use.copy_steps for use in found.uses] == [(70, 35), (50, 25)]
    assert finish(found) == {"a": 160}


def test_copies_hold_all_their_gpus():
    found = run("fast=1,slow=1", Script({0: BOTH}), job("a", 0, 1, 150))
    assert metrics(found).gru == metrics(found).cru == 1.0
    assert metrics(found).useful_utilization == 0.75


@pytest.mark.parametrize(
    ("place", "changes"),
    [
        (BOTH, {"max_copies": 1}),
        (((0, 0, 1), (0, 0, 1)), {}),
        (((0, 0, 2), (1, 1, 1)), {}),
        (((0, 0, 3),), {}),
    ],
)
def test_wrong_copies_are_refused(place, changes):
    with pytest.raises(InvariantError, match=r"gives job 'a'|GPUs at"):
        run("fast=2,slow=1", Script({0: place}), job("a", 0, 1, 10, **changes))


def test_a_schedule_says_which_rounds_are_copies():
    found = run("fast=1,slow=1", Script({0: BOTH}, {0: ((0, 0, 1),)}), job("a", 0, 1, 200))
    assert [part.copies for part in found.schedule().jobs[0]] == [True, False]


# The scheduler


@pytest.mark.parametrize("name", FORKED)
def test_one_job_runs_on_all_nodes(name):
    found = run("fast=2x1,slow=2x1", name, job("a", 0, 1, 600))
    assert finish(found) == {"a": 200}
    assert metrics(found).cru == 1.0


@pytest.mark.parametrize("name", FORKED)
def test_no_more_copies_than_allowed(name):
    found = run("fast=4x1", name, job("a", 0, 1, 600, max_copies=2))
    assert finish(found) == {"a": 300}
    found = run("fast=4x1", name, job("a", 0, 1, 600, max_copies=99))
    assert finish(found) == {"a": 150}


def test_shortest_first_on_equal_nodes():
    found = run("fast=2x1", "hadare", job("long", 0, 1, 1000), job("short", 0, 1, 400))
    assert finish(found) == {"short": 200, "long": 700}


def test_a_gang_without_a_node_of_its_own_spans_nodes():
    found = run("fast=2x1", "hadare", job("a", 0, 2, 100), job("b", 0, 1, 400))
    assert finish(found) == {"a": 100, "b": 300}


def test_a_job_that_no_node_can_run_is_reported_and_the_others_run():
    found = run("fast=1", "hadare", job("wide", 0, 3, 10), job("fine", 0, 1, 10))
    assert set(found.unschedulable) == {0}
    assert finish(found) == {"fine": 10}


def test_copies_that_lose_more_than_they_gain_are_not_made():
    found = run("fast=2x1", "hadare", job("a", 0, 1, 1000), consolidation_seconds=60)
    assert [len(use.copy_steps) for use in found.uses] == [1] * 10


@settings(deadline=None, max_examples=15)
@given(instances(max_jobs=3, parallelism="forked"), st.sampled_from(FORKED))
def test_schedules_pass_the_checker(instance, name):
    check_schedule(instance, run_rounds(instance, name).schedule)


def test_wrong_consolidation_is_named():
    rule = r"consolidation_seconds = 360, must be less than round_seconds = 360"
    with pytest.raises(InstanceError, match=rule):
        run("fast=1", "hadare", job("a", 0, 1, 1), tau=360, consolidation_seconds=360)
    with pytest.raises(InstanceError, match=r"objective = \"speed\", must be one of jct"):
        run("fast=1", HadarE("speed"), job("a", 0, 1, 1))


# Estimated speeds


def mixed_jobs():
    cluster = Cluster.parse("V100=2x1,K80=3x1")
    speeds = ({"V100": 8, "K80": 1}, {"V100": 4, "K80": 2}, {"V100": 6, "K80": 1})
    jobs = tuple(
        job(name, 0, 1, iterations, throughput=speed)
        for name, iterations, speed in zip("abc", (40_000, 40_000, 60_000), speeds, strict=True)
    )
    return RoundProblem.of_workload(Workload(cluster, jobs))


def mean_jct(scheduler):
    found = simulate_rounds(mixed_jobs(), scheduler)
    assert len(found.finish) == 3
    return float(sum(found.jct.values())) / 3


@pytest.mark.parametrize("objective", ["jct", "makespan"])
@pytest.mark.parametrize(
    "wrong",
    [
        lambda q: tuple(x / 10 for x in q.job.speed),
        lambda q: tuple(x * 10 for x in q.job.speed),
        lambda q: (q.job.speed[0] / 10, q.job.speed[1]),
        lambda q: (q.job.speed[0], q.job.speed[1] * 10),
        lambda q: (q.job.speed[0] / (10 if q.index == 0 else 1), q.job.speed[1]),
    ],
)
def test_a_first_estimate_that_is_wrong_by_ten_is_recovered_from(objective, wrong):
    known = mean_jct(HadarE(objective))
    assert mean_jct(HadarE(objective, first_speeds=wrong)) <= 1.1 * known


def test_without_measuring_the_wrong_estimate_would_cost_much():
    def wrong(q):
        return (q.job.speed[0] / 10, q.job.speed[1] * 10)

    stuck = HadarE(first_speeds=wrong)
    stuck._measure = lambda view: [
        stuck._book.open(q.index, wrong(q)) for q in view.queue if q.index not in stuck._book
    ]
    stuck._probes = 0
    assert mean_jct(stuck) > 1.15 * mean_jct(HadarE())


def test_estimated_speeds_become_the_true_ones():
    scheduler = HadarE(first_speeds=lambda q: tuple(x / 10 for x in q.job.speed))
    found = simulate_rounds(mixed_jobs(), scheduler)
    assert found.finish
    for j, own in enumerate(mixed_jobs().jobs):
        for mine, true in zip(scheduler._book.speeds(j), own.speed, strict=True):
            assert abs(mine / true - 1) < Fraction(1, 20)


def test_names():
    assert make_scheduler("hadare").name == "hadare"
    assert make_scheduler("hadare:makespan").name == "hadare:makespan"


def test_a_mix_is_not_made_where_types_must_not_mix():
    own = replace(mixed_jobs(), mixing=False)
    assert len(simulate_rounds(own, HadarE()).finish) == 3
