"""Threads or a cluster, whoever is asked for."""

from __future__ import annotations

import pytest

from hadaropt import solve
from hadaropt.generate import generate


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2", 1025])
def test_threads_are_a_positive_integer(threads):
    instance = generate("six_class", seed=3, num_jobs=2, num_rounds=2)
    for method in ("auto", "lagrangian"):
        with pytest.raises(ValueError, match=r"threads = .*, must be an integer >= 1"):
            solve(instance, method, threads=threads)


def test_threads_and_a_cluster_exclude_each_other():
    instance = generate("six_class", seed=3, num_jobs=2, num_rounds=2)
    with pytest.raises(ValueError, match="one of them"):
        solve(instance, threads=2, dask="tcp://127.0.0.1:9")
