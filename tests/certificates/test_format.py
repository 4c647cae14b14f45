"""Certificates as files."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from hadaropt import certify, verify
from hadaropt.certificates import (
    Verification,
    read_certificate,
    write_certificate,
)
from hadaropt.certificates.format import certificate_from_document, certificate_to_document
from hadaropt.errors import CertificateError
from tests.certificates.samples import (
    NODE_PRICES,
    TYPE_PRICES,
    branched,
    crowd,
    one_by_one,
    pair,
    pair_schedule,
    true_documents,
    with_tree,
)

CROSSED = {(0, 1, 0): Fraction(1), (5, 0, 1): Fraction(1, 3)}
"""Prices on GPUs that the nodes do not have, to tell nodes from types."""


@pytest.mark.parametrize("prices", [TYPE_PRICES, NODE_PRICES, CROSSED, {}, {(0, 0): Fraction(0)}])
def test_files_round_trip(prices: Any, tmp_path: Any) -> None:
    instance, path = pair(), tmp_path / "c.json"
    certificate = certify(instance, prices, schedule=pair_schedule())
    write_certificate(certificate, path, instance)
    found = read_certificate(path, instance)
    assert replace(found, schedule=certificate.schedule) == certificate
    assert verify(instance, read_certificate(path, instance)) == verify(instance, certificate)
    document = certificate_to_document(instance, certificate)
    places = [(e["round"], e.get("node"), e["type"]) for e in document["prices"]]  # type: ignore[attr-defined]
    assert places == sorted(places, key=lambda place: place[0])
    assert ("node" in str(document["prices"])) == (prices in (NODE_PRICES, CROSSED))


def test_trees_round_trip(tmp_path: Any) -> None:
    instance, path = crowd(3, 2), tmp_path / "c.json"
    certificate = with_tree(instance, branched(), Fraction(14), one_by_one(0, 1, None))
    write_certificate(certificate, path, instance)
    found = read_certificate(path, instance)
    assert found.tree is not None and certificate.tree is not None
    assert verify(instance, found) == verify(instance, certificate)
    flat = certificate_to_document(instance, certify(instance, None))
    assert "tree" not in flat


def test_what_is_missing_in_a_file_has_its_meaning() -> None:
    instance = pair()
    from hadaropt.certificates.format import certificate_from_document

    full = certificate_to_document(instance, certify(instance, None, schedule=pair_schedule()))
    for name in ("pool", "prices", "upper_payoffs", "slack", "bound", "theorem"):
        del full[name]
    found = certificate_from_document(full, instance)
    assert (found.pool, found.prices, found.upper_payoffs) == ("type", {}, {})
    assert (found.slack, found.bound, found.theorem, found.tree) == (0, None, None, None)
    assert verify(instance, found) == Verification("L0", Fraction(253, 2), None, None)


def test_a_bound_that_is_missing_is_called_null() -> None:
    certificate = certify(pair(), TYPE_PRICES, schedule=pair_schedule())
    with pytest.raises(CertificateError, match="bound = null, must be 787/6"):
        verify(pair(), replace(certificate, bound=None))


@pytest.mark.parametrize("level", ["L0", "L2"])
def test_only_price_certificates_claim_a_slack(level: str) -> None:
    instance, document = true_documents()[level]
    good = certificate_from_document(document, instance)
    assert verify(instance, good).slack is None
    with pytest.raises(CertificateError, match=f"slack = 3, must be 0 at level {level}"):
        verify(instance, replace(good, slack=Fraction(3)))


@pytest.mark.parametrize(
    ("theorem", "path"),
    [
        ({}, "theorem.id"),
        ({"id": "T7, verified\n"}, "theorem.id"),
        ({"id": 7}, "theorem.id"),
        ({"id": "T7", "constant": "many"}, "theorem.constant"),
        ({"id": "T7", "foreknowledge": "U"}, "theorem.foreknowledge"),
        ({"id": "T7", "foreknowledge": ["U", "oracle"]}, "theorem.foreknowledge[1]"),
        ({"id": "T7", "foreknowledge": ["U", 1]}, "theorem.foreknowledge[1]"),
        ({"id": "T7", "verified": "yes"}, "theorem.verified"),
    ],
)
def test_malformed_theorems_are_refused(theorem: Any, path: str) -> None:
    instance, document = true_documents()["L1"]
    good = certificate_from_document(document, instance)
    with pytest.raises(CertificateError) as refused:
        verify(instance, replace(good, theorem=theorem))
    assert refused.value.path == path
