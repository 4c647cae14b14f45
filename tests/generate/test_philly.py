"""Arrivals like those of Philly."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from hadaropt.generate.draws import Draws
from hadaropt.generate.philly import clock_time, philly_arrivals

DATA = Path(os.environ.get("HADAROPT_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
SUMMARY = DATA / "trace_summary.json"


def test_the_clock_keeps_weeks_and_order():
    week = 7 * 86400.0
    times = np.linspace(0, 3 * week, 5000)
    clock = clock_time(times)
    assert (np.diff(clock) > 0).all()
    assert clock_time(np.array([0.0, week, 2 * week])) == pytest.approx([0, week, 2 * week])


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
