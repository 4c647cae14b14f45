import json
import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt import certify, instance_sha256, read_instance, read_schedule, write_instance
from hadaropt.certificates import check, read_certificate, write_certificate
from hadaropt.certificates.coq_library import find_coq
from hadaropt.certificates.payoffs import Payoffs
from hadaropt.cli.common.proof import RefusedProofError, prove
from hadaropt.errors import InvariantError
from tests.certificates.coq_checker import needs_coq

from .conftest import SMALL_OPTIMUM, make_instance, optimal_schedule


@pytest.fixture
def certificate_file(instance, tmp_path):
    prices = {(1, 0): Fraction(1, 2), (2, 0): Fraction(1, 3)}
    path = tmp_path / "certificate.json"
    certificate = certify(instance, prices, schedule=optimal_schedule())
    write_certificate(certificate, path, instance)
    assert read_certificate(path, instance).prices == certificate.prices
    return path


def test_a_true_certificate_is_a_yes(run, instance_file, certificate_file):
    answer = run("verify", instance_file, certificate_file, "--json")
    assert answer.code == 0
    document = answer.document
    assert document["verified"] is True
    assert document["level"] == "L1"
    assert document["value"] == str(SMALL_OPTIMUM)
    assert Fraction(document["bound"]) >= Fraction(document["best_bound"]) >= SMALL_OPTIMUM
    assert document["ratio"] >= 1
    people = run("verify", instance_file, certificate_file)
    assert people.code == 0
    assert "verified     yes\n" in people.out
    assert "value        126.5 (253/2)\n" in people.out


def test_a_certificate_without_prices_proves_no_bound(run, instance, instance_file, tmp_path):
    path = tmp_path / "l0.json"
    write_certificate(certify(instance, None, schedule=optimal_schedule()), path, instance)
    answer = run("verify", instance_file, path, "--json")
    assert answer.code == 0
    assert answer.document["level"] == "L0"
    assert answer.document["bound"] is None
    assert answer.document["ratio"] is None
    assert "none: the certificate holds no prices" in run("verify", instance_file, path).out


@pytest.mark.parametrize(
    ("field", "value"),
    [("bound", "126"), ("value", "127"), ("upper_payoffs", {}), ("parallelism", "forked")],
)
def test_a_tampered_certificate_is_rejected(run, instance_file, certificate_file, field, value):
    document = json.loads(certificate_file.read_text())
    certificate_file.write_text(json.dumps(document | {field: value}))
    answer = run("verify", instance_file, certificate_file, "--json")
    assert answer.code == 1
    assert answer.document["verified"] is False
    assert answer.document["error"]["kind"] == "CertificateError"
    assert answer.document["error"]["path"].startswith(field)
    assert run("verify", instance_file, certificate_file).out.startswith(f"rejected  {field}")


def test_the_certificate_of_another_instance_is_rejected(run, certificate_file, tmp_path):
    other = tmp_path / "other.json"
    write_instance(make_instance(num_rounds=7), other)
    answer = run("verify", other, certificate_file, "--json")
    assert answer.code == 1
    assert answer.document["error"]["path"] == "instance_sha256"


def test_a_truncated_certificate_is_a_bad_file(run, instance_file, certificate_file):
    certificate_file.write_text(certificate_file.read_text()[:-20])
    answer = run("verify", instance_file, certificate_file)
    assert answer.code == 4
    assert "is not valid JSON" in answer.err
    assert len(answer.err.splitlines()) == 1


def test_a_negative_price_is_refused(run, instance_file, certificate_file):
    text = certificate_file.read_text().replace('"1/2"', '"-1/2"')
    certificate_file.write_text(text)
    answer = run("verify", instance_file, certificate_file, "--json")
    assert answer.code == 4
    assert answer.document["error"]["path"] == "prices[0].price"


