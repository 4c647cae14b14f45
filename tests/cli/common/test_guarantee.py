"""The theorem behind a run, in words and as a document."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

import hadaropt
from hadaropt.cli.common.guarantee import guarantee_document, guarantee_lines
from hadaropt.results import Theorem
from tests.cli.conftest import make_instance


@pytest.fixture(scope="module")
def run():
    return hadaropt.run_online(make_instance(), "primal_dual:zero_start")


def test_without_a_theorem_the_reason_stands_there():
    found = hadaropt.run_online(make_instance(), "fifo")
    assert guarantee_lines(found) == [("theorem", f"none: {found.theorem_absent}")]
    assert guarantee_document(found) == {
        "theorem": None,
        "theorem_absent": "the policy has no prices",
    }


def test_the_constant_is_rounded_up_and_the_statement_said(run):
    third = Theorem("T7", Fraction(10**9 + 1, 3 * 10**8), Fraction(1, 3), ("U", "L", "m"), None)
    lines = guarantee_lines(replace(run, theorem=third))
    assert lines[0] == ("theorem", "T7: OPT <= 3.33334 P + 0.333334")
    told = dict(lines)
    assert hadaropt.theorems["T7"].statement in told["statement"]
    assert told["statement"].endswith("More: hadaropt theorem T7")
    assert told["proof"] == hadaropt.theorems["T7"].proof


@pytest.mark.parametrize(
    ("constant", "spread", "said"),
    [
        (50, 40.0, "vacuous: 50 is above U/L = 40"),
        (5000, float("inf"), "vacuous: 5000 is above 1000"),
        (5000, 4000.0, "vacuous: 5000 is above 1000"),
        (40, 40.0, None),
    ],
)
def test_a_constant_that_says_nothing_is_called_vacuous(run, constant, spread, said):
    own = Theorem("T7", Fraction(constant), Fraction(0), (), None, spread)
    lines = guarantee_lines(replace(run, theorem=own))
    assert [text for name, text in lines if not name] == ([said] if said else [])
    assert guarantee_document(replace(run, theorem=own))["theorem"]["vacuous"] is bool(said)


def test_the_document_is_exact(run):
    document = guarantee_document(run)["theorem"]
    assert document["id"] == run.theorem.id
    assert document["constant"] == run.theorem.constant
    assert isinstance(document["constant"], Fraction)
    assert set(document) >= {"title", "statement", "proof", "additive", "spread", "foreknowledge"}
