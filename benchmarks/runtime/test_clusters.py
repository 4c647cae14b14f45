"""P14 and P15: the first answers of an installation, and clusters of more and more GPUs."""

from __future__ import annotations

import pytest

from . import clusters, first_use


@pytest.mark.row("P14", "first use, kernels cold (wall seconds)", quick=[1], small=[1], full=[1])
@pytest.mark.parametrize("way", first_use.CASES)
def test_first_use(record, size, way):
    record(
        lambda: first_use.measure(way),
        way=way,
        rounds=1,
        own=lambda result: result["cold"],
        facts=lambda result: {name: result[name] for name in ("warm", "cold_cpu", "warm_cpu")},
    )


@pytest.mark.row(
    "P15",
    "50 jobs on so many GPUs",
    quick=[32, 2048, 100_000],
    small=[32, 512, 2048, 20_000, 100_000],
    full=[32, 512, 2048, 20_000, 100_000],
)
@pytest.mark.parametrize("way", clusters.COMMANDS)
def test_clusters(record, size, way):
    record(lambda: clusters.measure(way, size), way=way, rounds=1, own=lambda seconds: seconds)
