"""`hadaropt.theorems` says what the claim table of ``proofs/README.md`` claims, and no more."""

import pickle
import re
from pathlib import Path

import pytest

import hadaropt
from hadaropt.errors import HadaroptError
from hadaropt.online.prices.registry import PRICES, theorem_of
from hadaropt.results import Theorem
from tests.theory.test_proofs import CLAIMS, quoted, statements

ROOT = Path(__file__).resolve().parents[1]
by_id = pytest.mark.parametrize("claim", CLAIMS, ids=[claim["id"] for claim in CLAIMS])


def test_the_ids_are_those_of_the_claim_table_in_its_order():
    assert list(hadaropt.theorems) == [claim["id"] for claim in CLAIMS]


@by_id
def test_tag_proof_and_coq_names_are_those_of_the_claim_table(claim):
    stated = hadaropt.theorems[claim["id"]]
    assert stated.tag == re.split(r"[ ;]", claim["tag"])[0]
    (place,) = re.findall(r"\]\(([^)]+)\)", claim["written"])
    assert stated.proof == f"proofs/{place}"
    assert [name for name, _ in stated.coq] == quoted(claim["coq"])


@by_id
def test_the_coq_names_are_stated_in_the_files_that_are_named(claim):
    for name, file in hadaropt.theorems[claim["id"]].coq:
        assert [f"proofs/coq/{stating}" for stating in statements()[name]] == [file]
        assert (ROOT / file).is_file()


@by_id
def test_every_statement_is_complete(claim):
    stated = hadaropt.theorems[claim["id"]]
    assert stated.title
    assert stated.statement.endswith((".", '"'))
    assert stated.source
    assert stated.hypotheses or stated.tag == "FALSE" or claim["id"] == "P3r"
    said = " ".join((stated.statement, *stated.hypotheses))
    for symbol, meaning in stated.symbols:
        assert meaning
        assert re.search(rf"(?<![A-Za-z]){re.escape(symbol)}(?![A-Za-z])", said), symbol


@pytest.mark.parametrize("price", PRICES)
def test_what_a_run_may_name_is_a_theorem_that_a_machine_has_checked(price):
    assert hadaropt.theorems[theorem_of(PRICES[price])].tag == "Coq"


def test_a_run_leads_to_the_statement_of_its_theorem():
    checked = Theorem("T7", 3, 0, ("U", "L", "m"), 3.0, 20.0)
    assert checked.statement is hadaropt.theorems["T7"]
    assert "(1 + delta) theta P" in checked.statement.statement
    assert str(checked.statement).startswith("T7 (Zero-start price): k(g) = ")


@pytest.mark.parametrize(
    ("constant", "spread", "vacuous"),
    [(20, 20.0, False), (21, 20.0, True), (1000, 1e9, False), (1001, 1e9, True)],
)
def test_a_constant_above_the_spread_or_1000_is_vacuous(constant, spread, vacuous):
    assert Theorem("T7", constant, 0, (), None, spread).vacuous is vacuous


def test_an_unknown_id_names_the_nearest():
    with pytest.raises(KeyError, match=r'theorem = "T7x", .*did you mean "T7"\?'):
        hadaropt.theorems["T7x"]
    with pytest.raises(HadaroptError, match="must be the id of a theorem"):
        hadaropt.theorems["zero_start"]
    assert "T7x" not in hadaropt.theorems
    assert hadaropt.theorems.get("T7x") is None


def test_statements_can_be_sent_to_other_processes():
    stated = hadaropt.theorems["T9'"]
    assert pickle.loads(pickle.dumps(stated)) == stated


def test_an_id_that_is_near_none_gets_no_hint_and_no_list():
    with pytest.raises(KeyError) as caught:
        hadaropt.theorems["pythagoras"]
    text = str(caught.value)
    assert text.endswith("must be the id of a theorem (list(hadaropt.theorems) names all)")
