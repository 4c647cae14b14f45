"""Instances and workloads of arrivals in seconds."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.generate import generate, generate_workload

families = st.sampled_from(["gavel_like", "philly_like"])


def load_until_the_last_arrival(workload) -> float:
    counts = dict(zip(workload.cluster.accelerators, workload.cluster.pooled_capacity, strict=True))
    work = 0.0
    for job in workload.jobs:
        if job.gang_size <= sum(counts[r] for r in job.throughput):
            possible = sum(counts[r] * x for r, x in job.throughput.items())
            work += float(job.gang_size * job.iterations / possible)
    return work / float(workload.jobs[-1].submit_seconds)


@settings(max_examples=20, deadline=None)
@given(families, st.integers(0, 2**32), st.integers(20, 300), st.sampled_from(["0.5", "0.8", 1.2]))
def test_the_load_is_met_until_the_last_arrival(family, seed, count, load):
    workload = generate_workload(family, seed=seed, num_jobs=count, load=load, longest_hours=24)
    times = [job.submit_seconds for job in workload.jobs]
    assert times == sorted(times)
    assert all(time.denominator == 1 for time in times)
    assert load_until_the_last_arrival(workload) == pytest.approx(float(load), rel=0.02)


@pytest.mark.parametrize("family", ["gavel_like", "philly_like"])
def test_instance_and_workload_have_the_same_jobs(family):
    workload = generate_workload(family, seed=5, num_jobs=50, longest_hours=24)
    instance = generate(family, seed=5, num_jobs=50, longest_hours=24)
    fields = ("name", "gang_size", "iterations", "throughput")
    for job, other in zip(workload.jobs, instance.jobs, strict=True):
        assert [getattr(job, f) for f in fields] == [getattr(other, f) for f in fields]


@pytest.mark.parametrize("family", ["gavel_like", "philly_like"])
def test_arrivals_fill_the_first_part_of_the_horizon(family):
    for seed in range(5):
        instance = generate(family, seed=seed, num_rounds=40)
        last = instance.jobs[-1].release
        assert 0.6 * 40 <= last <= 0.7 * 40


def test_the_number_of_rounds_follows_from_their_length():
    short = generate("gavel_like", seed=1, round_seconds=600)
    long = generate("gavel_like", seed=1, round_seconds=1200)
    assert short.round_seconds == 600
    assert abs(short.num_rounds - 2 * long.num_rounds) <= 2


def test_longest_hours_cuts_the_tail():
    cut = generate_workload("gavel_like", seed=0, num_jobs=2000, longest_hours=3)
    for job in cut.jobs[:200]:
        assert job.iterations / job.throughput["V100"] <= 3 * 3600 + 1
    whole = generate_workload("gavel_like", seed=0, num_jobs=2000)
    hours = [float(job.iterations / job.throughput["V100"]) / 3600 for job in whole.jobs]
    assert max(hours) > 24


def test_no_jobs_and_one_job_are_legal():
    assert generate_workload("philly_like", seed=0, num_jobs=0).jobs == ()
    (job,) = generate_workload("philly_like", seed=0, num_jobs=1).jobs
    assert job.submit_seconds >= 0
    assert job.weight == Fraction(1)


@pytest.mark.parametrize("family", ["gavel_like", "philly_like"])
def test_a_model_seed_draws_the_models_anew_and_nothing_else(family):
    plain, one, other = (
        generate_workload(family, seed=3, num_jobs=40, model_seed=seed) for seed in (None, 1, 2)
    )
    assert one == generate_workload(family, seed=3, num_jobs=40, model_seed=1)
    assert [job.gang_size for job in one.jobs] == [job.gang_size for job in plain.jobs]
    speeds = [[job.throughput for job in workload.jobs] for workload in (plain, one, other)]
    assert speeds[0] != speeds[1] != speeds[2] != speeds[0]
    assert plain == generate_workload(family, seed=3, num_jobs=40)
    instance = generate(family, seed=3, num_jobs=40, model_seed=1)
    assert [job.throughput for job in instance.jobs] == speeds[1]
