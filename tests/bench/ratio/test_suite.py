"""The ratio suite on a few instances: checked cells, equal on one and on two workers."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt.bench.ratio.reference import prove_optimum
from hadaropt.bench.ratio.suite import run_task
from hadaropt.cli import main
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


def bench(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main(["bench", "ratio", *arguments])
    return stop.value.code, capsys.readouterr()


def test_command_prints_tables_and_writes_results(capsys, tmp_path):
    out = tmp_path / "results"
    code, printed = bench(
        capsys, "--families=small-uniform", "--policies=fifo,round:hadar", "--parallelism=mixed",
        "--seeds=1", "--jobs=4", "--rounds=4", "--workers=1", f"--out={out}", "--json",
    )  # fmt: skip
    document = json.loads(printed.out)
    assert code == 0
    assert document["complete"]
    assert len(document["cells"]) == 2
    assert (out / "cells.parquet").exists()
    code, printed = bench(capsys, "--seeds=1", f"--out={out}")
    assert code == 2
    assert "exists already" in printed.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--families=smal_uniform",), "did you mean small_uniform?"),
        (("--policies=fifoo",), "did you mean fifo?"),
        (("--policies=primal_dual:zerostart",), "did you mean primal_dual:zero_start?"),
        (("--parallelism=mixd",), "did you mean mixed?"),
        (("--families=,",), "selects nothing"),
        (("--seeds=0",), "--seeds 0: must be >= 1"),
        (("--workers=0",), "--workers 0: must be >= 1"),
        (("--time-limit=0",), "--time-limit 0.0: must be > 0"),
    ],
)
def test_bad_options_say_what_and_name_the_nearest(capsys, arguments, said):
    code, printed = bench(capsys, *arguments)
    assert code == 2
    assert said in printed.err
