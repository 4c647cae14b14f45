"""The ratio suite on a few instances: checked cells, equal on one and on two workers."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import check_schedule
from hadaropt.bench.ratio.contestants import contestant_names, make_contestant
from hadaropt.bench.ratio.reference import prove_optimum
from hadaropt.bench.ratio.suite import RatioSuite, run_task
from hadaropt.bench.ratio.sweep import in_order, run_ratio, sweep_ratio
from hadaropt.bench.results import cells as cells_module
from hadaropt.bench.results.cells import run_cell
from hadaropt.cli import main
from hadaropt.errors import InstanceError, InvariantError
from hadaropt.policies import make_policy
from hadaropt.simulate.registry import scheduler_names
from hadaropt.sweep import Store
from hadaropt.testing import instances

SMALL = RatioSuite(
    families=("small_uniform", "adversarial_price"),
    policies=("primal_dual:zero_start", "fifo"),
    seeds=1,
    parallelism=("single_type", "mixed"),
    jobs=5,
    rounds=5,
)


def without_times(cells):
    return [replace(cell, seconds=0.0) for cell in cells]


def test_cells_are_the_same_on_one_and_on_two_workers():
    one = in_order(SMALL, dict(run_ratio(SMALL, workers=1)))
    two = in_order(SMALL, dict(run_ratio(SMALL, workers=2)))
    assert without_times(one) == without_times(two)
    assert len(one) == 8
    for cell in one:
        assert cell.closed
        assert cell.primal <= cell.best <= cell.dual


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


def test_a_certificate_below_a_value_is_a_contradiction():
    instance = SMALL.instance("small_uniform", 0, "mixed")
    known = prove_optimum(instance, 10)
    high = replace(known, value=known.value * 1000, bound=known.bound * 1000)
    with pytest.raises(InvariantError, match="below the feasible value"):
        run_cell(instance, "", "small_uniform", 0, make_policy("fifo"), high)


def test_a_guarantee_above_the_spread_is_vacuous():
    assert cells_module.VACUOUS == 1000
    instance = SMALL.instance("adversarial_price", 0, "mixed")
    known = prove_optimum(instance, 10)
    cell, run = run_cell(
        instance, "", "adversarial_price", 0, make_policy("primal_dual:zero_start"), known
    )
    assert run.theorem is not None
    assert cell.vacuous == (cell.guarantee > min(1000, run.theorem.spread))


@settings(deadline=None, max_examples=15)
@given(instances(), st.sampled_from(scheduler_names()))
def test_a_round_scheduler_is_worth_what_the_checker_says_and_never_more_than_the_optimum(
    instance, scheduler
):
    known = prove_optimum(instance, 20)
    cell, run = run_cell(instance, "", "", 0, make_contestant(f"round:{scheduler}"), known)
    assert cell.primal == check_schedule(instance, run.schedule).value == run.value
    assert cell.primal <= cell.best <= cell.dual <= run.bound
    assert (cell.policy, cell.theorem) == (f"round:{scheduler}", "")


def test_names_of_contestants_make_them():
    assert [make_contestant(name).name for name in contestant_names()] == list(contestant_names())
    with pytest.raises(InstanceError, match=r'did you mean "round:hadar"\?'):
        make_contestant("round:hadr")


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


def test_an_instance_that_cannot_be_made_fails_alone_with_its_reason():
    """At this load seed 1 can be drawn and seed 0 cannot; where none can, nothing runs."""
    suite = replace(
        SMALL, families=("small_uniform",), policies=("fifo",), parallelism=("mixed",), seeds=2,
        jobs=4, rounds=4, parameters={"load": "0.5"},
    )  # fmt: skip
    store = Store(None)
    found = {one.place[1]: one for one in sweep_ratio([suite], store)}
    assert [failure.status for failure in found[0].failures] == ["error", "skipped"]
    assert "InstanceError: load = 1/2, must be <= " in found[0].failures[0].reason
    assert (found[1].failures, len(found[1].cells)) == ([], 1)
    hopeless = replace(suite, parameters={"load": "9"})
    with pytest.raises(InstanceError, match="small_uniform seed 0"):
        list(sweep_ratio([hopeless], store))
