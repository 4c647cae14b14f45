import json
from fractions import Fraction

import pytest

from hadaropt import theorems, write_schedule

from .conftest import optimal_schedule


@pytest.fixture
def schedule_file(tmp_path, instance):
    path = tmp_path / "schedule.json"
    write_schedule(optimal_schedule(), path, instance)
    return path


def test_a_job_that_can_never_run_says_why(run, instance_file):
    answer = run("explain", instance_file, "c")
    assert answer.code == 0
    assert "unschedulable" in answer.out
    assert "its gang of 8 exceeds the 2 GPUs" in answer.out


def test_an_online_job_shows_rounds_types_and_prices(run, instance_file):
    answer = run("explain", instance_file, "b", "--price", "linear", "--json")
    document = answer.document
    assert document["status"] == "completes"
    assert document["rounds"][0]["round"] == 1
    assert set(document["rounds"][0]["prices"]) == {"V100", "P100"}
    assert Fraction(document["rounds"][0]["prices"]["V100"]) > 0
    assert document["rounds"][0]["beside"] == ["a"]
    people = run("explain", instance_file, "b").out
    for said in ("at its arrival", "price V100", "free P100", "beside"):
        assert said in people


@pytest.mark.parametrize(("price", "id"), [("zero_start", "T7"), ("step", "T11")])
def test_it_names_the_theorem_that_holds_and_where_it_is_proved(run, instance_file, price, id):
    options = (instance_file, "b", "--price", price)
    document = run("explain", *options, "--json").document
    online = run("online", instance_file, "--price", price, "--json").document
    assert document["theorem"] == online["theorem"]
    assert document["theorem"]["id"] == id
    assert document["theorem"]["proof"] == theorems[id].proof
    for said in (f"hadaropt theorem {id}", theorems[id].proof, "vacuous"):
        assert said in run("explain", *options).out


def test_without_a_theorem_it_says_why(run, instance_file, schedule_file):
    answer = run("explain", instance_file, "b", "--price", "exponential_paper", "--json")
    assert answer.document["theorem"] is None and "(F) fails" in answer.document["theorem_absent"]
    answer = run("explain", instance_file, "b", "--schedule", schedule_file, "--json")
    assert answer.document["theorem"] is None and "theorem_absent" not in answer.document


def test_a_schedule_is_explained(run, instance_file, schedule_file):
    answer = run("explain", instance_file, "b", "--schedule", schedule_file, "--json")
    assert answer.document["completion"] == 3
    assert Fraction(answer.document["value"]) == Fraction(69, 2)
    assert all(fact["prices"] is None for fact in answer.document["rounds"])
    assert "price" not in run("explain", instance_file, "b", "--schedule", schedule_file).out


def test_an_infeasible_schedule_is_bad_input(run, instance_file, schedule_file):
    document = json.loads(schedule_file.read_text())
    document["jobs"][1]["rounds"] = document["jobs"][0]["rounds"]
    schedule_file.write_text(json.dumps(document))
    answer = run("explain", instance_file, "b", "--schedule", schedule_file)
    assert answer.code == 4
    assert "before its release" in answer.err


@pytest.mark.parametrize("name", ["aa", "", "zzzzzz"])
def test_an_unknown_job_is_a_usage_error(run, instance_file, name):
    answer = run("explain", instance_file, name)
    assert answer.code == 2
    assert "the instance has no job of that name" in answer.err
    assert ("did you mean a?" in answer.err) == (name == "aa")


def test_a_schedule_has_no_prices(run, instance_file, schedule_file):
    options = ("--schedule", schedule_file, "--price", "linear")
    answer = run("explain", instance_file, "a", *options)
    assert answer.code == 2
    assert "a schedule has no prices" in answer.err
