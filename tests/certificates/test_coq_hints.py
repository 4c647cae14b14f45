"""Hints for the verified checker: what they save is work, not proof."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from hadaropt.certificates import Certificate, certify
from hadaropt.certificates.coq import HEADER, coq_terms
from hadaropt.certificates.coq_hints import progress_price
from hadaropt.certificates.tree import Evaluator, paths
from hadaropt.certificates.tree_document import parse_tree
from hadaropt.generate import generate
from hadaropt.instance import Instance
from hadaropt.offline.tree.branch_and_price import branch_and_price
from tests.certificates.coq_checker import needs_coq, verdicts

HINT = re.compile(r"\((?:Coarse|Fine) \(pairs \[[^]]*\]\)\)")


@pytest.fixture(scope="module")
def solved() -> tuple[Instance, Certificate]:
    instance = generate("small_uniform", seed=2)
    return instance, certify(instance, branch_and_price(instance))


def test_every_leaf_that_proves_its_bound_has_a_hint(solved: tuple[Instance, Certificate]) -> None:
    instance, certificate = solved
    leaves = parse_tree(instance, certificate).leaves
    assert len(leaves) > 1
    assert len(HINT.findall(coq_terms(instance, certificate).certificate)) == len(leaves)


def test_the_price_of_progress_bounds_the_payoff(solved: tuple[Instance, Certificate]) -> None:
    instance, certificate = solved
    tree = parse_tree(instance, certificate)
    evaluator = Evaluator(instance, tree, certificate.pool == "node")
    seen = 0
    for i, answers in paths(tree):
        leaf = tree.leaves[i]
        payoffs = evaluator.payoffs(leaf, answers)
        assert payoffs is not None
        for j, able in enumerate(evaluator.abilities(leaf, answers)):
            price, most = progress_price(instance, j, able)
            assert price >= 0
            if payoffs[j] > 0:
                assert most >= float(payoffs[j]) - 1e-9
                seen += most < float(instance.value(j, instance.jobs[j].release))
    assert seen > 0
    assert progress_price(instance, 0, None) == (0, 0)


@needs_coq
def test_wrong_hints_change_no_verdict(solved: tuple[Instance, Certificate]) -> None:
    """Without hints, with none for any job, with too low ones: yes. A bound too low: no."""
    instance, certificate = solved
    terms = coq_terms(instance, certificate)
    claims = [terms.certificate]
    claims += [HINT.sub(hint, terms.certificate) for hint in ("NoHint", "(Coarse [])", "(Fine [])")]
    claims.append(re.sub(r"(?<=\(pairs \[0x0)\d+[ab]", "0a", terms.certificate))
    assert len({*claims}) == 5
    unit = instance.value_unit
    low = coq_terms(instance, replace(certificate, bound=certificate.value - unit)).certificate
    low_hints = HINT.sub(f"(Coarse [{'; '.join(['(-1000, 0)'] * len(instance.jobs))}])", low)
    claims += [low, low_hints.replace("(-1000", "((-1000)")]
    found = verdicts(HEADER, [f"check_l2 {terms.instance} ({claim})" for claim in claims])
    assert found == [True] * 5 + [False] * 2
