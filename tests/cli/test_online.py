from dataclasses import replace
from fractions import Fraction

import pytest

from hadaropt import check_schedule, read_schedule, write_instance
from hadaropt.offline.lagrangian import bound
from hadaropt.policies import PRICE_NAMES
from tests.interrupting import cut_short

from .conftest import SMALL_OPTIMUM, make_instance


@pytest.mark.parametrize("price", PRICE_NAMES)
@pytest.mark.parametrize("pool", ["auto", "type", "node"])
def test_a_run_is_certified(run, instance, instance_file, tmp_path, price, pool):
    schedule, certificate = tmp_path / "schedule.json", tmp_path / "certificate.json"
    options = ("--policy", "primal-dual", "--price", price, "--pool", pool)
    files = ("-o", schedule, "--certificate", certificate)
    answer = run("online", instance_file, *options, *files, "--json")
    assert answer.code == 0
    document = answer.document
    primal, dual = Fraction(document["primal"]), Fraction(document["dual"])
    assert primal <= SMALL_OPTIMUM <= dual
    assert document["certified_ratio"] == pytest.approx(float(dual / primal))
    assert (document["theorem"] is None) == (document["theorem_absent"] != "")
    assert check_schedule(instance, read_schedule(schedule, instance)).value == primal
    verified = run("verify", instance_file, certificate, "--json").document
    assert verified["verified"] is True
    assert Fraction(verified["value"]) == primal
    assert Fraction(verified["bound"]) == dual


def test_people_read_value_bound_and_theorem(run, instance_file):
    answer = run("online", instance_file, "--policy", "primal-dual", "--price", "zero_start")
    assert answer.code == 0
    for said in ("value P", "bound D", "D / P", "theorem", "its gang of 8 exceeds"):
        assert said in answer.out


@pytest.mark.parametrize("policy", ["fifo", "greedy-density", "random", "rolling-horizon"])
def test_policies_without_prices_have_a_certified_ratio_too(run, instance_file, policy):
    answer = run("online", instance_file, "--policy", policy, "--json")
    assert answer.code == 0
    assert Fraction(answer.document["primal"]) <= SMALL_OPTIMUM <= Fraction(answer.document["dual"])
    assert answer.document["theorem"] is None


def test_a_policy_without_prices_is_certified_at_those_of_the_lagrangian_bound(
    run, instance_file, tmp_path
):
    proof = tmp_path / "proof.json"
    answer = run("online", instance_file, "--policy", "fifo", "--certificate", proof, "--json")
    assert "Lagrangian" in answer.document["foreknowledge"]["D"]
    verified = run("verify", instance_file, proof, "--json")
    assert verified.code == 0
    assert verified.document["level"] == "L1"
    assert verified.document["bound"] == answer.document["dual"]


@pytest.mark.parametrize(
    ("option", "policy"),
    [
        (("--price", "zero_start"), "primal_dual"),
        (("--pool", "node"), "primal_dual"),
        (("--seed", "0"), "random"),
        (("--time-limit", "1.5"), "rolling_horizon"),
    ],
)
def test_options_of_other_policies_are_usage_errors(run, instance_file, option, policy):
    answer = run("online", instance_file, "--policy", "fifo", *option)
    assert answer.code == 2
    assert f"{option[0]} {option[1]}" in answer.err
    assert f"is for --policy {policy}, not fifo" in answer.err


def test_the_seed_is_that_of_random(run, instance_file):
    def draw(*options):
        document = run("online", instance_file, "--policy", "random", *options, "--json").document
        return {key: value for key, value in document.items() if key != "seconds"}

    assert draw("--seed", "3") == draw("--seed", "3")
    assert draw("--seed", "3")["policy"] == "random[seed=3]"
    assert draw() == draw("--seed", "0")
    assert len({str(draw("--seed", seed)["completion"]) for seed in range(12)}) > 1


def test_rolling_horizon_takes_a_time_limit(run, instance_file):
    options = ("--policy", "rolling-horizon", "--time-limit")
    assert run("online", instance_file, *options, "5").code == 0
    assert run("online", instance_file, *options, "-1").code == 2


def test_a_pool_that_the_prices_cannot_have_is_a_usage_error(run, tmp_path):
    spread = replace(make_instance().jobs[0], spread_factor="1/2")
    path = tmp_path / "spread.json"
    write_instance(replace(make_instance(), jobs=(spread,)), path)
    answer = run("online", path, "--price", "last_unit", "--pool", "type")
    assert answer.code == 2
    assert '--pool = "type", must be node' in answer.err


@pytest.mark.parametrize(
    ("option", "value", "nearest"),
    [
        ("--policy", "primal", "did you mean primal_dual?"),
        ("--policy", "greedy", "did you mean greedy_density?"),
        ("--policy", "primal_dual:stepp", "did you mean primal_dual:step?"),
        ("--policy", "fifo[iteration=2]", 'did you mean "iterations"?'),
        ("--price", "zerostart", "did you mean zero_start?"),
    ],
)
def test_unknown_values_name_the_nearest(run, instance_file, option, value, nearest):
    answer = run("online", instance_file, option, value)
    assert answer.code == 2
    assert nearest in answer.err


def test_a_negative_seed_is_a_wrong_option(run, instance_file) -> None:
    found = run("online", instance_file, "--policy", "random", "--seed", -1)
    assert found.code == 2
    assert "--seed -1: must be >= 0" in found.err


