"""Workloads: arrivals in seconds, and the slotted instance that they become."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import Cluster, Workload, WorkloadJob
from hadaropt.errors import InstanceError
from hadaropt.utility import EffectiveThroughput, Step
from hadaropt.workload import fifo_horizon

CLUSTER = Cluster.of({"n0": {"V100": 2}, "n1": {"K80": 2}})


def job(name, submit, gang=1, iterations=100, **speed):
    return WorkloadJob(name, submit, gang, iterations, speed or {"V100": 1})


def test_a_job_is_released_at_the_first_round_that_begins_after_it():
    own = Workload(CLUSTER, [job("b", 101), job("a", 100), job("c", "0.5"), job("d", 0)])
    made = own.to_instance(round_seconds=100, utility=Step(1, 9), num_rounds=9)
    assert [(x.name, x.release) for x in made.jobs] == [("d", 0), ("a", 1), ("c", 1), ("b", 2)]
    assert (made.round_seconds, made.num_rounds, made.parallelism) == (100, 9, "mixed")
    assert {x.utility for x in made.jobs} == {Step(1, 9)}
    assert {x.utility for x in own.to_instance().jobs} == {EffectiveThroughput(1)}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=8), st.integers(1, 300))
def test_releases_are_those_of_the_definition(submits, tau):
    own = Workload(CLUSTER, [job(f"j{i}", s) for i, s in enumerate(submits)])
    made = own.to_instance(round_seconds=tau, num_rounds=1)
    assert [x.release for x in made.jobs] == sorted(-(-s // tau) for s in submits)
    for x in made.jobs:
        submit = submits[int(x.name[1:])]
        assert (x.release - 1) * tau < submit <= x.release * tau


def test_the_horizon_is_that_of_fifo():
    """Two at a time of 100 s each in rounds of 100 s: the last of ten jobs ends with round 5."""
    own = Workload(CLUSTER, [job(f"j{i}", 0) for i in range(10)])
    assert own.to_instance(round_seconds=100).num_rounds == 5
    late = Workload(CLUSTER, [*own.jobs, job("late", 5000)])
    whole = late.to_instance(round_seconds=100)
    assert whole.num_rounds == 51
    assert fifo_horizon(whole, Fraction(1, 2)) == 3
    fast = Workload(CLUSTER, [job("f", 0, V100=1, K80=10)])
    assert fast.to_instance(round_seconds=10).num_rounds == 1


def test_jobs_that_fifo_cannot_run_do_not_count_for_the_horizon():
    own = Workload(CLUSTER, [job("wide", 0, gang=3), job("slow", 0, iterations=50)])
    made = own.to_instance(round_seconds=100)
    assert made.num_rounds == 1 and len(made.jobs) == 2
    assert Workload(CLUSTER, []).to_instance().num_rounds == 1


def test_offered_load_is_work_over_what_is_possible_between_the_arrivals():
    jobs = [job("a", 0, 2, 300, V100=2, K80=1), job("b", 100, 1, 60, K80=1)]
    assert Workload(CLUSTER, jobs).offered_load() == {
        "V100": Fraction(2 * 300, 2 * 2 * 100),
        "K80": Fraction(60, 2 * 100),
    }
    assert Workload(CLUSTER, jobs[:1]).offered_load() == {}
    assert Workload(CLUSTER, []).offered_load() == {}


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: job("a", -1), "submit_seconds = -1, must be >= 0"),
        (lambda: job("a", 0, gang=0), "gang_size = 0, must be >= 1"),
        (lambda: job("", 0), "name"),
        (lambda: WorkloadJob("a", 0, 1, 1, {"V100": 1}, weight=-1), "weight = -1, must be >= 0"),
        (lambda: Workload(CLUSTER, [job("a", 0), job("a", 0)]), r"jobs\[1\].name"),
        (lambda: Workload(CLUSTER, [job("a", 0, T4=1)]), r"jobs\[0\].throughput.T4, is an unknown"),
        (lambda: Workload(CLUSTER, []).to_instance(round_seconds=0), "round_seconds = 0, must be"),
        (lambda: Workload(CLUSTER, []).to_instance(parallelism="fork"), "parallelism = "),
    ],
)
def test_bad_input_is_named(make, said):
    with pytest.raises(InstanceError, match=said):
        make()
