"""Two jobs that compete, and a schedule of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hadaropt.instance import Cluster, Instance, Job
from hadaropt.schedule import Allocation, Schedule
from hadaropt.utility import Table

V, P = 0, 1


def example(parallelism: Any = "forked") -> tuple[Instance, Schedule]:
    """Two nodes of V100 + P100: a runs as two copies, b as one mixed gang."""
    values = Table((100, 90, 80, 70))
    cluster = Cluster.of({"n0": {"V100": 1, "P100": 1}, "n1": {"V100": 1, "P100": 1}})
    a = Job("a", 0, 1, 4, {"V100": 1}, values)
    b = Job("b", 1, 2, 2, {"V100": 2, "P100": 1}, values, Fraction(1, 2))
    instance = Instance(cluster, (a, b), 4, Fraction(1), parallelism)
    copies = tuple(Allocation(t, ((0, V, 1), (1, V, 1)), True) for t in (0, 1))
    gang = tuple(Allocation(t, ((0, V, 1), (0, P, 1))) for t in (2, 3))
    return instance, Schedule((copies, gang), (1, 3), Fraction(170))


def run(t: int, *gpus: tuple[int, int, int], copies: bool = False) -> Allocation:
    """One allocation."""
    return Allocation(t, gpus, copies)


A, B = example()[1].jobs
