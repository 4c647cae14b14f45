"""From documents to instances."""

from __future__ import annotations

import numpy as np

from hadaropt.errors import InstanceError
from hadaropt.generate import generate
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.io import instance_from_document
from hadaropt.io.documents import parse_json
from hadaropt.utility import Linear
from tests.instances_strategy import to_text
from tests.oracle import Json


def instance_of(document: Json) -> Instance:
    """Read an instance document the way a file is read."""
    return instance_from_document(parse_json(to_text(document), "drawn", InstanceError))


def duel() -> Instance:
    """Two equal jobs of one round each for one GPU: one of them waits, and the optimum is 4 + 3."""
    jobs = [Job(name, 0, 1, 1, {"V100": 1}, Linear(4, 1)) for name in "ab"]
    return Instance(Cluster.of({"n0": {"V100": 1}}), jobs, 2, round_seconds=1)


def many_types(count: int, seed: int, parallelism: str = "mixed") -> Instance:
    """Random speeds on ``count`` types in different orders, with zeros."""
    rng = np.random.default_rng(seed)
    names = [f"t{r}" for r in range(count)]
    cluster = Cluster.of({f"n{r}": {name: int(rng.integers(1, 3))} for r, name in enumerate(names)})
    jobs = []
    for j in range(6):
        speeds = {name: int(rng.integers(0, 5)) for name in names}
        utility = Linear(int(rng.integers(3, 12)), int(rng.integers(1, 3)))
        gang = int(rng.integers(1, 4))
        jobs.append(
            Job(f"j{j}", int(rng.integers(0, 2)), gang, int(rng.integers(2, 9)), speeds, utility)
        )
    return Instance(cluster, tuple(jobs), 4, 1, parallelism)  # type: ignore[arg-type]


def tight(parallelism: str, seed: int = 0) -> Instance:
    """Nine jobs at a load above 1.3, whose relaxation is divided."""
    return generate(
        "overloaded_tight",
        seed=seed,
        num_jobs=9,
        num_rounds=8,
        parallelism=parallelism,  # type: ignore[arg-type]
    )


def rates_apart() -> Instance:
    """Return three jobs whose speeds on the two types differ by a billion."""
    cluster = Cluster.of({"a": {"V100": 1}, "b": {"K80": 1}})
    jobs = tuple(
        Job(f"j{j}", 0, 1, 3 * 10**9 - j, {"V100": 10**9 + j, "K80": 1 + j}, Linear(9, 1))
        for j in range(3)
    )
    return Instance(cluster, jobs, 8, 1)
