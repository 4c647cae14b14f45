"""T9 of a run, by the verified checker: proved if true, refused where Python refuses."""

import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random

import hadaropt
from hadaropt.certificates import certify
from hadaropt.certificates.coq import HEADER, export_coq
from hadaropt.certificates.coq_check import check_with_coq
from hadaropt.policies import PrimalDual
from tests.certificates.coq_checker import library, needs_coq, verdicts
from tests.certificates.corpus import coq_question, python_accepts
from tests.certificates.runs import tampered_claims, tampered_prices
from tests.certificates.test_posted import claiming
from tests.certificates.test_posted_threshold import market, stated


def unit_cases(seed):
    """Runs of threshold prices on one resource, and runs of other prices that claim T9."""
    rng = Random(seed)
    values = [rng.choice((0, 1, 2, 3, 10, 40)) for _ in range(rng.randint(1, 6))]
    instance = market(values, gpus=rng.randint(1, 4))
    price, pool = rng.choice(("threshold", "threshold", "step")), rng.choice(("type", "node"))
    run = hadaropt.run_online(instance, PrimalDual(price, pool=pool))
    made = claiming(certify(instance, run, posted=True), id="T9")
    if price != "threshold":
        made = replace(made, theorem={**made.theorem, "constant": "1000"})
    yield price, instance, made
    yield from tampered_claims(rng, instance, made)
    yield from tampered_prices(rng, instance, made, made.posted)


@needs_coq
def test_both_verifiers_give_the_same_verdicts_on_unit_demand():
    names, expected, terms = [], [], []
    for seed in range(8):
        for kind, instance, certificate in unit_cases(seed):
            names.append((seed, kind, certificate.pool))
            expected.append(python_accepts(instance, certificate))
            terms.append(coq_question(instance, certificate))
    found = verdicts(HEADER, terms)
    rows = zip(names, expected, found, strict=True)
    assert [(name, mine) for name, mine, theirs in rows if mine != theirs] == []
    kinds = Counter(kind for (_, kind, _), mine in zip(names, expected, strict=True) if mine)
    assert kinds["threshold"] >= 4
    assert {pool for _, _, pool in names} == {"type", "node"}
    assert expected.count(False) > 80


@needs_coq
def test_the_theorem_of_unit_demand_is_proved():
    library()
    for values in ((3, 5), (3, 5, 4, 9, 30, 100, 80, 100)):
        instance, run, made = stated(values)
        text = export_coq(instance, made)
        constant = run.theorem.constant
        says = rf"{constant.denominator} \* value the_instance s <= {constant.numerator} \* v\."
        assert re.search(says, text)
        found = check_with_coq(instance, made)
        assert found.theorems[-2:] == ("theorem_applies", "this_run")


def test_a_constant_below_the_price_is_exported_as_it_is():
    instance, run, made = stated()
    low = claiming(made, constant=str(run.theorem.constant - Fraction(1, 7)))
    assert export_coq(instance, low) != export_coq(instance, made)
