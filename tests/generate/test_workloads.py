"""Workloads of the families like traces, and what they are calibrated on."""

from __future__ import annotations

import json
import math
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.generate import generate, generate_workload
from hadaropt.generate.draws import Draws
from hadaropt.generate.philly import clock_time, philly_arrivals
from hadaropt.generate.quantiles import QuantileTable

DATA = Path(os.environ.get("HADAROPT_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
SUMMARY = DATA / "trace_summary.json"

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


def test_gavel_durations_and_gangs_are_as_published():
    workload = generate_workload("gavel_like", seed=0, num_jobs=20_000)
    minutes = np.array([float(j.iterations / j.throughput["V100"]) / 60 for j in workload.jobs])
    logs = np.log10(minutes)
    assert 1.49 <= logs.min() < 1.51
    assert 3.99 < logs.max() <= 4.0001
    assert np.mean(logs <= 3) == pytest.approx(0.8, abs=0.01)
    assert np.quantile(logs, 0.4) == pytest.approx(2.25, abs=0.02)
    gangs = np.array([job.gang_size for job in workload.jobs])
    for size, share in {1: 0.70, 2: 0.10, 4: 0.15, 8: 0.05}.items():
        assert np.mean(gangs == size) == pytest.approx(share, abs=0.01)
    gaps = np.diff([float(job.submit_seconds) for job in workload.jobs])
    assert gaps.std() / gaps.mean() == pytest.approx(1, abs=0.05)


def test_the_clock_keeps_weeks_and_order():
    week = 7 * 86400.0
    times = np.linspace(0, 3 * week, 5000)
    clock = clock_time(times)
    assert (np.diff(clock) > 0).all()
    assert clock_time(np.array([0.0, week, 2 * week])) == pytest.approx([0, week, 2 * week])


def test_a_quantile_table_is_inverted():
    table = QuantileTable((0, 0.5, 1), (1, 10, 1000))
    assert table.sample(np.array([0.0, 0.25, 0.5])) == pytest.approx([1, math.sqrt(10), 10])
    assert table.share_below(100) == pytest.approx(0.75)
    assert table.sample(np.array([0.999999]), 100) == pytest.approx([100], rel=1e-4)


@pytest.fixture(scope="module")
def published():
    if not SUMMARY.exists():
        pytest.skip("the published figures are not here (HADAROPT_DATA)")
    return json.loads(SUMMARY.read_text())["philly_pollux_csv"]


def test_philly_like_is_calibrated(published):
    """Generated quantiles are within a factor of the published ones."""
    jobs = philly_arrivals(Draws("philly_like", 0), 80_000, None)
    quantiles = published["duration_s_quantiles"]
    for level in ("p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p99.9", "mean"):
        own = (
            jobs.seconds.mean()
            if level == "mean"
            else np.percentile(jobs.seconds, float(level[1:]))
        )
        assert own == pytest.approx(quantiles[level], rel=0.25), level
    for size, entry in published["gpu_count_distribution"].items():
        assert np.mean(jobs.gangs == int(size)) == pytest.approx(entry["share"], rel=0.1, abs=1e-4)
    times = jobs.clock(jobs.times)
    gaps, wanted = np.diff(times), published["interarrival_s_quantiles"]
    for level in ("p10", "p25", "p50", "p75", "p90"):
        own = np.percentile(gaps, float(level[1:]))
        assert own == pytest.approx(wanted[level], rel=0.35), level
    rates = np.bincount((times // 3600 % 24).astype(int), minlength=24)
    theirs = published["arrivals_by_hour_of_day"]["relative_rate"]
    assert np.corrcoef(rates, theirs)[0, 1] > 0.8
    hourly = np.bincount((times // 3600).astype(int))
    assert 60 < hourly.var() / hourly.mean() < 250


def test_constants_are_the_published_counts(published):
    from hadaropt.generate.philly import GANG_COUNTS

    counts = {int(size): entry["n"] for size, entry in published["gpu_count_distribution"].items()}
    assert counts == GANG_COUNTS


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
