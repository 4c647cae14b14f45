"""A small instance, and the command line run inside this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt import Allocation, Cluster, Instance, Job, Schedule, write_instance
from hadaropt.cli import main
from hadaropt.utility import Linear


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict:
        """The one JSON document on standard output; NaN and infinities are refused."""

        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


Run = Callable[..., Outcome]


@pytest.fixture
def run(capfd) -> Run:
    """Run ``hadaropt ARGUMENTS``; output is caught from the file descriptors, C code's too."""

    def call(*arguments: object) -> Outcome:
        capfd.readouterr()
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        sys.stdout.flush()
        out, err = capfd.readouterr()
        return Outcome(stop.value.code, out, err)

    return call


def make_instance(**changes: object) -> Instance:
    """Two nodes of two GPUs; a and b compete for V100, c can never run."""
    jobs = (
        Job("a", 0, 2, 4000, {"V100": "4.0", "P100": "1.5"}, Linear(100, 4)),
        Job("b", 1, 2, 1000, {"V100": "2.0", "P100": "0.7"}, Linear("40.5", 3)),
        Job("c", 0, 8, 10, {"V100": 1}, Linear(5, 1)),
    )
    fields = {"num_rounds": 6, "round_seconds": 360, "name": "small"} | changes
    return Instance(Cluster.of({"n0": {"V100": 2}, "n1": {"P100": 2}}), jobs, **fields)


SMALL_OPTIMUM = Fraction("126.5")
"""a on V100 in rounds 0..2 is worth 92; b on P100 in rounds 1, 2 and on V100 in 3 is worth 34.5.
(b in 1..2 on V100, worth 37.5, delays a to round 4: 84.)"""

B_ROUNDS = ((1, 1, 1), (2, 1, 1), (3, 0, 0))


def optimal_schedule() -> Schedule:
    a = tuple(Allocation(t, ((0, 0, 2),)) for t in range(3))
    b = tuple(Allocation(t, ((h, r, 2),)) for t, h, r in B_ROUNDS)
    return Schedule((a, b, ()))


@pytest.fixture
def instance() -> Instance:
    return make_instance()


@pytest.fixture
def instance_file(tmp_path: Path, instance: Instance) -> Path:
    path = tmp_path / "small.json"
    write_instance(instance, path)
    return path
