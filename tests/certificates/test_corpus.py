"""The Python verifier and the verified checker give the same verdict on a standing corpus."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

from hadaropt import Cluster, Instance, Job
from hadaropt.certificates import certify, verify
from hadaropt.certificates.coq import HEADER, export_coq
from hadaropt.utility import Table
from tests.certificates.coq_checker import accepted, needs_coq, verdicts
from tests.certificates.corpus import cases, coq_question, python_accepts
from tests.certificates.samples import crowd, one_by_one, with_tree

SEEDS = range(24)


@needs_coq
def test_both_verifiers_give_the_same_verdicts() -> None:
    names, expected, terms = [], [], []
    for seed in SEEDS:
        for kind, instance, certificate in cases(seed):
            names.append((seed, kind, instance.parallelism))
            expected.append(python_accepts(instance, certificate))
            terms.append(coq_question(instance, certificate))
    found = verdicts(HEADER, terms)
    rows = zip(names, expected, found, strict=True)
    assert [(name, mine) for name, mine, theirs in rows if mine != theirs] == []
    kinds = Counter(kind for (_, kind, _), verdict in zip(names, expected, strict=True) if verdict)
    assert kinds["genuine tree"] == kinds["genuine prices"] == len(SEEDS)
    assert kinds["random tree"] == 3 * len(SEEDS)
    assert {model for _, _, model in names} == {"single_type", "mixed", "forked"}
    assert expected.count(False) > 200


def wasteful() -> Instance:
    """As copies, a makes 50 iterations on n0 and none on n1; alone it makes 100 on n0."""
    cluster = Cluster.of({"n0": {"A": 1}, "n1": {"B": 1}}, ["A", "B"])
    job = Job("a", 0, 1, 50, {"A": 1, "B": "0.015"}, Table((10,)), 1, 2)
    return Instance(cluster, (job,), 1, 100, "forked", consolidation_seconds=50)


@needs_coq
def test_copies_without_progress_are_left_out_by_both() -> None:
    """Without its idle copy job a makes 100, so less than 60 can be taken to be nothing."""
    instance = wasteful()
    ask = {"job": "a", "kind": "progress", "round": 0, "at_least": 60}
    leaves = [{"prices": 0, "bound": bound} for bound in ("10", "0")]
    tree = {"price_vectors": [[]], "nodes": [{"branch": ask, "yes": 1, "no": 2}, *leaves]}
    claim = with_tree(instance, tree, Fraction(10))
    assert python_accepts(instance, claim)
    assert verdicts(HEADER, [coq_question(instance, claim)]) == [True]


@needs_coq
def test_a_copy_is_as_slow_as_a_level_only_beside_its_slowest_type() -> None:
    """Less than 100 is 30 on n2; two copies on n0 and n1 make 200, and never twice 30."""
    cluster = Cluster.of({"n0": {"A": 1}, "n1": {"A": 1}, "n2": {"B": 1}}, ["A", "B"])
    job = Job("a", 0, 1, 40, {"A": 1, "B": "0.3"}, Table((10,)))
    instance = Instance(cluster, (job,), 1, 100, "forked")
    ask = {"job": "a", "kind": "progress", "round": 0, "at_least": 100}
    hold = {"job": "a", "kind": "held", "round": 0, "node": "n0", "type": "A", "at_least": 1}
    ten, nothing = ({"prices": 0, "bound": bound} for bound in ("10", "0"))
    asked: list[object] = [{"branch": ask, "yes": 1, "no": 2}, ten, nothing]
    held = [{"branch": hold, "yes": 1, "no": 2}, {"branch": ask, "yes": 3, "no": 4}, ten]
    for nodes in (asked, [*held, ten, nothing]):
        tree = {"price_vectors": [[]], "nodes": nodes}
        claim = replace(with_tree(instance, tree, Fraction(10)), pool="node")
        assert python_accepts(instance, claim)
        assert verdicts(HEADER, [coq_question(instance, claim)]) == [True]


@needs_coq
def test_bounds_of_prices_are_lowered_to_the_lattice_by_both() -> None:
    """Three gangs of two on three GPUs, each worth 10: prices prove 15, and so 10."""
    instance = crowd(3)
    claim = certify(instance, {(0, 0): Fraction(5)}, schedule=one_by_one(0, None, None))
    found = verify(instance, claim)
    assert (found.bound, found.best_bound, found.proved) == (15, 10, True)
    text = export_coq(instance, claim)
    assert "Theorem optimal" in text
    assert accepted(text)
