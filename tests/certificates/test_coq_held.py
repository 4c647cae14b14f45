"""The Coq checker and the verifier prove the same: GPUs held, and cuts of several terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from hadaropt.certificates import Certificate, certify, verify
from hadaropt.certificates.coq import HEADER, coq_terms, export_coq
from hadaropt.errors import CertificateError
from hadaropt.generate import generate
from hadaropt.instance import Instance
from hadaropt.io import instance_from_document
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.offline.tree.params import TreeParams
from tests.certificates.coq_checker import accepted, needs_coq, verdicts
from tests.certificates.samples import with_tree
from tests.certificates.test_tree import cut_cases, decided, most_of, path, proves

Json = dict[str, Any]
HUGE = Fraction(1_000_000)
TINY = Fraction(1, 10**6)


def term(instance: Instance, tree: Json, pool: str = "type") -> str:
    """The question whether Coq accepts the tree, whose leaves may claim anything."""
    certificate = replace(with_tree(instance, tree, HUGE), pool=pool)
    found = coq_terms(instance, certificate)
    return f"check_l2 {found.instance} ({found.certificate})"


@needs_coq
def test_bounds_of_gpus_held_are_exact() -> None:
    terms: list[str] = []
    expected: list[bool] = []
    kinds: list[str] = []

    @given(decided())
    @settings(
        max_examples=60,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    def gather(case: Any) -> None:
        document, answers, prices, pool = case
        held = [(ask, answer) for ask, answer in answers if ask["kind"] == "held"]
        assume(held and all(answer or ask["at_least"] >= 1 for ask, answer in held))
        instance = instance_from_document(document)
        fields = ("round", "type") if pool == "type" else ("round", "node", "type")
        entries = [
            {**dict(zip(fields, place, strict=True)), "price": str(price)}
            for place, price in prices.items()
        ]
        tree = path(*answers, prices=entries)
        proved = proves(instance, tree, pool)[-1]
        leaves = [n if "branch" in n else {**n, "bound": str(HUGE)} for n in tree["nodes"]]
        claims = (
            [(Fraction(-1), True)] if proved is None else [(proved, True), (proved - TINY, False)]
        )
        for claim, verdict in claims:
            leaves[-1] = {**leaves[-1], "bound": str(claim)}
            terms.append(term(instance, {**tree, "nodes": leaves}, pool))
            expected.append(verdict)
            kinds.append(f"{pool} {instance.parallelism} {proved is None}")

    gather()
    assert verdicts(HEADER, terms) == expected
    assert {f"{pool} forked False" for pool in ("node", "type")} <= set(kinds)
    assert sum(kind.endswith("True") for kind in kinds) >= 5


@needs_coq
def test_cuts_are_exact() -> None:
    terms: list[str] = []
    expected: list[bool] = []

    @given(cut_cases())
    @settings(max_examples=40, derandomize=True, database=None, deadline=None)
    def gather(case: Any) -> None:
        instance, sums, whole = case
        names = instance.cluster.accelerators
        pieces = [
            {
                "types": [names[r] for r in sorted(types)],
                "coefficients": {job.name: a for job, a in zip(instance.jobs, row, strict=True)},
            }
            for types, row in sums
        ]
        truth = most_of(instance, sums)
        everything = sum(sum(row) for _, row in sums)
        claims = [(everything, True)] + [(truth, True)] * whole + [(truth - 1, False)] * (truth > 0)
        for rhs, verdict in claims:
            entry = {**pieces[0], "round": 0, "rhs": rhs, "price": "1", "more_terms": pieces[1:]}
            leaf = {"prices": 0, "cuts": [entry], "bound": str(HUGE)}
            terms.append(term(instance, {"price_vectors": [[]], "nodes": [leaf]}))
            expected.append(verdict)

    gather()
    assert expected.count(False) >= 20
    assert verdicts(HEADER, terms) == expected


def real(
    family: str, seed: int, jobs: int, rounds: int, parallelism: str, *, cuts: bool
) -> tuple[Instance, Certificate]:
    """A generated instance and the certificate of its optimum; without cuts it branches more."""
    instance = generate(family, seed=seed, num_jobs=jobs, num_rounds=rounds)
    instance = instance.with_parallelism(parallelism)
    params = TreeParams() if cuts else TreeParams(root_cut_rounds=0, node_cut_rounds=0)
    certificate = certify(instance, branch_and_price(instance, params=params))
    assert verify(instance, certificate).proved
    return instance, certificate


def held_moved(tree: Json) -> Iterator[Json]:
    """Yield trees with one decision about GPUs answered the other way round."""
    nodes = tree["nodes"]
    for i, node in enumerate(nodes):
        if node.get("branch", {}).get("kind") == "held":
            flipped = {**node, "yes": node["no"], "no": node["yes"]}
            yield {**tree, "nodes": [*nodes[:i], flipped, *nodes[i + 1 :]]}


def cuts_moved(tree: Json) -> Iterator[Json]:
    """Yield trees with one cut of several terms changed: too strong, without terms, or free."""
    nodes = tree["nodes"]
    for i, node in enumerate(nodes):
        for c, cut in enumerate(node.get("cuts", [])):
            if "more_terms" in cut:
                for change in (
                    {"rhs": int(cut["rhs"]) - 1},
                    {"rhs": int(cut["rhs"]) + 1},
                    {"price": "0"},
                ):
                    cuts = [*node["cuts"][:c], {**cut, **change}, *node["cuts"][c + 1 :]]
                    yield {**tree, "nodes": [*nodes[:i], {**node, "cuts": cuts}, *nodes[i + 1 :]]}


def inside_moved(tree: Json) -> Iterator[Json]:
    """Yield trees with one cut on a node changed: too strong, free, on another or on no node."""
    nodes = tree["nodes"]
    i, c = next(
        (i, c)
        for i, node in enumerate(nodes)
        for c, cut in enumerate(node.get("cuts", []))
        if "node" in cut and Fraction(cut["price"]) > TINY
    )
    was = nodes[i]["cuts"][c]
    rhs = int(was["rhs"])
    for change in (
        {"rhs": rhs - 1},
        {"rhs": rhs + 1},
        {"price": "0"},
        *({"node": f"{kind}-0"} for kind in ("v100", "p100", "k80")),
        {"node": None},
    ):
        cut = {key: value for key, value in {**was, **change}.items() if value is not None}
        cuts = [*nodes[i]["cuts"][:c], cut, *nodes[i]["cuts"][c + 1 :]]
        yield {**tree, "nodes": [*nodes[:i], {**nodes[i], "cuts": cuts}, *nodes[i + 1 :]]}


@needs_coq
@pytest.mark.parametrize(
    ("family", "seed", "jobs", "rounds", "parallelism", "moved"),
    [
        ("six_class", 0, 9, 5, "mixed", cuts_moved),
        ("measured_rates", 1, 7, 7, "forked", held_moved),
        ("measured_rates", 5, 9, 6, "forked", inside_moved),
    ],
)
def test_optima_are_accepted_and_what_is_moved_as_the_verifier_judges(
    family: str,
    seed: int,
    jobs: int,
    rounds: int,
    parallelism: str,
    moved: Callable[[Json], Iterator[Json]],
) -> None:
    cuts = moved is not held_moved
    instance, certificate = real(family, seed, jobs, rounds, parallelism, cuts=cuts)
    assert certificate.tree is not None
    text = export_coq(instance, certificate)
    assert "Theorem optimal" in text
    assert accepted(text)
    terms, expected = [], []
    for tree in moved(certificate.tree):
        claim = replace(certificate, tree=tree)
        found = coq_terms(instance, claim)
        terms.append(f"check_l2 {found.instance} ({found.certificate})")
        try:
            verify(instance, claim)
            expected.append(True)
        except CertificateError:
            expected.append(False)
    assert expected.count(False) >= 2
    assert verdicts(HEADER, terms) == expected
