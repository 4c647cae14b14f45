"""The theorem of a run, by the verified checker: proved if true, refused where Python refuses."""

import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from hadaropt.certificates import verify
from hadaropt.certificates.coq import HEADER, coq_terms, export_coq
from hadaropt.certificates.coq_check import check_with_coq
from hadaropt.certificates.coq_run import run_claims
from hadaropt.errors import CertificateError
from tests.certificates.coq_checker import library, needs_coq, verdicts
from tests.certificates.corpus import coq_question, python_accepts
from tests.certificates.runs import run_cases
from tests.certificates.test_posted import changed, claiming, of_used, queue, stated

SEEDS = (2, 3, 4, 5, 6, 20, 22)
PROVED = ("bound_holds", "value_attained", "theorem_applies", "this_run")


@needs_coq
def test_both_verifiers_give_the_same_verdicts_on_runs():
    names, expected, terms = [], [], []
    for seed in SEEDS:
        for kind, instance, certificate in run_cases(seed):
            names.append((seed, kind, instance.parallelism, certificate.pool))
            expected.append(python_accepts(instance, certificate))
            terms.append(coq_question(instance, certificate))
    found = verdicts(HEADER, terms)
    rows = zip(names, expected, found, strict=True)
    assert [(name, mine) for name, mine, theirs in rows if mine != theirs] == []
    kinds = Counter(kind for (_, kind, _, _), mine in zip(names, expected, strict=True) if mine)
    assert kinds["genuine run"] == len(SEEDS)
    assert {(model, pool) for _, _, model, pool in names} >= {
        ("single_type", "type"),
        ("mixed", "type"),
        ("mixed", "node"),
        ("forked", "node"),
    }
    assert expected.count(False) > 80


@needs_coq
@pytest.mark.parametrize(
    ("price", "spread", "parallelism"),
    [("zero_start", 1, "mixed"), ("telescoped", "0.5", "forked"), ("exponential", 1, "mixed")],
)
def test_the_theorem_of_a_run_is_proved(price, spread, parallelism):
    library()
    instance, _, made = stated(price, queue(spread, parallelism))
    assert check_with_coq(instance, made).theorems == PROVED


def test_the_file_states_constant_and_additive_of_the_certificate():
    instance, run, made = stated("exponential")
    text, scale = export_coq(instance, made), coq_terms(instance, made).scale
    parts, constant, value, additive = map(
        int,
        re.search(
            r"this_run .*?\n  (\d+) \* value .*? <= (\d+) \* (\d+) \+ \d+ \* (\d+)\.", text, re.S
        ).groups(),
    )
    assert Fraction(constant, parts) == run.theorem.constant
    assert Fraction(value, scale) == made.value
    assert Fraction(additive, scale) == run.theorem.additive


def test_shares_add_up_to_the_constant_and_are_the_least():
    instance, run, made = stated()
    claims = run_claims(instance, made)
    assert claims.t1 + claims.t2 == run.theorem.constant
    assert claims.t1 >= 1
    assert claims.t2 >= 0


@needs_coq
def test_coq_says_what_it_refuses_of_a_run():
    library()
    instance, _, made = stated()
    i = of_used(made)
    low = changed(made, i, prices=tuple(max(0, p - 1) for p in made.posted.tables[i].prices))
    for wrong in (low, claiming(made, constant="9/8")):
        with pytest.raises(CertificateError):
            verify(instance, wrong)
        with pytest.raises(CertificateError, match="a hypothesis fails on the posted prices"):
            check_with_coq(instance, wrong)


def test_payoffs_that_are_relaxed_are_computed_again():
    """With slack the claims may be too large to say what the payoffs at arrival miss."""
    instance, _, made = stated()
    name = instance.jobs[0].name
    payoffs = {**made.upper_payoffs, name: made.upper_payoffs.get(name, Fraction(0)) + 1}
    loose = replace(made, upper_payoffs=payoffs, bound=made.bound + 1, slack=made.slack + 1)
    assert verify(instance, loose).applied is not None
    assert run_claims(instance, loose).payoffs == run_claims(instance, made).payoffs


def test_other_theorems_and_unknown_places_are_not_exported():
    instance, _, made = stated()
    nowhere = replace(made.posted, table_of={**made.posted.table_of, (99, 0): 0})
    for wrong, why in (
        (claiming(made, id="T14"), "theorem.id"),
        (claiming(made, id="T9"), "needs one resource"),
        (replace(made, theorem=None), "must be left out without a theorem"),
        (replace(made, posted=nowhere), "must name no place without GPUs"),
    ):
        with pytest.raises(CertificateError, match=why):
            export_coq(instance, wrong)
    assert run_claims(instance, replace(made, posted=None)) is None
