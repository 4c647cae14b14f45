"""The Coq checker accepts branching trees that close at the optimum, and no lower value."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings

from hadaropt.certificates import Certificate
from hadaropt.certificates.coq import HEADER, coq_terms, export_coq
from hadaropt.errors import CertificateError
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.io import instance_from_document, instance_sha256, schedule_to_document
from hadaropt.schedule import Allocation, Schedule
from hadaropt.utility import Linear, Table
from tests import oracle
from tests.certificates.coq_checker import accepted, needs_coq, verdicts
from tests.certificates.small_trees import TooLargeError, grow
from tests.instances_strategy import tiny_instances


def tree_certificate(instance, value, tree, schedule=None):
    document = schedule_to_document(instance, schedule or Schedule.empty(instance))
    sha = instance_sha256(instance)
    return Certificate(sha, "L2", instance.parallelism, value, document, bound=value, tree=tree)


def one_by_one(*rounds):
    """Job j runs alone on two GPUs of n0 in round rounds[j]; not at all if that is None."""
    return Schedule(tuple(() if t is None else (Allocation(t, ((0, 0, 2),)),) for t in rounds))


@needs_coq
def test_trees_of_tiny_instances():
    terms, expected, sizes = [], [], []

    @given(tiny_instances(min_jobs=2, max_jobs=2, max_rounds=3, max_nodes=2, max_types=2))
    @settings(max_examples=40, derandomize=True, database=None, deadline=None)
    def gather(document):
        instance = instance_from_document(document)
        value, _ = oracle.optimum(document)
        try:
            tree = grow(document, value, instance.value_unit)
        except TooLargeError:
            return
        sizes.append(len(tree["nodes"]))
        certificate = tree_certificate(instance, value, tree)
        below = replace(certificate, bound=value - instance.value_unit / 2)
        for claim, verdict in ((certificate, True), (below, False)):
            found = coq_terms(instance, claim)
            terms.append(f"check_l2 {found.instance} ({found.certificate})")
            expected.append(verdict)

    gather()
    assert verdicts(HEADER, terms) == expected
    assert sum(size > 3 for size in sizes) >= 10


def crowd(gpus, rounds=1):
    """Three gangs of two, each worth 10 at once; one fits on three GPUs."""
    jobs = tuple(
        Job(name, 0, 2, 3, {"V100": 3}, Table((10, 4)[:rounds]))  # one round of work each
        for name in "abc"
    )
    return Instance(Cluster.of({"n0": {"V100": gpus}}), jobs, rounds, 1)


def cut(rhs=1, price="10", names="abc"):
    return {
        "round": 0,
        "types": ["V100"],
        "coefficients": dict.fromkeys(names, 1),
        "rhs": rhs,
        "price": price,
        "cover": ["a", "b"],
        "lifting_order": ["c"],
    }


def one_leaf(bound="10", **changes):
    leaf = {"prices": 0, "cuts": [cut(**changes)], "bound": bound}
    return {"price_vectors": [[]], "nodes": [leaf]}


@needs_coq
def test_a_cut_closes_a_root_that_prices_alone_leave_open():
    instance = crowd(3)
    best = one_by_one(0, None, None)
    good = tree_certificate(instance, Fraction(10), one_leaf(), best)
    assert accepted(export_coq(instance, good))
    wrong = [
        (crowd(4), one_leaf()),
        (instance, one_leaf(rhs=0, bound="0")),
        (instance, one_leaf(price="9")),
        (instance, one_leaf(price="-10")),
        (instance, one_leaf(names="ab")),
        (instance, one_leaf(bound="9")),
        (instance, {"price_vectors": [[]], "nodes": [{"prices": 0, "bound": "10"}]}),
    ]
    claims = [coq_terms(i, tree_certificate(i, Fraction(10), t)) for i, t in wrong]
    terms = [f"check_l2 {found.instance} ({found.certificate})" for found in claims]
    assert verdicts(HEADER, terms) == [False] * len(wrong)


@needs_coq
def test_utilities_of_jobs_that_can_never_complete_do_not_matter():
    """The bound 21/2 rounds down to 10 although a gang of nine on three GPUs is worth 1/3."""
    instance = crowd(3)
    giant = Job("giant", 0, 9, 3, {"V100": 3}, Table(("1/3",)))
    small = Job("small", 0, 1, 3, {"V100": 3}, Table(("1/3",)))
    terms = []
    for other in (giant, small):
        both = replace(instance, jobs=(*instance.jobs, other))
        certificate = tree_certificate(both, Fraction(10), one_leaf(bound="21/2"))
        found = coq_terms(both, certificate)
        terms.append(f"check_l2 {found.instance} ({found.certificate})")
    assert verdicts(HEADER, terms) == [True, False]


def branching():
    """Three GPUs, gangs of two, two rounds: 10 + 4 is the best."""
    price = [{"round": t, "type": "V100", "price": p} for t, p in ((0, "4"), (1, "2"))]
    cuts = [cut(price="6"), cut(price="4") | {"round": 1}]
    ask = {"job": "a", "kind": "completion", "round": 0}
    leaf = {"prices": 1, "cuts": [cut(price="10"), cut(price="4") | {"round": 1}], "bound": "14"}
    return {
        "price_vectors": [price, []],
        "nodes": [{"branch": ask, "yes": 1, "no": 2}, leaf, {**leaf, "cuts": [*leaf["cuts"]]}],
        "unused": cuts,
    }


@needs_coq
def test_tampered_trees_are_rejected():
    instance = crowd(3, 2)
    tree = branching()
    del tree["unused"]
    good = tree_certificate(instance, Fraction(14), tree, one_by_one(0, 1, None))
    assert accepted(export_coq(instance, good))
    root, yes, no = tree["nodes"]
    unbounded = {key: value for key, value in no.items() if key != "bound"}
    same = {**tree, "nodes": [{**root, "branch": {**root["branch"], "round": 1}}, yes, no]}
    bare = {**tree, "nodes": [root, yes, {**no, "cuts": []}]}
    silent = {**tree, "nodes": [root, yes, unbounded]}
    for claim in (
        replace(good, bound=Fraction(13)),
        replace(good, tree=bare),
        replace(good, tree=silent),
    ):
        assert not accepted(export_coq(instance, claim))
    assert accepted(export_coq(instance, replace(good, tree=same)))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"nodes": branching()["nodes"][:2]}, r"nodes\[2\]"),
        ({"nodes": [{**branching()["nodes"][0], "no": 1}, *branching()["nodes"][1:]]}, "again"),
        ({"nodes": [{**branching()["nodes"][0], "yes": 0}]}, "again"),
        ({"price_vectors": [[]]}, r"nodes\[1\].prices"),
        ({"extra": 1}, "extra"),
    ],
)
def test_malformed_trees_name_their_place(change, place):
    instance = crowd(3, 2)
    tree = {**branching(), **change}
    tree.pop("unused")
    with pytest.raises(CertificateError, match=place):
        export_coq(instance, tree_certificate(instance, Fraction(14), tree))


@needs_coq
def test_progress_branches_close_what_completion_branches_do():
    cluster = Cluster.of({"n0": {"V100": 1}})
    jobs = tuple(Job(n, 0, 1, 2, {"V100": 1}, Linear(7, 2)) for n in "ab")
    instance = Instance(cluster, jobs, 3, 1)
    ask = {"job": "a", "kind": "progress", "round": 0, "at_least": 1}
    prices = [
        {"round": t, "type": "V100", "price": p} for t, p in ((0, "5/2"), (1, "5/2"), (2, "1/2"))
    ]
    nodes = [
        {"branch": ask, "yes": 1, "no": 2},
        *({"prices": 0, "bound": "11/2"} for _ in range(2)),
    ]
    tree = {"price_vectors": [prices], "nodes": nodes}
    runs = tuple(Allocation(t, ((0, 0, 1),)) for t in (0, 1))
    certificate = tree_certificate(instance, Fraction(5), tree, Schedule((runs, ())))
    assert "Theorem optimal" in export_coq(instance, certificate)
    assert accepted(export_coq(instance, certificate))
    assert not accepted(export_coq(instance, replace(certificate, bound=Fraction(4))))
