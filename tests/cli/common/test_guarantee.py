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
    third = Theorem("T7", Fraction(10**9 + 1, 3 * 10**8), Fraction(1, 3), ("U", "L", "m"), 10 / 3)
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
    own = Theorem("T7", Fraction(constant), Fraction(0), (), float(constant), spread)
    lines = guarantee_lines(replace(run, theorem=own))
    assert [text for name, text in lines if not name] == ([said] if said else [])
    assert guarantee_document(replace(run, theorem=own))["theorem"]["vacuous"] is bool(said)


@pytest.mark.parametrize(
    ("id", "formula", "first", "second"),
    [
        ("T7", 3.5, "T4 with the price tables of this run", "those of T7, whose formula: 3.5"),
        ("T8", None, "T4 with the price tables of this run", "those of T8"),
        ("T11", float("inf"), "T4 with the price tables of this run", "of T11, whose formula: inf"),
        ("T7", 3.0000001, "T7", None),
        ("T14", 3.5, "T14", None),
    ],
)
def test_no_theorem_stands_before_a_figure_that_it_does_not_state(run, id, formula, first, second):
    own = Theorem(id, Fraction(3), Fraction(0), (), formula)
    lines = guarantee_lines(replace(run, theorem=own))
    assert lines[0] == ("theorem", f"{first}: OPT <= 3 P + 0")
    said = [text for name, text in lines if not name]
    assert said == [] if second is None else said[0].endswith(second)
    assert (
        guarantee_document(replace(run, theorem=own))["theorem"]["stated_by"] == first[:3].strip()
    )


def test_the_formula_of_the_zero_start_price_is_not_the_constant_of_its_tables(run):
    """By hand for c = m = 2, N = w* = 1: (1 + delta) (c/w*) ((1 + U/(delta L))^(w*/N) - 1)."""
    tiny = hadaropt.run_online(hadaropt.read_instance("examples/tiny.json"), "primal_dual")
    delta, least, most = 48, Fraction(57, 16), 92
    by_hand = (1 + delta) * 2 * Fraction(most) / (delta * least)
    assert tiny.theorem.closed_form == pytest.approx(float(by_hand))
    assert guarantee_lines(tiny)[:2] == [
        ("theorem", "T4 with the price tables of this run: OPT <= 52.6492 P + 0"),
        ("", "they are those of T7, whose formula: 52.7251"),
    ]
    assert "T4, with the tables of T7: OPT <= 52.6492 value + 0" in str(tiny)


def test_the_document_is_exact(run):
    document = guarantee_document(run)["theorem"]
    assert document["id"] == run.theorem.id
    assert document["constant"] == run.theorem.constant
    assert isinstance(document["constant"], Fraction)
    assert set(document) >= {"title", "statement", "proof", "additive", "spread", "foreknowledge"}
