"""Offered load."""

from __future__ import annotations

from hadaropt.generate import generate, offered_load


def test_a_gang_larger_than_the_cluster_is_reported():
    instance = generate("philly_like", seed=0, num_jobs=2000, num_rounds=50, cluster="V100=1x4")
    large = [j for j, job in enumerate(instance.jobs) if job.gang_size > 4]
    assert large
    for j in large:
        assert "gang" in instance.unschedulable(j)
    without = generate("philly_like", seed=0, num_jobs=2000, num_rounds=50, cluster="V100=1x4")
    kept = tuple(job for job in without.jobs if job.gang_size <= 4)
    assert offered_load(instance) == offered_load(
        type(instance)(instance.cluster, kept, 50, instance.round_seconds)
    )