def test_a_bound_without_a_search_for_prices_where_its_tables_are_too_large(run, tmp_path) -> None:
    file = tmp_path / "wide.json"
    small = make_instance()
    wide = replace(small.jobs[0], throughput={"V100": "4e12", "P100": "1e-12"})
    write_instance(replace(small, jobs=(wide, small.jobs[1])), file)
    found = run("online", file, "--policy", "fifo", "--json")
    assert found.code == 0
    assert found.document["primal"] == found.document["dual"] == "275/2"
    assert "zero prices (a table of 7 rounds" in found.out


def test_the_long_name_of_a_policy_names_its_price(run, instance_file):
    answer = run("online", instance_file, "--policy", "primal_dual:linear", "--json")
    assert (answer.code, answer.document["policy"]) == (0, "primal_dual:linear")
    answer = run("online", instance_file, "--policy", "primal_dual:linear", "--price", "step")
    assert answer.code == 2
    assert "--price step: --policy names linear already" in answer.err


def test_a_policy_of_another_package(run, instance_file, package):
    answer = run("online", instance_file, "--policy", "lazy", "--json")
    assert (answer.code, answer.document["policy"], answer.document["primal"]) == (0, "lazy", "0")
    assert Fraction(answer.document["dual"]) >= SMALL_OPTIMUM
    wrong = run("online", instance_file, "--policy", "lasy")
    assert (wrong.code, "did you mean lazy?" in wrong.err) == (2, True)
    given = run("online", instance_file, "--policy", "lazy", "--seed", "1")
    assert (given.code, "is for --policy random, not lazy" in given.err) == (2, True)
    absent = run("online", instance_file, "--policy", "absent")
    assert (absent.code, "of fake-contestants cannot be used" in absent.err) == (4, True)


def test_a_price_function_of_another_package(run, instance_file, package):
    answer = run("online", instance_file, "--price", "square", "--json")
    assert (answer.code, answer.document["policy"]) == (0, "primal_dual:square")
    assert answer.document["theorem"]["id"] == "T4"
    assert answer.document["theorem"]["closed_form"] is None
    wrong = run("online", instance_file, "--price", "squared")
    assert (wrong.code, "did you mean square?" in wrong.err) == (2, True)
    assert run("explain", instance_file, "a", "--price", "square").code == 0


def test_hyphens_in_the_name_of_a_price_function(run, instance_file):
    answer = run("online", instance_file, "--price", "last-unit", "--json")
    assert answer.document["policy"] == "primal_dual:last_unit"


def test_a_vacuous_constant_is_called_vacuous(run, instance_file):
    theorem = run("online", instance_file, "--json").document["theorem"]
    assert theorem["vacuous"] is (Fraction(theorem["constant"]) > min(1000, theorem["spread"]))
    assert theorem["title"] == "Zero-start price"
    assert theorem["vacuous"]
    said = run("online", instance_file).out
    assert "vacuous: " in said
    assert "More: hadaropt theorem" in said


def test_parameters_in_brackets(run, instance_file, tmp_path):
    proof = tmp_path / "proof.json"
    told = "primal-dual[U=2,iterations=2]"
    answer = run("online", instance_file, "--policy", told, "--certificate", proof, "--json")
    assert answer.document["policy"] == "primal_dual:zero_start[U*2,iterations*2]"
    assert answer.document["theorem"] is None
    assert "wrong iterations" in answer.document["theorem_absent"]
    assert run("verify", instance_file, proof).code == 0
    both = run("online", instance_file, "--policy", told, "--price", "step")
    assert (both.code, "--price step: goes into the brackets" in both.err) == (2, True)


@pytest.mark.parametrize(
    ("policy", "option", "said"),
    [
        ("fifo[iterations=2]", ("--time-limit", 2), "is for --policy rolling_horizon, not fifo"),
        ("rolling-horizon[time_limit=1]", ("--time-limit", 2), "goes into the brackets"),
    ],
)
def test_an_option_beside_brackets(run, instance_file, policy, option, said):
    outcome = run("online", instance_file, "--policy", policy, *option)
    assert outcome.code == 2
    assert said in outcome.err


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--policy", "primal_dual:doubling"),
        ("--policy", "primal_dual:doubling[doublings=3]"),
        ("--price", "forward-looking"),
    ],
)
def test_a_price_function_without_name_says_how_it_is_made(run, instance_file, option, value):
    answer = run("online", instance_file, option, value)
    assert answer.code == 2
    assert "is for Python only: PrimalDual(price=hadaropt.online.prices." in answer.err


def test_ctrl_c_in_the_search_for_prices_keeps_the_run(run, instance_file, monkeypatch):
    cut_short(monkeypatch, bound, "lagrangian_bound")
    answer = run("online", instance_file, "--policy", "fifo", "--json")
    assert answer.code == answer.document["exit_code"] == 130
    assert answer.document["error"]["kind"] == "KeyboardInterrupt"
    assert Fraction(answer.document["primal"]) <= SMALL_OPTIMUM


def test_jobs_that_run_in_vain_are_said(run, instance_file):
    told = ("online", instance_file, "--policy", "fifo[iterations=1/2]")
    found = run(*told, "--json").document
    assert found["in_vain"]
    assert all(found["completion"][name] is None for name in found["in_vain"])
    how = "admitted with too little progress to complete: " + ", ".join(found["in_vain"])
    assert how in " ".join(run(*told).out.split())
    assert "in vain" not in run("online", instance_file, "--policy", "fifo").out
