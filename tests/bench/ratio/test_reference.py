"""The reference of a ratio: a verified certificate stands behind it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from hadaropt import certify, check_schedule, verify
from hadaropt.bench.ratio import reference
from hadaropt.bench.ratio.reference import prove_optimum
from hadaropt.errors import CertificateError, InvariantError
from hadaropt.generate import generate
from hadaropt.io import instance_from_document
from tests import oracle
from tests.instances_strategy import tiny_instances
from tests.interrupting import cut_short

SMALL = generate("small_uniform", seed=2, num_jobs=4, num_rounds=4)


@settings(max_examples=15, deadline=None)
@given(tiny_instances(max_jobs=2))
def test_a_closed_reference_is_the_optimum(document):
    instance = instance_from_document(document)
    known = prove_optimum(instance, 20.0)
    assert known.closed
    assert known.value == known.bound == oracle.optimum(document)[0]
    assert check_schedule(instance, known.schedule).value == known.value
    assert verify(instance, known.certificate).value == known.value


def test_without_time_there_is_an_interval():
    known = prove_optimum(generate("six_class", seed=1, num_jobs=30), 0.0)
    assert 0 <= known.value <= known.bound
    assert known.closed == (known.value == known.bound)
    assert not replace(known, bound=known.bound + 1).closed


def test_a_bound_is_lowered_to_a_value_that_exists():
    known = prove_optimum(SMALL, 20.0)
    assert (known.bound / SMALL.value_unit).denominator == 1


def test_a_certificate_that_does_not_verify_is_not_believed(monkeypatch):
    def forged(instance, answer, **options):
        made = certify(instance, answer, **options)
        return replace(made, bound=made.bound - 1)

    monkeypatch.setattr(reference, "certify", forged)
    with pytest.raises((InvariantError, CertificateError)):
        prove_optimum(SMALL, 20.0)


def test_a_certificate_without_a_bound_is_a_defect(monkeypatch):
    monkeypatch.setattr(reference, "verify", lambda *own: replace(verify(*own), bound=None))
    with pytest.raises(InvariantError, match="the certificate of an optimum has no bound"):
        prove_optimum(SMALL, 20.0)


def test_a_proof_that_ctrl_c_cuts_short_is_no_reference(monkeypatch):
    cut_short(monkeypatch, reference, "branch_and_price")
    with pytest.raises(KeyboardInterrupt):
        prove_optimum(SMALL, 20.0)
