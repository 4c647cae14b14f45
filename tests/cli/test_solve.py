import json
from fractions import Fraction

import pytest

from hadaropt import check_schedule, read_schedule
from hadaropt.offline.compact import solve as offline
from hadaropt.results import Result

from .conftest import SMALL_OPTIMUM, optimal_schedule


def test_auto_finds_and_grades_the_optimum(run, instance, instance_file, tmp_path):
    schedule, certificate = tmp_path / "schedule.json", tmp_path / "certificate.json"
    files = ("-o", schedule, "--certificate", certificate)
    answer = run("solve", instance_file, *files, "--json")
    assert answer.code == 0
    assert answer.err == ""
    document = answer.document
    assert document["objective"] == str(SMALL_OPTIMUM)
    assert document["grade"] == "proved"
    assert document["gap"] == 0
    assert document["termination"] == "optimal"
    assert Fraction(document["proof"]["bound"]) >= SMALL_OPTIMUM
    assert [job["name"] for job in document["unschedulable"]] == ["c"]
    assert document["files"] == {"schedule": str(schedule), "certificate": str(certificate)}
    found = check_schedule(instance, read_schedule(schedule, instance))
    assert found.value == SMALL_OPTIMUM
    assert run("check", instance_file, schedule, "--json").document["value"] == str(SMALL_OPTIMUM)
    verified = run("verify", instance_file, certificate, "--json")
    assert verified.code == 0
    assert verified.document["value"] == str(SMALL_OPTIMUM)


def test_people_read_value_bound_gap_and_status(run, instance_file):
    answer = run("solve", instance_file)
    assert answer.code == 0
    for said in (
        "value        126.5 (253/2)\n",
        "\nbound        ",
        "\ngap          ",
        "\nstatus       ",
    ):
        assert said in answer.out
    assert "its gang of 8 exceeds" in answer.out


@pytest.mark.parametrize(
    "method",
    ["auto", "ilp", "lp", "dual", "configuration", "lagrangian", "branch-and-price"],
)
@pytest.mark.parametrize("parallelism", ["single_type", "mixed", "forked"])
def test_methods_bound_each_other(run, instance_file, method, parallelism):
    options = ("--method", method, "--parallelism", parallelism, "--json")
    answer = run("solve", instance_file, *options)
    assert answer.code == 0
    document = answer.document
    assert document["instance"]["parallelism"] == parallelism
    least = {"single_type": Fraction("123.5")}.get(parallelism, SMALL_OPTIMUM)
    bound = document["bound"]
    assert float(Fraction(bound)) >= float(least) - 1e-6


def test_the_dual_writes_a_certificate_of_its_bound(run, instance_file, tmp_path):
    certificate = tmp_path / "certificate.json"
    answer = run("solve", instance_file, "--method", "dual", "--certificate", certificate)
    assert answer.code == 0
    verified = run("verify", instance_file, certificate, "--json").document
    assert verified["verified"] is True
    assert verified["value"] == "0"
    assert verified["ratio"] is None
    assert Fraction(verified["bound"]) >= SMALL_OPTIMUM


def test_a_limit_without_a_schedule_is_said(run, instance_file, tmp_path, monkeypatch):
    nothing = Result(method="ilp", termination="time_limit", status="bound", bound=130.0)
    monkeypatch.setattr(offline, "solve_ilp", lambda *_, **__: nothing)
    schedule = tmp_path / "schedule.json"
    options = ("--method", "ilp", "--time-limit", "0.001", "-o", schedule)
    answer = run("solve", instance_file, *options, "--json")
    assert answer.code == 3
    document = answer.document
    assert document["objective"] is None
    assert document["gap"] is None
    assert document["bound"] == 130.0
    assert document["files"] == {}
    assert not schedule.exists()
    assert "none was found" in run("solve", instance_file, *options).out


@pytest.mark.parametrize(("termination", "code"), [("time_limit", 3), ("interrupted", 130)])
def test_a_limit_with_a_schedule_prints_it(
    run, instance, instance_file, tmp_path, monkeypatch, termination, code
):
    found = Result(
        method="ilp",
        termination=termination,
        status="feasible",
        value=SMALL_OPTIMUM,
        bound=131.0,
        schedule=optimal_schedule(),
    )
    monkeypatch.setattr(offline, "solve_ilp", lambda *_, **__: found)
    schedule = tmp_path / "schedule.json"
    answer = run("solve", instance_file, "--method", "ilp", "-o", schedule, "--json")
    assert answer.code == code
    assert answer.document["grade"] == "feasible"
    assert check_schedule(instance, read_schedule(schedule, instance)).value == SMALL_OPTIMUM