def test_a_breach_dumps_what_reproduces_it(instance, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(check, "_check_bound", lambda *_: Payoffs((), (), Fraction(0)))
    monkeypatch.setattr(check, "_check_slack", lambda *_: Fraction(0))
    true = certify(instance, {(0, 0): Fraction(0)}, schedule=optimal_schedule())
    low = replace(true, bound=Fraction(1))
    monkeypatch.setattr("hadaropt.certificates.certify", lambda *_, **__: low)
    with pytest.raises(InvariantError, match="below the feasible value") as breach:
        prove(instance, None, optimal_schedule())
    instance_dump, certificate_dump, schedule_dump = breach.value.files
    assert instance_sha256(read_instance(instance_dump)) == instance_sha256(instance)
    assert read_certificate(certificate_dump, instance).bound == Fraction(1)
    assert read_schedule(schedule_dump, instance) is not None
    assert "below the feasible value" in Path(instance_dump).with_name("traceback.txt").read_text()


def test_a_certificate_that_its_verifier_refuses_is_kept(instance, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    true = certify(instance, {(0, 0): Fraction(1)}, schedule=optimal_schedule())
    wrong = replace(true, upper_payoffs={})
    monkeypatch.setattr("hadaropt.certificates.certify", lambda *_, **__: wrong)
    with pytest.raises(RefusedProofError, match="refuses the certificate of this answer") as breach:
        prove(instance, None, optimal_schedule())
    assert breach.value.certificate.value == SMALL_OPTIMUM
    assert all((tmp_path / file).exists() for file in breach.value.files)


@pytest.mark.parametrize("level", ["L0", "L1"])
def test_a_forged_theorem_is_said_to_be_unchecked(run, instance, instance_file, tmp_path, level):
    prices = {(0, 0): Fraction(1)} if level == "L1" else None
    true = certify(instance, prices, schedule=optimal_schedule())
    path = tmp_path / "forged.json"
    write_certificate(replace(true, theorem={"id": "T7", "constant": "1"}), path, instance)
    people = run("verify", instance_file, path)
    assert people.code == 0
    assert "verified     yes" not in people.out
    assert "T7 is claimed, not checked" in people.out
    answer = run("verify", instance_file, path, "--json")
    assert answer.document["theorem"] == {"id": "T7", "checked": False}
    write_certificate(true, path, instance)
    assert run("verify", instance_file, path, "--json").document["theorem"] is None


def test_too_many_rounds_for_a_table_is_no_defect(run, instance, tmp_path) -> None:
    long = replace(instance, num_rounds=2**31 - 1)
    file, claim = tmp_path / "long.json", tmp_path / "claim.json"
    write_instance(long, file)
    sha = instance_sha256(long)
    schedule = {
        "format": "hadaropt-schedule/1",
        "instance_sha256": sha,
        "objective": "0",
        "jobs": [],
    }
    document = {
        "format": "hadaropt-certificate/1",
        "instance_sha256": sha,
        "level": "L1",
        "parallelism": long.parallelism,
        "value": "0",
        "bound": "1000",
        "upper_payoffs": {},
        "schedule": schedule,
    }
    claim.write_text(json.dumps(document))
    found = run("verify", file, claim)
    assert found.code == 4
    assert "num_rounds = 2147483647" in found.err


def test_a_certificate_of_another_instance_is_named_by_its_hash(
    run, instance, certificate_file, tmp_path
):
    jobs = tuple(replace(job, name=f"other {job.name}") for job in instance.jobs)
    other = replace(instance, jobs=jobs)
    write_instance(other, tmp_path / "other.json")
    answer = run("verify", tmp_path / "other.json", certificate_file)
    assert (answer.code, instance_sha256(other) in answer.out) == (1, True), answer
    # A wrong name in a certificate of this instance is still a defect of the file.
    document = json.loads(certificate_file.read_text())
    document["instance_sha256"] = instance_sha256(other)
    certificate_file.write_text(json.dumps(document))
    answer = run("verify", tmp_path / "other.json", certificate_file)
    assert (answer.code, "upper_payoffs" in answer.err) == (4, True), answer


def test_coq_is_missed_before_anything_else_takes_time(
    run, instance_file, certificate_file, tmp_path, monkeypatch
):
    find_coq.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = run("verify", "--coq", instance_file, certificate_file, "--json")
    find_coq.cache_clear()
    assert (answer.code, answer.document["error"]["kind"]) == (4, "CoqError")
    assert "apt install coq" in answer.document["error"]["message"]


def test_coq_has_no_theorem_for_a_certificate_without_a_bound(
    run, instance, instance_file, tmp_path
):
    path = tmp_path / "l0.json"
    write_certificate(certify(instance, None, schedule=optimal_schedule()), path, instance)
    answer = run("verify", "--coq", instance_file, path)
    assert (answer.code, "level = L0, must be L1 or L2 for --coq" in answer.err) == (4, True)


def test_what_python_rejects_is_not_asked_of_coq(run, instance_file, certificate_file, monkeypatch):
    monkeypatch.setattr("hadaropt.certificates.coq_library.find_coq", lambda: None)
    document = json.loads(certificate_file.read_text())
    certificate_file.write_text(json.dumps(document | {"bound": "126"}))
    assert run("verify", "--coq", instance_file, certificate_file).code == 1


@needs_coq
def test_coq_says_what_it_checked_and_what_is_trusted(run, instance_file, certificate_file):
    answer = run("verify", "--coq", instance_file, certificate_file, "--json")
    assert answer.code == 0
    found = answer.document["coq"]
    assert set(found["checked"]) == {"bound_holds", "value_attained"}
    assert found["axioms"] == []
    assert any("reader" in part for part in found["trusted"])
    people = run("verify", "--coq", instance_file, certificate_file)
    assert "checked      no feasible schedule is worth more than the bound" in people.out
    assert "coq" not in run("verify", instance_file, certificate_file, "--json").document


@needs_coq
def test_coq_proves_the_theorem_of_a_run_and_says_if_it_does_not(run, instance_file, tmp_path):
    path = tmp_path / "run.json"
    assert run("online", instance_file, "--certificate", path).code == 0
    checked = run("verify", "--coq", instance_file, path, "--json").document["coq"]["checked"]
    assert list(checked) == ["bound_holds", "value_attained", "theorem_applies", "this_run"]
    market = tmp_path / "market.json"
    job = {"release": 0, "gang_size": 1, "iterations": 1, "throughput": {"A": 1}}
    worth = [{**job, "name": f"j{v}", "utility": {"kind": "table", "values": [v]}} for v in (3, 9)]
    market.write_text(
        json.dumps(
            {
                "format": "hadaropt-instance/1",
                "name": "market",
                "round_seconds": 1,
                "num_rounds": 1,
                "accelerators": ["A"],
                "nodes": [{"name": "n", "gpus": {"A": 2}}],
                "jobs": worth,
            }
        )
    )
    policy = "primal_dual:threshold"
    assert run("online", market, "--policy", policy, "--certificate", path).code == 0
    people = run("verify", "--coq", market, path).out
    assert "T9 applies: its hypotheses hold on the posted prices" in people
    assert "the theorem holds of every run on the posted prices" in people


def test_the_promise_of_a_run_is_checked_and_told_apart_from_its_theorem(
    run, instance, instance_file, tmp_path
):
    path = tmp_path / "run.json"
    assert run("online", instance_file, "--certificate", path).code == 0
    people = run("verify", instance_file, path)
    assert people.out.startswith("verified     yes\n")
    assert "T4 applies: its hypotheses hold on the posted prices for all" in people.out
    assert "that the prices are those of its case T7 is claimed, not checked" in people.out
    assert "the run was played again" in people.out
    assert "in this run: checked" in people.out
    document = run("verify", instance_file, path, "--json").document
    theorem = document["theorem"]
    assert (theorem["id"], theorem["claimed"], theorem["checked"]) == ("T4", "T7", True)
    assert set(theorem) == {"id", "claimed", "checked", "constant", "additive"}
    assert document["guarantee"]["checked"] is True
    claim = json.loads(path.read_text())
    posted = claim.pop("posted")
    path.write_text(json.dumps(claim))
    people = run("verify", instance_file, path)
    assert "verified     value, bound and guarantee, not the theorem" in people.out
    assert "that T7 applies to the algorithm is claimed, not checked" in people.out
    assert run("verify", instance_file, path, "--json").document["theorem"] == {
        "id": "T7",
        "checked": False,
    }
    claim["posted"] = posted
    claim["theorem"]["constant"] = "1"
    path.write_text(json.dumps(claim))
    answer = run("verify", instance_file, path)
    assert (answer.code, answer.out.startswith("rejected  theorem.constant = 1")) == (1, True)
    del claim["posted"]
    claim["guarantee"]["constant"] = "0"
    path.write_text(json.dumps(claim))
    answer = run("verify", instance_file, path)
    assert (answer.code, answer.out.startswith("rejected  guarantee")) == (1, True)
