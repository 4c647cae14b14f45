"""Certificates made to mislead, or to exhaust, the verifiers."""

from dataclasses import replace
from fractions import Fraction

import pytest

from hadaropt import Cluster, Instance, Job
from hadaropt.certificates import certify, verify
from hadaropt.certificates.coq import coq_terms, one_file
from hadaropt.certificates.coq_parts import export_parts
from hadaropt.certificates.tree_document import MAX_DEPTH, parse_tree
from hadaropt.errors import CertificateError, LimitError, OtherInstanceError
from hadaropt.utility import Table
from tests.certificates.samples import (
    NODE_PRICES,
    TYPE_PRICES,
    branched,
    crowd,
    one_by_one,
    pair,
    pair_schedule,
    with_tree,
)

OPTIMUM = Fraction(253, 2)


def advised(certificate, said):
    """The certificate, changed as the verifier's message advises; None where it does not."""
    words = said.rule.replace(",", " ").split()
    numbers = [Fraction(word) for word in words if word.replace("/", "").lstrip("-").isdigit()]
    if not numbers:
        return None
    if said.path.startswith("upper_payoffs."):
        name = said.path.removeprefix("upper_payoffs.")
        payoffs = {**certificate.upper_payoffs, name: numbers[0]}
        return replace(certificate, upper_payoffs=payoffs)
    if said.path in ("bound", "value", "slack"):
        return replace(certificate, **{said.path: numbers[0]})
    if said.path == "guarantee":
        return replace(certificate, guarantee=(Fraction(0), numbers[0]))
    return None


@pytest.mark.parametrize("prices", [TYPE_PRICES, NODE_PRICES], ids=["type", "node"])
@pytest.mark.parametrize(
    "wrong",
    [
        {"upper_payoffs": {}},
        {"upper_payoffs": {}, "bound": Fraction(1), "slack": Fraction(-5)},
        {"value": Fraction(1000), "bound": Fraction(0), "prices": {}},
        {"prices": {(5, 0): Fraction(9)}, "pool": "type"},
        {"guarantee": (Fraction(1), Fraction(-100)), "upper_payoffs": {}},
    ],
)
def test_who_follows_the_messages_ends_with_a_true_claim(prices, wrong):
    instance = pair()
    claim = replace(certify(instance, prices, schedule=pair_schedule()), **wrong)
    for _ in range(20):
        try:
            found = verify(instance, claim)
        except CertificateError as said:
            claim = advised(claim, said)
            assert claim is not None, said
            continue
        assert found.value == OPTIMUM <= found.best_bound
        if found.guarantee is not None:
            constant, additive = found.guarantee
            assert constant * found.value + additive >= OPTIMUM
        return
    pytest.fail("the messages lead nowhere")


def test_instances_of_equal_totals_are_told_apart():
    """Two GPUs on one node, or one on each of two: a gang that must not span is worth less."""
    job = Job("a", 0, 2, 10, {"A": 10}, Table((8, 4)), Fraction(1, 2))
    together, apart = (
        Instance(Cluster.of(nodes), (job,), 2, 1)
        for nodes in ({"n0": {"A": 2}, "n1": {"A": 0}}, {"n0": {"A": 1}, "n1": {"A": 1}})
    )
    low = certify(apart, {})
    assert verify(apart, low).bound == 4
    with pytest.raises(OtherInstanceError):
        verify(together, low)
    with pytest.raises(OtherInstanceError):
        coq_terms(together, low)
    forged = replace(low, instance_sha256=certify(together, {}).instance_sha256)
    with pytest.raises(CertificateError):
        verify(together, forged)


def chain(depth):
    """A tree that asks the same over and over."""
    ask = {"job": "a", "kind": "completion", "round": 0}
    nodes = []
    for i in range(depth):
        nodes += [{"branch": ask, "yes": 2 * i + 2, "no": 2 * i + 1}, {"prices": 0, "bound": "14"}]
    nodes.append({"prices": 0, "bound": "14"})
    return {**branched(), "nodes": nodes}


def test_a_tree_too_deep_is_refused_at_its_place():
    instance = crowd(3, 2)
    deep = with_tree(instance, chain(MAX_DEPTH), Fraction(14), one_by_one(0, None, None))
    assert len(parse_tree(instance, deep).leaves) == MAX_DEPTH + 1
    deeper = with_tree(instance, chain(MAX_DEPTH + 1), Fraction(14), one_by_one(0, None, None))
    with pytest.raises(CertificateError, match=rf"tree.nodes\[{2 * MAX_DEPTH}\]"):
        verify(instance, deeper)


@pytest.mark.parametrize("parts", [1, 3])
def test_a_deep_tree_is_exported_in_linear_size(parts):
    instance = crowd(3, 2)
    sizes = []
    for n in (500, 1000):
        deep = coq_terms(instance, with_tree(instance, chain(n), Fraction(14)))
        files = export_parts(instance, deep, parts)
        sizes.append(len(one_file(instance, deep)) if files is None else files.size)
    assert sizes[1] < 2.1 * sizes[0]  # names become longer


def test_denominators_without_end_are_refused_and_not_multiplied():
    instance = crowd(3, 2)
    made = certify(instance, {})
    endless = {(t, 0): Fraction(1, 2**150_000 + 1 + 2 * t) for t in range(2)}
    with pytest.raises(LimitError, match="common denominator"):
        verify(instance, replace(made, prices=endless))


def test_an_integer_too_long_for_coq_says_its_size():
    instance = crowd(3, 2)
    made = certify(instance, {(0, 0): Fraction(1, 3**9_000)})
    verify(instance, made)
    with pytest.raises(LimitError, match=r"integer of \d+ bits.*without --coq checks all of it"):
        coq_terms(instance, made)
