"""Arrivals like those of Gavel."""

from __future__ import annotations

import numpy as np
import pytest

from hadaropt.generate import generate_workload


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
