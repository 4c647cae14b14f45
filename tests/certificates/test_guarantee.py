"""What a run promises of itself is checked; that a theorem applies stays a claim."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

import hadaropt
from hadaropt.certificates import certify, read_certificate, verify, write_certificate
from hadaropt.certificates.format import certificate_from_document, certificate_to_document
from hadaropt.errors import CertificateError
from hadaropt.policies import PrimalDual
from tests.certificates.samples import crowd

PRICES = ["zero_start", "exponential", "last_unit", "telescoped", "linear", "step"]


def certified(price="zero_start"):
    instance = crowd(4)
    run = hadaropt.run_online(instance, PrimalDual(price))
    assert run.theorem is not None
    return instance, run, certify(instance, run)


@pytest.mark.parametrize("price", PRICES)
def test_the_promise_of_a_run_follows_from_its_final_prices(price):
    instance, run, made = certified(price)
    assert made.guarantee == (run.theorem.constant, run.theorem.additive)
    found = verify(instance, made)
    assert found.guarantee == made.guarantee
    assert found.claimed_theorem == run.theorem.id


def test_a_promise_below_the_bound_is_refused():
    instance, _, made = certified()
    best = verify(instance, made).best_bound
    exact = best / made.value
    assert verify(instance, replace(made, guarantee=(exact, Fraction(0)))).guarantee
    for false in (
        (exact - Fraction(1, 10**9), Fraction(0)),
        (exact, Fraction(-1, 10**9)),
        (Fraction(0), Fraction(0)),
        (-exact, Fraction(0)),
    ):
        with pytest.raises(CertificateError, match="guarantee, must give at least"):
            verify(instance, replace(made, guarantee=false))


def test_a_promise_is_one_about_the_schedule_of_the_certificate():
    """The constants of the run do not carry over to a schedule of less value."""
    instance, run, made = certified()
    empty = certify(instance, run, schedule=hadaropt.Schedule.empty(instance))
    assert empty.value == 0 < made.value
    assert empty.guarantee is None
    with pytest.raises(CertificateError, match="guarantee"):
        verify(instance, replace(empty, guarantee=made.guarantee))


def test_both_formats_are_read_and_written(tmp_path):
    instance, _, made = certified()
    write_certificate(instance, made, tmp_path / "two.json")
    document = json.loads((tmp_path / "two.json").read_text())
    assert document["format"] == "hadaropt-certificate/2"
    assert read_certificate(tmp_path / "two.json", instance).guarantee == made.guarantee
    older = replace(made, guarantee=None)
    document = certificate_to_document(instance, older)
    assert document["format"] == "hadaropt-certificate/1"
    found = verify(instance, certificate_from_document(document, instance))
    assert (found.guarantee, found.claimed_theorem) == (None, "T7")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": "hadaropt-certificate/1"}, "guarantee"),
        ({"format": "hadaropt-certificate/3"}, "is version 3"),
        ({"guarantee": {"constant": "2"}}, "guarantee"),
        ({"guarantee": {"constant": "2", "additive": "0", "checked": True}}, "guarantee"),
        ({"guarantee": {"constant": 2, "additive": "0"}}, "guarantee.constant"),
        ({"guarantee": {"constant": "1/0", "additive": "0"}}, "guarantee.constant"),
        ({"guarantee": ["2", "0"]}, "guarantee"),
        ({"level": "L0", "bound": None}, "guarantee"),
    ],
)
def test_a_malformed_promise_is_refused(change, why):
    instance, _, made = certified()
    document = {**certificate_to_document(instance, made), **change}
    with pytest.raises(CertificateError, match=why):
        certificate_from_document(document, instance)


def test_a_promise_without_a_bound_is_refused():
    instance, _, made = certified()
    bare = replace(made, level="L0", prices={}, upper_payoffs={}, bound=None)
    with pytest.raises(CertificateError, match="guarantee"):
        verify(instance, bare)
