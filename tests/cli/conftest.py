"""A small instance, and the command line run inside this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt import Instance, write_instance
from hadaropt.cli import main
from tests.certificates.samples import pair, pair_schedule


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


make_instance = pair
"""Two nodes of two GPUs; a and b compete for V100, c can never run."""

SMALL_OPTIMUM = Fraction("126.5")
"""a on V100 in rounds 0..2 is worth 92; b on P100 in rounds 1, 2 and on V100 in 3 is worth 34.5.
(b in 1..2 on V100, worth 37.5, delays a to round 4: 84.)"""

optimal_schedule = pair_schedule


@pytest.fixture
def instance() -> Instance:
    return make_instance()


@pytest.fixture
def instance_file(tmp_path: Path, instance: Instance) -> Path:
    path = tmp_path / "small.json"
    write_instance(instance, path)
    return path
