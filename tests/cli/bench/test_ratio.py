"""``hadaropt bench ratio``: tables, files and bad options."""

import json

import pytest

from hadaropt.cli import main


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
