"""The ratio suite on a few instances: checked cells, equal on one and on two workers."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt.bench.ratio.reference import prove_optimum
from hadaropt.bench.ratio.suite import run_task
from hadaropt.errors import InvariantError
from tests.bench.ratio.small import SMALL


def test_a_value_above_the_bound_is_a_contradiction_with_its_instance(tmp_path, monkeypatch):
    suite = replace(SMALL, dump_folder=str(tmp_path))
    truth = prove_optimum

    def too_low(instance, time_limit):
        known = truth(instance, time_limit)
        return replace(known, value=Fraction(0), bound=Fraction(0))

    monkeypatch.setattr("hadaropt.bench.ratio.suite.prove_optimum", too_low)
    with pytest.raises(InvariantError, match="above the proven bound") as breach:
        run_task(suite, "small_uniform", 0, "mixed")
    (file,) = breach.value.files
    assert json.loads(Path(file).read_text())["format"] == "hadaropt-instance/1"
