"""Certificates of real runs, exported to Coq: accepted as they are, refused when tampered with."""

from dataclasses import replace
from fractions import Fraction

import pytest

import hadaropt
from hadaropt.certificates import certify, verify
from hadaropt.certificates.coq import HEADER, coq_terms, export_coq
from hadaropt.errors import CertificateError
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.policies import Fifo, PrimalDual
from hadaropt.utility import EffectiveThroughput, Linear
from tests.certificates.coq_checker import accepted, needs_coq, verdicts


def instance(parallelism, spread=1, count=7, utility=None):
    """Seven gangs of 1, 2 and 3 that crowd six GPUs on two nodes."""
    cluster = Cluster.of({"n0": {"V100": 2, "P100": 1}, "n1": {"V100": 1, "P100": 2}})
    jobs = tuple(
        Job(
            f"j{j}",
            j % 3,
            1 + j % 3,
            700 + 180 * (j * j % 5),
            {"V100": f"1.{j}", "P100": f"0.{9 - j % 4}"},
            utility or Linear(20 + 7 * (j % 4), Fraction(5 + j % 3, 2)),
            spread,
        )
        for j in range(count)
    )
    return Instance(cluster, jobs, 6, parallelism=parallelism)


@needs_coq
@pytest.mark.parametrize("policy", [PrimalDual(), PrimalDual("linear"), Fifo()], ids=str)
def test_online_runs(policy):
    crowded = instance("mixed")
    certificate = certify(crowded, hadaropt.run_online(crowded, policy))
    if certificate.level == "L0":
        certificate = certify(crowded, {}, schedule=None)
    verify(crowded, certificate)
    assert accepted(export_coq(crowded, certificate))


@needs_coq
@pytest.mark.parametrize(
    ("parallelism", "spread"), [("single_type", 1), ("mixed", "0.8"), ("forked", "0.8")]
)
def test_duals_of_the_relaxation(parallelism, spread):
    crowded = instance(parallelism, spread)
    certificate = certify(crowded, hadaropt.solve_dual(crowded))
    assert certificate.prices
    verify(crowded, certificate)
    assert accepted(export_coq(crowded, certificate))


def solved(crowded):
    certificate = certify(crowded, branch_and_price(crowded))
    assert verify(crowded, certificate).proved
    return certificate


@needs_coq
@pytest.mark.parametrize(
    ("parallelism", "spread", "utility"),
    [
        ("single_type", 1, None),
        ("mixed", 1, None),
        ("mixed", "0.8", EffectiveThroughput(1)),
        ("forked", "0.8", None),
    ],
)
def test_optima_of_branch_and_price(parallelism, spread, utility):
    crowded = instance(parallelism, spread, utility=utility)
    text = export_coq(crowded, solved(crowded))
    assert "Theorem optimal" in text
    assert accepted(text)


def tampered_trees(tree):
    """Yield trees with one thing changed that the proof needs."""
    nodes = tree["nodes"]
    for i, node in enumerate(nodes):
        if "branch" in node:
            flipped = {**node, "yes": node["no"], "no": node["yes"]}
            yield {**tree, "nodes": [*nodes[:i], flipped, *nodes[i + 1 :]]}
        for c, cut in enumerate(node.get("cuts", [])):
            for change in ({"rhs": int(cut["rhs"]) - 1}, {"price": "-" + str(cut["price"])}):
                cuts = [*node["cuts"][:c], {**cut, **change}, *node["cuts"][c + 1 :]]
                yield {**tree, "nodes": [*nodes[:i], {**node, "cuts": cuts}, *nodes[i + 1 :]]}
    if len(nodes) > 1:
        yield {**tree, "nodes": nodes[:-1]}
    if any(tree["price_vectors"]):
        yield {**tree, "price_vectors": [[] for _ in tree["price_vectors"]]}


@needs_coq
def test_tampered_optima_are_refused():
    crowded = instance("mixed")
    certificate = solved(crowded)
    claims = [
        replace(certificate, bound=certificate.bound - Fraction(1, 1000)),
        *(replace(certificate, tree=tree) for tree in tampered_trees(certificate.tree)),
    ]
    assert len(claims) >= 3
    terms = []
    for claim in claims:
        try:
            found = coq_terms(crowded, claim)
        except CertificateError:
            continue
        terms.append(f"check_l2 {found.instance} ({found.certificate})")
    assert verdicts(HEADER, terms) == [False] * len(terms)