def test_a_start_is_a_schedule_of_this_instance(run, instance_file, tmp_path):
    best, other = tmp_path / "best.json", tmp_path / "other.json"
    assert run("solve", instance_file, "-o", best).code == 0
    for method in ("auto", "ilp", "branch-and-price"):
        options = ("--method", method, "--time-limit", "0", "--start", best)
        answer = run("solve", instance_file, *options, "--json")
        assert answer.code in (0, 3)
        assert answer.document["objective"] == str(SMALL_OPTIMUM)
    document = json.loads(best.read_text())
    document["instance_sha256"] = "0" * 64
    other.write_text(json.dumps(document))
    answer = run("solve", instance_file, "--start", other, "--json")
    assert answer.code == 4
    assert "sha256" in answer.document["error"]["message"]
    answer = run("solve", instance_file, "--method", "lp", "--start", best)
    assert answer.code == 2
    assert "is of no use" in answer.err
    answer = run("solve", instance_file, "--method", "ilp", "--target-gap", "0.1")
    assert answer.code == 2


def test_a_target_gap_is_a_success_that_is_named(run, instance_file):
    answer = run("solve", instance_file, "--target-gap", "1000", "--json")
    assert answer.code == 0
    assert answer.document["termination"] in ("target_gap", "optimal")
    assert answer.document["history"]


@pytest.mark.parametrize("seconds", ["-1", "nan", "inf", "soon"])
def test_a_time_limit_is_a_number_of_seconds(run, instance_file, seconds):
    answer = run("solve", instance_file, "--time-limit", seconds, "--json")
    assert answer.code == 2
    assert "time-limit" in answer.document["error"]["message"]


def test_outputs_are_checked_before_any_work(run, instance_file, tmp_path):
    before = instance_file.read_bytes()
    for option, path, said in (
        ("-o", tmp_path / "absent" / "s.json", "there is no folder"),
        ("-o", tmp_path, "is a folder"),
        ("-o", instance_file, "is also an input"),
        ("--certificate", instance_file, "is also an input"),
    ):
        answer = run("solve", instance_file, option, path)
        assert answer.code == 2
        assert said in answer.err
    both = ("-o", tmp_path / "x", "--certificate", tmp_path / "x")
    answer = run("solve", instance_file, *both)
    assert answer.code == 2
    assert "is also --out" in answer.err
    assert instance_file.read_bytes() == before
    answer = run("solve", instance_file, "--method", "lp", "-o", tmp_path / "s.json")
    assert answer.code == 2
    assert "makes none" in answer.err


def test_no_jobs_is_a_legal_instance(run, tmp_path):
    path = tmp_path / "empty.json"
    document = {
        "format": "hadaropt-instance/1",
        "round_seconds": 360,
        "num_rounds": 1,
        "accelerators": ["V100"],
        "nodes": [{"name": "n0", "gpus": {"V100": 1}}],
        "jobs": [],
    }
    path.write_text(json.dumps(document))
    answer = run("solve", path, "--json")
    assert answer.code == 0
    assert answer.document["objective"] == "0"
    assert answer.document["grade"] == "proved"


@pytest.mark.parametrize("method", ["auto", "lagrangian", "lp"])
def test_threads_do_not_change_the_answer(run, instance_file, method):
    one, two = (
        run("solve", instance_file, "--method", method, "--threads", count, "--json").document
        for count in (1, 2)
    )
    assert one["bound"] == two["bound"] and one["objective"] == two["objective"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--threads", 0), "must be an integer >= 1"),
        (("--threads", 1025), "must be an integer >= 1 and <= 1024"),
        (("--threads", "1.5"), "must be an integer"),
        (("--dask", "localhost"), "of the form tcp://HOST:PORT"),
        (("--threads", 2, "--dask", "tcp://127.0.0.1:9"), "one of them"),
        (("--method", "ilp", "--dask", "tcp://127.0.0.1:9"), "of no use to --method ilp"),
    ],
)
def test_threads_and_clusters_that_cannot_be(run, instance_file, options, said):
    answer = run("solve", instance_file, *options)
    assert answer.code == 2 and said in answer.err


def test_no_cluster_answers(run, instance_file, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("hadaropt.dask_cluster.CONNECT_SECONDS", 0.5)
    answer = run("solve", instance_file, "--dask", "tcp://127.0.0.1:9")
    assert answer.code == 2 and "no Dask cluster answers at tcp://127.0.0.1:9" in answer.err


def test_what_a_job_that_is_never_worth_anything_would_be_worth_does_not_matter(run, tmp_path):
    """The prices of the integer program prove nothing here; what is proved is not lost for that."""

    def linear(peak, decay):
        return {"kind": "linear", "peak": peak, "decay": decay}

    job = {"release": 1, "throughput": {"V100": 1}}
    jobs = [
        {**job, "name": "a", "gang_size": 2, "iterations": 2, "utility": linear(1, 0)},
        {**job, "name": "b", "gang_size": 1, "iterations": 3, "utility": linear(10**18, "1/9")},
    ]
    document = {
        "format": "hadaropt-instance/1", "name": "x", "round_seconds": 1, "num_rounds": 3,
        "parallelism": "mixed", "accelerators": ["V100"],
        "nodes": [{"name": "n0", "gpus": {"V100": 2}}], "jobs": jobs,
    }  # fmt: skip
    (tmp_path / "i.json").write_text(json.dumps(document))
    answer = run("solve", tmp_path / "i.json", "--json")
    assert answer.code == 0 and answer.document["grade"] == "proved"
