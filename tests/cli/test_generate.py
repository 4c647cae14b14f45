from fractions import Fraction

import pytest

from hadaropt import instance_sha256, read_instance, read_workload
from hadaropt.generate import generate, generate_workload, offered_load


def test_the_file_is_the_instance(run, tmp_path):
    file = tmp_path / "x.json.gz"
    answer = run("generate", "small-uniform", "--seed", 5, "-o", file, "--json")
    assert answer.code == 0
    document, instance = answer.document, generate("small_uniform", seed=5)
    assert read_instance(file) == instance
    assert document["instance"]["sha256"] == instance_sha256(instance)
    assert document["instance"]["jobs"] == 12
    assert Fraction(document["offered_load"]) == offered_load(instance)
    assert document["files"] == {"instance": str(file)}
    assert document["unschedulable"] == []


def test_every_option_reaches_the_generator(run, tmp_path):
    file = tmp_path / "x.json"
    options = ("--jobs", 9, "--rounds", 10, "--parallelism", "forked", "--load", "1.25")
    sets = ("--set", "gang-sizes=1,2", "--set", "spread_factor=0.9")
    answer = run("generate", "six_class", "--seed", 1, *options, *sets, "-o", file)
    assert answer.code == 0
    instance = generate(
        "six_class",
        seed=1,
        num_jobs=9,
        num_rounds=10,
        parallelism="forked",
        load="1.25",
        gang_sizes=(1, 2),
        spread_factor="0.9",
    )
    assert read_instance(file) == instance
    lines = dict(line.split("  ", 1) for line in answer.out.splitlines())
    assert lines["sha256"].strip() == instance_sha256(instance)
    assert lines["offered load"].strip().startswith("1.2")
    assert lines["rounds"].strip() == "10 of 360 s"


def test_unschedulable_jobs_are_listed(run, tmp_path):
    options = ("--jobs", 300, "--set", "cluster=V100=1x4", "--set", "longest_hours=none")
    answer = run("generate", "philly-like", "--seed", 0, *options, "-o", tmp_path / "x.json")
    assert answer.code == 0
    assert "unschedulable" in answer.out
    assert "gang of 8" in answer.out


def test_a_workload_is_written(run, tmp_path):
    file = tmp_path / "w.json"
    options = ("--workload", "--jobs", 20, "--load", "1.1")
    answer = run("generate", "philly-like", "--seed", 2, *options, "-o", file, "--json")
    assert answer.code == 0
    workload = generate_workload("philly_like", seed=2, num_jobs=20, load="1.1")
    assert read_workload(file) == workload
    assert answer.document["workload"]["jobs"] == 20
    assert Fraction(answer.document["last_submit_seconds"]) == workload.jobs[-1].submit_seconds
    answer = run("generate", "gavel-like", "--seed", 2, "--workload", "--jobs", 0, "-o", file)
    assert (answer.code, "last arrival" in answer.out) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["smal-uniform", "--seed", "1"], 'did you mean "small_uniform"'),
        (["six_class"], "--seed"),
        (["six_class", "--seed", "x"], "x"),
        (["six_class", "--seed", "-1"], "error: --seed = -1, must be >= 0"),
        (["six_class", "--seed", "1", "--jobs", "-2"], "error: --jobs = -2, must be >= 0"),
        (["six_class", "--seed", "1", "--rounds", "0"], "error: --rounds = 0, must be >= 1"),
        (["six_class", "--seed", "1", "--load", "nan"], "load"),
        (["six_class", "--seed", "1", "--load", "99"], "error: --load = 99, must be <="),
        (["six_class", "--seed", "1", "--parallelism", "fork"], "did you mean forked?"),
        (["six_class", "--seed", "1", "--set", "x"], "must be NAME=VALUE"),
        (["six_class", "--seed", "1", "--set", "seed=2"], "an option of its own"),
        (["six_class", "--seed", "1", "--set", "gpu_per_node=2"], 'mean "gpus_per_node"'),
        (["six_class", "--seed", "1", "--set", "no=2"], '--set no = "2", must be one of'),
        (["six_class", "--seed", "1", "--workload"], "has no arrivals in seconds"),
        (["gavel_like", "--seed", "1", "--workload", "--rounds", "3"], "a workload has none"),
    ],
)
def test_usage_errors_name_place_and_rule(run, tmp_path, arguments, said):
    file = tmp_path / "x.json"
    answer = run("generate", *arguments, "-o", file)
    assert answer.code == 2
    assert said in answer.err
    assert answer.out == ""
    assert not file.exists()


def test_outputs_are_checked_first(run, tmp_path):
    answer = run("generate", "six_class", "--seed", 1, "-o", tmp_path / "absent" / "x.json")
    assert answer.code == 2
    assert "there is no folder" in answer.err
