"""What the checker in Coq says."""

from fractions import Fraction

import pytest

from hadaropt.certificates import certify, coq_check
from hadaropt.certificates.coq import export_coq
from hadaropt.certificates.coq_library import (
    find_coq,
)
from hadaropt.errors import CertificateError, CoqError, LimitError
from tests.certificates.coq_checker import library, needs_coq
from tests.certificates.fake_coq import fake_coq
from tests.certificates.samples import crowd


def test_a_certificate_too_large_for_coq_says_its_size(monkeypatch):
    monkeypatch.setattr(coq_check, "MAX_BYTES", 1000)
    with pytest.raises(LimitError, match=r"a file of 1001 bytes.*without --coq checks all of it"):
        coq_check.check_bytes(1001)


@pytest.mark.parametrize(
    ("script", "error", "why"),
    [
        ("echo Stack overflow. >&2; exit 1", LimitError, "too large for Coq"),
        ("kill -9 $$", LimitError, r"too large for Coq.*\(ended by SIGKILL\)"),
        ("kill -TERM $$", CoqError, "coqc was ended by SIGTERM: try again"),
        (r"printf 'x\377' >&2; exit 1", CoqError, "fails on the exported file: x\ufffd"),
        ("echo inconsistent assumptions >&2; exit 1", CoqError, "inconsistent assumptions"),
        ("echo 'Axioms: false : False'; exit 0", CoqError, "names assumptions"),
        ("exit 0", CoqError, "names assumptions"),
    ],
)
def test_what_is_no_verdict_is_never_taken_for_one(tmp_path, script, error, why):
    text = export_coq(crowd(3), certify(crowd(3), {(0, 0): Fraction(5)}))
    with pytest.raises(error, match=why):
        coq_check.judge(fake_coq(tmp_path, script), tmp_path, text)


@needs_coq
def test_a_no_of_the_checker_says_what_is_wrong():
    instance = crowd(3)
    made = certify(instance, {(0, 0): Fraction(5)})
    assert coq_check.judge(find_coq(), library(), export_coq(instance, made)).theorems == (
        "bound_holds",
        "value_attained",
    )
    text = export_coq(instance, made).replace("l1_bound := 15", "l1_bound := 14")
    assert text != export_coq(instance, made)
    with pytest.raises(CertificateError, match="the bound does not follow"):
        coq_check.judge(find_coq(), library(), text)
