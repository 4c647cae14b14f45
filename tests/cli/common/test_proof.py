"""Certificates made, verified and reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hadaropt import certify, run_online, solve, verify
from hadaropt.certificates.coq_check import CoqVerdict
from hadaropt.cli.common import proof
from hadaropt.cli.common.proof import (
    RefusedProofError,
    coq_facts,
    coq_lines,
    proof_facts,
    prove,
)
from tests.cli.conftest import SMALL_OPTIMUM, make_instance, optimal_schedule


def test_an_optimum_is_proved_from_its_certificate():
    instance = make_instance()
    answer = solve(instance)
    found = prove(instance, answer, answer.schedule)
    assert found.verification.proved and found.verification.value == SMALL_OPTIMUM
    facts = proof_facts(found.verification)
    assert facts["proved_optimal"] is True and facts["value"] == facts["best_bound"]
    assert (facts["theorem"], facts["guarantee"]) == (None, None)


def test_a_schedule_alone_has_a_value_and_no_bound():
    found = prove(make_instance(), None, optimal_schedule())
    assert (found.verification.value, found.verification.bound) == (SMALL_OPTIMUM, None)
    assert proof_facts(found.verification)["proved_optimal"] is False


def test_a_theorem_that_was_checked_is_told_from_one_that_is_claimed():
    instance = make_instance()
    run = run_online(instance, "primal_dual:zero_start")
    checked = proof_facts(prove(instance, run, None).verification)["theorem"]
    assert checked["checked"] is True and checked["claimed"] == run.theorem.id
    plain = proof_facts(verify(instance, certify(instance, run)))["theorem"]
    assert plain == {"id": run.theorem.id, "checked": False}


def test_a_certificate_that_its_verifier_refuses_is_a_defect_with_its_files(monkeypatch, tmp_path):
    instance = make_instance()
    import hadaropt.certificates as certificates

    def forged(*arguments, **options):
        made = certify(*arguments, **options)
        return replace(made, bound=made.bound - 1)

    monkeypatch.setattr(certificates, "certify", forged)
    monkeypatch.setattr(proof.tempfile, "mkdtemp", lambda prefix: str(tmp_path))
    with pytest.raises(RefusedProofError, match="the verifier refuses the certificate") as bad:
        prove(instance, solve(instance), None)
    names = {Path(file).name for file in bad.value.files}
    assert names == {"instance.json", "certificate.json", "schedule.json"}
    assert {path.name for path in tmp_path.iterdir()} == names | {"traceback.txt"}
    assert bad.value.certificate.bound is not None


def test_what_coq_has_checked_is_said_with_what_is_trusted():
    assert coq_facts(None) == {} and coq_lines(None) == []
    verdict = CoqVerdict("8.16.1", ("bound_holds", "value_attained"), 1, 123)
    facts = coq_facts(verdict)["coq"]
    assert (facts["version"], facts["axioms"]) == ("8.16.1", [])
    assert (facts["files"], facts["file_bytes"]) == (1, 123)
    assert list(facts["checked"]) == ["bound_holds", "value_attained"]
    told = dict(coq_lines(verdict))
    assert "theorem" not in told["checked"]
    whole = CoqVerdict("8.16.1", (*verdict.theorems, "theorem_applies"), 4, 123)
    assert "theorem" in dict(coq_lines(whole))["checked"]
    assert dict(coq_lines(whole))["coq"].endswith("from 123 bytes in 4 files")
    assert told["coq"].endswith("from 123 bytes in 1 file")
    assert "without axioms" in told["coq"] and "the kernel of Coq" in told["trusted"]
