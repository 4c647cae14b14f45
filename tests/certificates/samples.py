"""Small instances with true certificates of every level, to be tampered with."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hadaropt import Allocation, Cluster, Instance, Job, Schedule, certify, instance_sha256
from hadaropt.certificates import Certificate
from hadaropt.certificates.format import certificate_to_document
from hadaropt.io import schedule_to_document
from hadaropt.utility import Linear, Table

Json = dict[str, Any]


def pair(**changes: Any) -> Instance:
    """Two nodes of two GPUs; a and b compete for V100; the optimum is 253/2."""
    jobs = (
        Job("a", 0, 2, 4000, {"V100": "4.0", "P100": "1.5"}, Linear(100, 4)),
        Job("b", 1, 2, 1000, {"V100": "2.0", "P100": "0.7"}, Linear("40.5", 3)),
        Job("c", 0, 8, 10, {"V100": 1}, Linear(5, 1)),
    )
    fields = {"num_rounds": 6, "round_seconds": 360, "name": "small"} | changes
    return Instance(Cluster.of({"n0": {"V100": 2}, "n1": {"P100": 2}}), jobs, **fields)


def pair_schedule() -> Schedule:
    a = tuple(Allocation(t, ((0, 0, 2),)) for t in range(3))
    b = tuple(Allocation(t, ((h, r, 2),)) for t, h, r in ((1, 1, 1), (2, 1, 1), (3, 0, 0)))
    return Schedule((a, b, ()))


TYPE_PRICES = {(0, 0): Fraction(1, 2), (2, 0): Fraction(7, 3), (3, 1): Fraction(2)}
NODE_PRICES = {(0, 0, 0): Fraction(1, 2), (2, 0, 0): Fraction(7, 3), (3, 1, 1): Fraction(2)}


def crowd(gpus: int, rounds: int = 1) -> Instance:
    """Three gangs of two, each worth 10 at once, then 4; one fits on three GPUs."""
    jobs = tuple(Job(name, 0, 2, 3, {"V100": 3}, Table((10, 4)[:rounds])) for name in "abc")
    return Instance(Cluster.of({"n0": {"V100": gpus}}), jobs, rounds, 1)


def cut(rhs: int = 1, price: str = "10", names: str = "abc", t: int = 0, a: int = 1) -> Json:
    return {
        "round": t,
        "types": ["V100"],
        "coefficients": dict.fromkeys(names, a),
        "rhs": rhs,
        "price": price,
    }


def branched() -> Json:
    """The tree of crowd(3, 2): 10 + 4 is the best."""
    ask = {"job": "a", "kind": "completion", "round": 0}
    leaf = {"prices": 0, "cuts": [cut(price="10"), cut(price="4", t=1)], "bound": "14"}
    return {
        "price_vectors": [[]],
        "nodes": [{"branch": ask, "yes": 1, "no": 2}, leaf, {**leaf}],
    }


def branched_on_gpus() -> Json:
    """The same by a decision about GPUs, with a cut of two terms."""
    ask = {"job": "a", "kind": "held", "round": 0, "type": "V100", "at_least": 1}
    first = {**cut(price="10"), "more_terms": [{"types": ["V100"], "coefficients": {}}]}
    leaf = {"prices": 0, "cuts": [first, cut(price="4", t=1)], "bound": "14"}
    return {
        "price_vectors": [[]],
        "nodes": [{"branch": ask, "yes": 1, "no": 2}, leaf, {**leaf}],
    }


def with_tree(
    instance: Instance, tree: Json, bound: Fraction, schedule: Schedule | None = None
) -> Certificate:
    plan = schedule or Schedule.empty(instance)
    document = schedule_to_document(instance, plan)
    value = Fraction(document["objective"])  # type: ignore[arg-type]
    sha = instance_sha256(instance)
    return Certificate(sha, "L2", instance.parallelism, value, document, bound=bound, tree=tree)


def one_by_one(*rounds: int | None) -> Schedule:
    """Job j runs alone on two GPUs of n0 in round rounds[j]; not at all if that is None."""
    return Schedule(tuple(() if t is None else (Allocation(t, ((0, 0, 2),)),) for t in rounds))


def true_documents() -> dict[str, tuple[Instance, Json]]:
    """Return an instance and a true certificate document of every level."""
    instance, schedule = pair(), pair_schedule()
    crowded = crowd(3, 2)
    tree, gpus = (
        with_tree(crowded, made, Fraction(14), one_by_one(0, 1, None))
        for made in (branched(), branched_on_gpus())
    )
    certificates = {
        "L0": (instance, certify(instance, None, schedule=schedule)),
        "L1": (instance, certify(instance, TYPE_PRICES, schedule=schedule)),
        "L1 by node": (instance, certify(instance, NODE_PRICES, schedule=schedule)),
        "L2": (crowded, tree),
        "L2 on GPUs": (crowded, gpus),
    }
    return {
        name: (problem, certificate_to_document(problem, certificate))
        for name, (problem, certificate) in certificates.items()
    }
