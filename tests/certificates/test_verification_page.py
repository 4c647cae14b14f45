"""The worked example of ``docs/verification.md`` is true, and nothing less would be accepted."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt import read_instance
from hadaropt.certificates import verify
from hadaropt.certificates.coq import HEADER, coq_terms
from hadaropt.certificates.format import certificate_from_document
from hadaropt.errors import CertificateError
from tests.certificates.coq_checker import needs_coq, verdicts

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "verification.md").read_text()


def examples():
    """The instance, and the two certificates of the page."""
    instance = read_instance(ROOT / "examples" / "tiny.json")
    prices, tree = (json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
    dropped = ("prices", "upper_payoffs", "guarantee")
    branched = {name: value for name, value in prices.items() if name not in dropped}
    branched |= {"level": "L2", "bound": "126.5", "tree": tree}
    return instance, *(certificate_from_document(d, instance) for d in (prices, branched))


def test_the_worked_example_is_true():
    instance, prices, branched = examples()
    found = verify(instance, prices)
    assert (found.value, found.bound, found.best_bound) == (126.5, 131.5, 131.5)
    assert (instance.value_unit, found.guarantee) == (Fraction(1, 2), (1, 5))
    assert verify(instance, branched).proved


@pytest.mark.parametrize("name", ["a", "b"])
def test_no_payoff_of_the_worked_example_may_be_less(name):
    instance, prices, _ = examples()
    less = {**prices.upper_payoffs, name: prices.upper_payoffs[name] - Fraction(1, 10)}
    with pytest.raises(CertificateError, match=f"upper_payoffs.{name}"):
        verify(instance, replace(prices, upper_payoffs=less))


@needs_coq
def test_coq_accepts_the_worked_example():
    instance, *claims = examples()
    terms = [coq_terms(instance, claim).verdict() for claim in claims]
    assert verdicts(HEADER, terms) == [True, True]
