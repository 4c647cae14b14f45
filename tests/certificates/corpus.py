"""Certificates on which both verifiers have to give the same verdict.

Genuine ones of the package's own provers, the same tampered with, and random trees: questions of
every kind, trivial and contradictory ones among them, with claims at, above and below what Python
proves. Every case comes from a seed.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from hadaropt import Instance, Schedule
from hadaropt.certificates import Certificate, certify, verify
from hadaropt.certificates.coq import coq_terms
from hadaropt.errors import CertificateError
from hadaropt.offline.tree.branch_and_price import branch_and_price
from tests.certificates.odd import odd_instance
from tests.certificates.samples import with_tree

Json = dict[str, Any]
Case = tuple[str, Instance, Certificate]


def python_accepts(instance: Instance, certificate: Certificate) -> bool:
    """Return the verdict of the Python verifier."""
    try:
        verify(instance, certificate)
    except CertificateError:
        return False
    return True


def coq_question(instance: Instance, certificate: Certificate) -> str:
    """Return the Coq term of type bool whose value is the verdict of the verified checker."""
    try:
        return coq_terms(instance, certificate).verdict()
    except CertificateError:
        return "false"


def cases(seed: int) -> Iterator[Case]:
    """Yield the certificates of one seed."""
    rng = Random(seed)
    instance = odd_instance(rng, max_jobs=2)
    yield from genuine(rng, instance)
    for _ in range(3):
        yield from random_tree(rng, instance)


def genuine(rng: Random, instance: Instance) -> Iterator[Case]:
    """Yield what the package proves, L1 and L2, and the same with one claim changed."""
    result = branch_and_price(instance)
    prices = random_prices(rng, instance, rng.random() < 0.5)
    for kind, made in (
        ("tree", certify(instance, result)),
        ("prices", certify(instance, prices, schedule=result.schedule)),
    ):
        yield f"genuine {kind}", instance, made
        assert made.bound is not None
        step = instance.value_unit * rng.choice((1, Fraction(1, 2), -1, Fraction(-1, 7)))
        yield "bound moved", instance, replace(made, bound=made.bound + step)
        yield "value moved", instance, replace(made, value=made.value + step)
        if made.level == "L1" and made.upper_payoffs:
            name = rng.choice(sorted(made.upper_payoffs))
            payoffs = {**made.upper_payoffs, name: made.upper_payoffs[name] + step}
            # Coq says nothing about the slack: claim what there is of it.
            slack = max(step, Fraction(0))
            for bound in (made.bound, made.bound + step):
                changed = replace(made, upper_payoffs=payoffs, bound=bound, slack=slack)
                yield "payoff moved", instance, changed
        elif made.tree is not None:
            yield "tree moved", instance, replace(made, tree=moved(rng, made.tree, step))


def moved(rng: Random, tree: Json, step: Fraction) -> Json:
    """Return a tree with one node changed."""
    tree = copy.deepcopy(tree)
    node = rng.choice(tree["nodes"])
    if "branch" not in node:
        node["bound"] = str(Fraction(node["bound"]) + step)
        if node.get("cuts") and rng.random() < 0.5:
            node["cuts"].pop()
    elif rng.random() < 0.5:
        node["yes"], node["no"] = node["no"], node["yes"]
    elif "at_least" in node["branch"]:
        node["branch"]["at_least"] = max(0, node["branch"]["at_least"] + rng.choice((1, -1)))
    else:
        node["branch"]["round"] = 0
    return tree


def random_prices(
    rng: Random, instance: Instance, by_node: bool
) -> dict[tuple[int, ...], Fraction]:
    """Return prices on types or on nodes, many of them 0."""
    cluster = instance.cluster
    nodes, types = range(len(cluster.nodes)), range(len(cluster.accelerators))
    prices: dict[tuple[int, ...], Fraction] = {}
    for t in range(instance.num_rounds):
        for r in types:
            for h in nodes if by_node else (None,):
                price = Fraction(rng.choice((0, 0, 1, 3, 5, Fraction(5, 2), 12)))
                if price:
                    prices[(t, r) if h is None else (t, h, r)] = price
    if by_node and not prices:
        prices[0, 0, 0] = Fraction(1)
    return prices


def random_tree(rng: Random, instance: Instance) -> Iterator[Case]:
    """Yield trees of random questions whose leaves claim what Python proves, and a little less."""
    cluster = instance.cluster
    pool = rng.choice(("type", "node"))
    vectors = [random_prices(rng, instance, pool == "node") if rng.random() < 0.7 else {}]
    entries = [
        [
            {
                "round": place[0],
                **({"node": cluster.nodes[place[1]]} if pool == "node" else {}),
                "type": cluster.accelerators[place[-1]],
                "price": str(price),
            }
            for place, price in vector.items()
        ]
        for vector in vectors
    ]
    nodes: list[Json] = []

    def grow(depth: int) -> int:
        index = len(nodes)
        nodes.append({"prices": 0})
        if depth and rng.random() < 0.8:
            ask = question(rng, instance, pool)
            nodes[index] = {"branch": ask, "yes": grow(depth - 1), "no": grow(depth - 1)}
        return index

    grow(rng.choice((0, 1, 2, 2, 3)))
    tree: Json = {"price_vectors": entries, "nodes": nodes}
    huge = Fraction(10**6)

    def certificate(claims: Json, bound: Fraction) -> Certificate:
        return replace(with_tree(instance, claims, bound, Schedule.empty(instance)), pool=pool)

    # Python says what each leaf proves; a leaf that none obeys is said to be worth less than 0.
    leaves = [i for i, node in enumerate(nodes) if "branch" not in node]
    for i in leaves:
        nodes[i]["bound"] = str(huge)
    proved: dict[int, Fraction] = {}
    for i in leaves:
        del nodes[i]["bound"]
        try:
            verify(instance, certificate(tree, huge))
        except CertificateError as said:
            if said.path == f"tree.nodes[{i}].bound":
                proved[i] = Fraction(said.rule.split()[4].rstrip(","))
        nodes[i]["bound"] = str(huge)
    for i in leaves:
        nodes[i]["bound"] = str(proved.get(i, Fraction(-1)))
    bound = max([Fraction(0), *(instance.round_down(b) for b in proved.values())])
    yield "random tree", instance, certificate(tree, bound)
    yield "random tree, bound raised", instance, certificate(tree, bound + instance.value_unit)
    for i in leaves:
        less = copy.deepcopy(tree)
        if i in proved:
            less["nodes"][i]["bound"] = str(proved[i] - Fraction(1, 1000))
            yield "random tree, a leaf below", instance, certificate(less, bound)
            low = copy.deepcopy(less)
            del low["nodes"][i]["bound"]
            yield "random tree, a leaf silent", instance, certificate(low, bound)


def question(rng: Random, instance: Instance, pool: str) -> Json:
    """Return a question of any kind, trivial ones among them."""
    j = rng.randrange(len(instance.jobs))
    ask: Json = {"job": instance.jobs[j].name, "round": rng.randrange(instance.num_rounds)}
    kind = rng.choice(("completion", "progress", "progress", "held"))
    if kind == "completion":
        return {**ask, "kind": kind}
    if kind == "progress":
        made = {p for p in instance.progress(j) + instance.progress(j, spread=True)}
        made |= {p * n for p in instance.progress(j, copies=True) for n in (1, 2)}
        least = max(0, rng.choice(sorted(made)) + rng.choice((0, 0, 1, -1)))
        return {**ask, "kind": kind, "at_least": rng.choice((least, least, 0, 1))}
    cluster = instance.cluster
    place = {"type": rng.choice(cluster.accelerators)}
    if pool == "node":
        place["node"] = rng.choice(cluster.nodes)
    return {**ask, "kind": kind, "at_least": rng.choice((0, 1, 1, 2, 3)), **place}
