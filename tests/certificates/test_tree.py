"""Leaves of branching trees prove what the brute-force oracle says, and no less is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from hadaropt import Cluster, Instance, Job, verify
from hadaropt.certificates import covering, options
from hadaropt.certificates import tree as trees
from hadaropt.certificates.options import levels_of
from hadaropt.certificates.tree import _check_cut, tree_bounds
from hadaropt.certificates.tree_document import Cut
from hadaropt.errors import CertificateError
from hadaropt.io import instance_from_document
from hadaropt.utility import Linear, Step, Table
from tests import oracle
from tests.certificates.samples import branched, crowd, cut, one_by_one, with_tree
from tests.certificates.small_trees import TooLargeError, grow, payoff
from tests.instances_strategy import tiny_instances

Json = dict[str, Any]


def proves(instance: Instance, tree: Json, pool: str = "type") -> list[Fraction]:
    """Return what the leaves prove: each is asked to prove nothing, and says what it does."""
    bounds = []
    for i, node in enumerate(tree["nodes"]):
        if "branch" in node:
            continue
        others = [
            {**n, "bound": "1000000"} if k != i and "branch" not in n else n
            for k, n in enumerate(tree["nodes"])
        ]
        others[i] = {key: value for key, value in node.items() if key != "bound"}
        certificate = with_tree(instance, {**tree, "nodes": others}, Fraction(0))
        certificate = replace(certificate, pool=pool)
        try:
            tree_bounds(instance, certificate)
        except CertificateError as said:
            assert said.path == f"tree.nodes[{i}].bound"
            bounds.append(Fraction(said.rule.split()[4].rstrip(",")))
        else:
            bounds.append(None)
    return bounds


def true_payoff(
    document: Json, j: int, prices: oracle.Prices, answers: list[tuple[Any, bool]]
) -> Fraction | None:
    """Best value minus cost over the schedules of job j that obey; None if there is none.

    They end with the completion, as every schedule can be cut to do.
    """
    job, horizon = document["jobs"][j], oracle.num_rounds(document)
    need, release = oracle.iterations(job), oracle.release(job)
    options = [(o.progress, o) for o in oracle.round_options(document, job)]

    def obeys(made: list[int], finish: int | None) -> bool:
        for (kind, _, t, least), answer in answers:
            true = finish is not None and finish <= t if kind == "completion" else made[t] >= least
            if true != answer:
                return False
        return True

    def best(t: int, made: list[int]) -> Fraction | None:
        if sum(made) >= need or t == horizon:
            finish = t - 1 if sum(made) >= need else None
            if not obeys(made + [0] * (horizon - t), finish):
                return None
            if finish is None:
                return Fraction(0)
            return oracle.utility(document, job, finish - release + 1)
        found = [best(t + 1, [*made, 0])]
        if t >= release:
            least: dict[int, Fraction] = {}
            for progress, option in options:
                cost = oracle.option_cost(option, t, prices)
                least[progress] = min(cost, least.get(progress, cost))
            for progress, cost in least.items():
                if progress > 0:
                    rest = best(t + 1, [*made, progress])
                    found.append(None if rest is None else rest - cost)
        return max((x for x in found if x is not None), default=None)

    return best(0, [])


def counted_payoff(
    document: Json, j: int, prices: oracle.Prices, answers: list[tuple[Any, bool]]
) -> Fraction | None:
    """Best payoff where GPUs may also be used more slowly, and what does not complete is free."""
    ends = [
        (("completion", j, t - 1, 0), False)
        for (kind, _, t, least), answer in answers
        if kind == "progress" and answer and least >= 1 and t >= 1
    ]
    return payoff(document, j, prices, [*answers, *ends])


def leaf_bounds(document: Json, tree: Json, of_job: Any) -> list[Fraction | None]:
    """Return the bound of each leaf from the payoffs of the jobs under its answers."""
    prices = [
        {(e["round"], e["type"]): Fraction(e["price"]) for e in vector}
        for vector in tree["price_vectors"]
    ]
    names = [job["name"] for job in document["jobs"]]
    counts = oracle.capacity(document)
    bounds: dict[int, Fraction | None] = {}
    stack: list[tuple[int, list[tuple[Any, bool]]]] = [(0, [])]
    while stack:
        i, answers = stack.pop()
        node = tree["nodes"][i]
        if "branch" in node:
            ask = node["branch"]
            j = names.index(ask["job"])
            decision = (ask["kind"], j, ask["round"], ask.get("at_least", 0))
            stack += [
                (node["yes"], [*answers, (decision, True)]),
                (node["no"], [*answers, (decision, False)]),
            ]
            continue
        vector = prices[node["prices"]]
        payoffs = [
            of_job(document, j, vector, [a for a in answers if a[0][1] == j])
            for j in range(len(names))
        ]
        rent = sum(
            (
                n * vector.get((t, r), 0)
                for (_, r), n in counts.items()
                for t in range(oracle.num_rounds(document))
            ),
            Fraction(0),
        )
        bounds[i] = None if None in payoffs else rent + sum(payoffs, Fraction(0))
    return [bounds[i] for i in sorted(bounds)]


@given(tiny_instances(min_jobs=2, max_jobs=2, max_rounds=3, max_nodes=2, max_types=2))
@settings(max_examples=150, deadline=None)
def test_leaves_prove_what_the_oracle_says(document: Json) -> None:
    instance = instance_from_document(document)
    value, _ = oracle.optimum(document)
    try:
        tree = grow(document, value, instance.value_unit, limit=20)
    except TooLargeError:
        return
    event(f"{len(tree['nodes']) // 4 * 4} nodes or more")
    proved = proves(instance, tree)
    truths = leaf_bounds(document, tree, true_payoff)
    loose = leaf_bounds(document, tree, counted_payoff)
    for found, low, high in zip(proved, truths, loose, strict=True):
        assert low is None or (found is not None and found >= low)
        assert found is None or (high is not None and found <= high)
    found = verify(instance, with_tree(instance, tree, value))
    assert (found.bound, found.value) == (value, 0)


def test_cuts_close_what_prices_alone_leave_open() -> None:
    instance = crowd(3, 2)
    certificate = with_tree(instance, branched(), Fraction(14), one_by_one(0, 1, None))
    found = verify(instance, certificate)
    assert found.proved and (found.bound, found.slack, found.level) == (14, None, "L2")
    assert tree_bounds(instance, certificate) == [14, 14]
    for low in (Fraction(13), Fraction(27, 2)):
        with pytest.raises(CertificateError, match="must be 14"):
            verify(instance, replace(certificate, bound=low))


@pytest.mark.parametrize(
    ("gpus", "entry", "bound"),
    [
        (3, cut(), 10),
        (3, cut(price="9"), 12),
        (3, cut(names="ab"), 20),
        (3, cut(price="0"), 30),
        (3, cut(price="11"), 11),
        (3, cut(rhs=2), 20),
        (3, cut(rhs=3), 30),
        (5, cut(rhs=2), 20),
        (3, cut(a=2, rhs=2, price="5"), 10),
    ],
)
def test_a_leaf_pays_its_cuts(gpus: int, entry: Json, bound: int) -> None:
    instance = crowd(gpus)
    tree = {"price_vectors": [[]], "nodes": [{"prices": 0, "cuts": [entry]}]}
    assert proves(instance, tree) == [bound]


@pytest.mark.parametrize(
    ("gpus", "entry"),
    [
        (4, cut()),
        (3, cut(rhs=0)),
        (6, cut(rhs=2)),
        (3, cut(a=2, rhs=1)),
        (3, {**cut(), "coefficients": {"a": 2, "b": 1, "c": 1}}),
        (2, cut(rhs=0)),
        (3, {**cut(rhs=0), "coefficients": {"b": 1, "c": 1}}),
        (3, {**cut(rhs=0), "coefficients": {"a": 1, "c": 1}}),
    ],
)
def test_cuts_that_do_not_hold_are_refused(gpus: int, entry: Json) -> None:
    tree = {"price_vectors": [[]], "nodes": [{"prices": 0, "cuts": [entry], "bound": "1000"}]}
    with pytest.raises(CertificateError, match="must hold for all gangs"):
        tree_bounds(crowd(gpus), with_tree(crowd(gpus), tree, Fraction(0)))


def test_a_leaf_pays_prices_and_cuts_together() -> None:
    prices = [{"round": 0, "type": "V100", "price": "1/3"}]
    leaf = {"prices": 0, "cuts": [cut(price="5/2")]}
    # Each pays 2/3 + 5/2 of 10; three GPUs at 1/3 and the right side at 5/2 are 7/2.
    each = 10 - Fraction(2, 3) - Fraction(5, 2)
    tree = {"price_vectors": [prices], "nodes": [leaf]}
    assert proves(crowd(3), tree) == [3 * each + 1 + Fraction(5, 2)]
    twice = {"price_vectors": [prices], "nodes": [{**leaf, "cuts": [cut(price="5/4")] * 2}]}
    assert proves(crowd(3), twice) == [3 * each + 1 + Fraction(5, 2)]
    # A leaf without cuts that shares the prices is not charged.
    ask = {"job": "a", "kind": "completion", "round": 0}
    nodes = [{"branch": ask, "yes": 1, "no": 2}, leaf, {"prices": 0}]
    free = Fraction(28, 3)
    found = proves(crowd(3), {"price_vectors": [prices], "nodes": nodes})
    assert found == [3 * each + 1 + Fraction(5, 2), 2 * free + 1]


def test_a_slower_level_outside_the_types_of_a_cut_is_free() -> None:
    """On P100, or mixed at its speed, a round suffices too."""
    cluster = Cluster.of({"n": {"V100": 3, "P100": 6}})
    jobs = tuple(Job(name, 0, 2, 4, {"V100": 8, "P100": 4}, Table((10, 4))) for name in "abc")
    tree = {"price_vectors": [[]], "nodes": [{"prices": 0, "cuts": [cut(price="9")]}]}
    assert proves(Instance(cluster, jobs, 2, 1), tree) == [3 * 10 + 9]
    assert proves(Instance(cluster, jobs, 2, 1, "single_type"), tree) == [3 * 10 + 9]


def test_charges_of_any_size_are_exact() -> None:
    """16 * 2**59 is beyond 64 bits; a small coefficient beside it changes nothing."""
    entry = {**cut(rhs=16, price=str(2**59)), "coefficients": {"a": 16, "b": 1, "c": 1}}
    tree = {"price_vectors": [[]], "nodes": [{"prices": 0, "cuts": [entry]}]}
    assert proves(crowd(3), tree) == [16 * 2**59]
    free = {**tree, "nodes": [{"prices": 0, "cuts": [{**entry, "coefficients": {"a": 16}}]}]}
    assert proves(crowd(3), free) == [16 * 2**59 + 20]


def test_right_sides_of_any_size_are_allowed() -> None:
    entry = cut(rhs=2_000_000_000, price="0")
    tree = {"price_vectors": [[]], "nodes": [{"prices": 0, "cuts": [entry]}]}
    assert proves(crowd(3), tree) == [30]


def test_large_gangs_and_clusters_are_counted_in_full() -> None:
    jobs = tuple(Job(name, 0, 100, 3, {"V100": 3}, Table((10,))) for name in "abc")
    instance = Instance(Cluster.of({"n0": {"V100": 150}}), jobs, 1, 1)
    tree = {"price_vectors": [[]], "nodes": [{"prices": 0, "cuts": [cut()]}]}
    assert proves(instance, tree) == [10]


def test_copies_are_not_charged() -> None:
    cluster = Cluster.of({"n0": {"V100": 1}, "n1": {"V100": 1}})
    job = Job("a", 0, 1, 2, {"V100": 1}, Table((10, 6)))
    instance = Instance(cluster, (job,), 2, 1, "forked")
    tree = {"price_vectors": [[]], "nodes": [{"prices": 0, "cuts": [cut(names="a", price="50")]}]}
    assert proves(instance, tree) == [10 + 50]
    alone = instance.with_parallelism("mixed")
    assert proves(alone, tree) == [0 + 50]


def on_node(node: str, **changes: Any) -> Json:
    return {**cut(**changes), "node": node}


def two_nodes(parallelism: str = "forked") -> Instance:
    """A job that completes at once as two copies on V100 and K80, and later on either alone."""
    cluster = Cluster.of({"n0": {"V100": 1}, "n1": {"K80": 1}})
    job = Job("a", 0, 1, 3, {"V100": 2, "K80": 1}, Table((10, 6, 5)))
    return Instance(cluster, (job,), 3, 1, parallelism)


@pytest.mark.parametrize(
    ("entry", "parallelism", "payoff"),
    [
        (on_node("n0", names="a", price="3"), "forked", 10 - 3),
        (on_node("n0", names="a", price="50"), "forked", 6),  # on K80 alone, then both
        ({**on_node("n1", names="a", price="1"), "types": ["K80"]}, "forked", 10 - 1),
        ({**on_node("n1", names="a", price="9"), "types": ["K80"]}, "forked", 6),  # on V100 alone
        (on_node("n1", names="a", price="9"), "forked", 10),  # types that the copy is not within
        (on_node("n0", names="a", price="2"), "mixed", 6),  # at the level of K80 first
        # Where K80 is admitted, V100 is too: the only gang need not be on n1.
        ({**on_node("n1", names="a", price="9"), "types": ["K80"]}, "mixed", 6),
    ],
)
def test_a_cut_on_a_node_charges_what_is_inside(entry: Json, parallelism: str, payoff: int) -> None:
    instance = two_nodes(parallelism)
    tree = {"price_vectors": [[]], "nodes": [{"prices": 0, "cuts": [entry]}]}
    assert proves(instance, tree) == [payoff + Fraction(entry["price"])]


def test_a_cut_on_a_node_charges_the_only_gang_where_no_other_node_has_its_types() -> None:
    instance = one_job(rounds=2)
    tree = {"price_vectors": [[]], "nodes": [{"prices": 0, "cuts": [on_node("n", names="a")]}]}
    tree["nodes"][0]["cuts"][0]["price"] = "3"
    assert proves(instance, tree) == [9 - 3 + 3]
    apart = replace(instance, cluster=Cluster.of({"n": {"V100": 1}, "m": {"V100": 1, "P100": 1}}))
    assert proves(apart, tree) == [9 + 3]


def test_a_cut_on_a_node_is_refused_where_more_fits() -> None:
    instance = replace(crowd(3), parallelism="forked")
    leaf = {"prices": 0, "cuts": [on_node("n0")], "bound": "10"}
    tree = {"price_vectors": [[]], "nodes": [leaf]}
    certificate = with_tree(instance, tree, Fraction(10))
    assert tree_bounds(instance, certificate) == [10]
    four = replace(crowd(4), parallelism="forked")
    with pytest.raises(CertificateError, match="some reach 2 > 1"):
        tree_bounds(four, with_tree(four, tree, Fraction(10)))
    leaf["cuts"] = [on_node("n9")]
    with pytest.raises(CertificateError, match=r"cuts\[0\].node"):
        tree_bounds(instance, with_tree(instance, tree, Fraction(10)))


def mixed_crowd() -> Instance:
    """Gangs of two on three V100 or on plenty of P100 at half the speed."""
    cluster = Cluster.of({"n": {"V100": 3, "P100": 6}})
    jobs = tuple(Job(name, 0, 2, 4, {"V100": 4, "P100": 2}, Table((10, 4))) for name in "abc")
    return Instance(cluster, jobs, 2, 1)


def test_a_cut_charges_gangs_inside_its_types_only() -> None:
    """On V100 each is worth 10; on P100 (or mixed, slowly) 4: outside the cut's types."""
    instance = mixed_crowd()
    tree = {"price_vectors": [[]], "nodes": [{"prices": 0, "cuts": [cut(price="3")]}]}
    # Each pays 3 for round 0 on V100 alone and earns 7, and 3 is the right side.
    assert proves(instance, tree) == [3 * 7 + 3]
    dear = {"price_vectors": [[]], "nodes": [{"prices": 0, "cuts": [cut(price="9")]}]}
    # 4 by two slow rounds outside the types beats 10 - 9.
    assert proves(instance, dear) == [3 * 4 + 9]
    wide = {**cut(price="9", rhs=3), "types": ["V100", "P100"]}
    both = {"price_vectors": [[]], "nodes": [{"prices": 0, "cuts": [wide]}]}
    # Every gang of round 0 pays; waiting for round 1 on V100 earns 4 and pays nothing.
    assert proves(instance, both) == [3 * 4 + 27]


def one_job(release: int = 0, rounds: int = 4) -> Instance:
    """Two rounds of work on one GPU, worth 9, 8, 7, 6 by flow time."""
    job = Job("a", release, 1, 4, {"V100": 2, "P100": 1}, Linear(10, 1))
    return Instance(Cluster.of({"n": {"V100": 1, "P100": 1}}), (job,), rounds, 1)


def path(*answers: tuple[Json, bool], prices: list[Json] | None = None) -> Json:
    """Return a tree whose first leaf has these answers; the others prove whatever they do."""
    nodes: list[Json] = []
    for k, (ask, answer) in enumerate(answers):
        go, away = 2 * k + 2, 2 * k + 1
        nodes += [
            {
                "branch": ask,
                **dict(zip(("yes", "no") if answer else ("no", "yes"), (go, away), strict=True)),
            }
        ]
        nodes += [{"prices": 0, "bound": "1000000"}]
    return {"price_vectors": [prices or []], "nodes": [*nodes, {"prices": 0}]}


def completes(t: int) -> Json:
    return {"job": "a", "kind": "completion", "round": t}


def runs(t: int, at_least: int = 1) -> Json:
    return {"job": "a", "kind": "progress", "round": t, "at_least": at_least}


@pytest.mark.parametrize(
    ("answers", "payoff"),
    [
        ([], 9),
        ([(completes(1), True)], 9),
        ([(completes(0), True)], None),
        ([(completes(1), False)], 8),
        ([(completes(2), False)], 7),
        ([(completes(3), False)], 0),
        ([(completes(1), False), (completes(2), True)], 8),
        ([(completes(2), True), (completes(1), False)], 8),
        ([(completes(2), False), (completes(1), True)], None),
        ([(runs(0), False)], 8),
        ([(runs(0, 2), False)], 8),
        ([(runs(0, 3), False)], 9),
        ([(runs(0, 0), False)], None),
        ([(runs(0, 0), True)], 9),
        ([(runs(3, 0), True)], 9),
        ([(runs(0, 3), False), (runs(0, 1), False)], 8),
        ([(runs(0, 1), False), (runs(0, 3), False)], 8),
        ([(runs(0), True), (runs(1, 3), True)], None),
        ([(runs(0, 3), True)], None),
        ([(runs(0), True)], 9),
        ([(runs(3), True)], 7),
        ([(runs(3), True), (completes(2), True)], None),
        ([(runs(1), True), (runs(1, 2), False)], 8),
        ([(runs(1, 2), True), (runs(1, 2), False)], None),
        ([(runs(1, 2), True), (runs(1, 1), False)], None),
        ([(runs(1, 1), True), (runs(1, 2), True), (runs(0), False)], 8),
        ([(runs(1, 2), True), (runs(1, 1), True), (runs(0), False)], 8),
        ([(runs(1, 2), False), (runs(1, 1), False)], 8),
        ([(runs(0), False), (runs(1), False), (runs(2), False)], 0),
        ([(runs(0), False), (runs(1), False), (runs(2), False), (completes(3), True)], None),
    ],
)
def test_answers_limit_the_payoff(answers: list[tuple[Json, bool]], payoff: int | None) -> None:
    assert proves(one_job(), path(*answers))[-1] == payoff


@pytest.mark.parametrize(
    ("answers", "payoff"),
    [
        # Price 5 in round 0, 1 elsewhere, for both types: 6 rounds x ... of capacity cost.
        ([], 8 - 2),
        ([(runs(0), True)], 9 - 6),
        ([(completes(1), True)], 9 - 6),
        ([(completes(2), False)], 7 - 2),
        ([(completes(3), False)], 0),
        ([(completes(3), False), (runs(0), True)], -5),
        ([(completes(3), False), (runs(0), True), (runs(1), True)], None),
        ([(runs(1), True), (runs(2), True)], 8 - 2),
    ],
)
def test_forced_rounds_are_paid_even_without_completion(
    answers: list[tuple[Json, bool]], payoff: int | None
) -> None:
    prices = [
        {"round": t, "type": r, "price": "5" if t == 0 else "1"}
        for t in range(4)
        for r in ("V100", "P100")
    ]
    rent = 2 * (5 + 1 + 1 + 1)
    found = proves(one_job(), path(*answers, prices=prices))[-1]
    if answers[:1] == [(completes(3), False)] and len(answers) == 3:
        # Running in rounds 0 and 1 completes in round 1 at full speed; slowly it need not.
        assert found == rent - 6
    else:
        assert found == (None if payoff is None else rent + payoff)


@pytest.mark.parametrize(
    ("release", "answers", "payoff"),
    [
        (2, [], 9),
        (2, [(runs(1), True)], None),
        (2, [(runs(1), False)], 9),
        (2, [(completes(1), True)], None),
        (2, [(completes(2), False)], 9),
        (4, [(completes(3), True)], None),
        (4, [(completes(3), False)], 0),
        (5, [(runs(3), True)], None),
        (5, [(runs(3), False)], 0),
    ],
)
def test_answers_and_releases(
    release: int, answers: list[tuple[Json, bool]], payoff: int | None
) -> None:
    assert proves(one_job(release), path(*answers))[-1] == payoff


def test_a_job_without_options_cannot_be_made_to_run() -> None:
    cluster = Cluster.of({"n": {"V100": 1, "P100": 0}})
    instance = Instance(cluster, (Job("a", 0, 1, 4, {"P100": 1}, Linear(10, 1)),), 4, 1)
    assert proves(instance, path((runs(0), True)))[-1] is None
    assert proves(instance, path((runs(0), False)))[-1] == 0


@pytest.mark.parametrize("answers", [[], [(runs(0), True)], [(runs(0), False)]])
def test_leaves_with_relaxed_payoffs_never_prove_too_little(
    answers: list[tuple[Json, bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = tuple(Job(name, 0, 1, 7, {"V100": 5, "P100": 3}, Linear(20, 3)) for name in ("a", "b"))
    instance = Instance(Cluster.of({"n": {"V100": 1, "P100": 1}}), jobs, 4, 1)
    prices = [{"round": t, "type": "V100", "price": "3"} for t in range(4)]
    tree = path(*answers, prices=prices)
    exact = proves(instance, tree)[-1]
    monkeypatch.setattr(covering, "MAX_TABLE_UNITS", 0)
    monkeypatch.setattr(covering, "MAX_LABELS", 0)
    monkeypatch.setattr(covering, "RELAXED_UNITS", 2)
    relaxed = proves(instance, tree)[-1]
    assert exact is not None and relaxed is not None
    assert relaxed > exact


def test_leaves_that_nothing_obeys_need_no_bound() -> None:
    instance = one_job()
    tree = path((completes(0), True))
    tree["nodes"][1]["bound"] = "9"
    assert verify(instance, with_tree(instance, tree, Fraction(9))).bound == 9


def test_the_bound_is_the_largest_rounded_leaf_or_the_value() -> None:
    instance = one_job()
    tree = {"price_vectors": [[]], "nodes": [{"prices": 0, "bound": "19/2"}]}
    assert verify(instance, with_tree(instance, tree, Fraction(9))).bound == 9
    tree["nodes"][0]["bound"] = "21/2"
    assert verify(instance, with_tree(instance, tree, Fraction(10))).best_bound == 10


def test_prices_by_node_and_several_price_vectors() -> None:
    cluster = Cluster.of({"n0": {"V100": 1}, "n1": {"V100": 1}})
    jobs = tuple(Job(name, 0, 1, 1, {"V100": 1}, Table((10, 4))) for name in "abc")
    instance = Instance(cluster, jobs, 2, 1)
    vectors = [
        [{"round": 0, "node": n, "type": "V100", "price": p} for n, p in (("n0", "6"), ("n1", q))]
        for p, q in (("6", "6"), ("6", "5"))
    ]
    vectors = [[{**e, "price": "6"} for e in vectors[0]], vectors[1], []]
    nodes = [
        {"branch": completes(0), "yes": 1, "no": 2},
        {"prices": 0},
        {"prices": 1},
    ]
    certificate = replace(
        with_tree(instance, {"price_vectors": vectors, "nodes": nodes}, Fraction(0)), pool="node"
    )
    with pytest.raises(CertificateError) as said:
        tree_bounds(instance, certificate)
    # yes: a pays 6 (worth 4), b and c too or wait for 4; capacity 12.  no: a waits.
    assert said.value.path == "tree.nodes[1].bound"
    assert "at least 24," in said.value.rule
    nodes[1]["bound"] = "24"
    with pytest.raises(CertificateError, match=r"nodes\[2\]") as said:
        tree_bounds(instance, certificate)
    assert "at least 25," in said.value.rule
    nodes[2]["bound"] = "25"
    assert tree_bounds(instance, certificate) == [24, 25]


def test_tables_that_are_dropped_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = one_job()
    nodes = [
        {"branch": completes(1), "yes": 1, "no": 2},
        {"prices": 0, "bound": "9"},
        {"branch": completes(2), "yes": 3, "no": 4},
        {"prices": 1, "bound": "10"},
        {"prices": 0, "bound": "7"},
    ]
    vectors = [[], [{"round": 0, "type": "V100", "price": "2"}]]
    certificate = with_tree(instance, {"price_vectors": vectors, "nodes": nodes}, Fraction(10))
    kept = tree_bounds(instance, certificate)
    monkeypatch.setattr(trees, "KEPT_TABLES", 1)
    assert tree_bounds(instance, certificate) == kept == [9, 10, 7]


@st.composite
def decided(
    draw: st.DrawFn, parallelism: str | None = None
) -> tuple[Json, list[tuple[Json, bool]], dict[Any, Fraction], str]:
    """One job, decisions of every kind about it, and prices on types or nodes."""
    document = draw(tiny_instances(parallelism, min_jobs=1, max_jobs=1, max_rounds=3, max_types=2))
    horizon = oracle.num_rounds(document)
    pool = draw(st.sampled_from(("type", "node")))
    t = st.integers(0, horizon - 1)
    nodes = st.sampled_from([node["name"] for node in document["nodes"]])
    types = st.sampled_from(document["accelerators"])
    amount = st.integers(0, 4)
    where = {"type": types} | ({"node": nodes} if pool == "node" else {})
    job = st.just(document["jobs"][0]["name"])
    fixed = st.fixed_dictionaries
    asks = st.one_of(
        fixed({"job": job, "kind": st.just("completion"), "round": t}),
        fixed({"job": job, "kind": st.just("progress"), "round": t, "at_least": amount}),
        fixed({"job": job, "kind": st.just("held"), "round": t, "at_least": amount, **where}),
    )
    answers = draw(st.lists(st.tuples(asks, st.booleans()), max_size=4))
    place = st.tuples(t, nodes, types) if pool == "node" else st.tuples(t, types)
    price = st.sampled_from((0, 1, 2, Fraction(1, 3), 5)).map(Fraction)
    return document, answers, draw(st.dictionaries(place, price, max_size=6)), pool


def inside(option: oracle.Option, node: str, types: list[str]) -> bool:
    """Whether a gang of the option lies inside the types of a node."""
    here = {r for (h, r), _ in option.use if h == node}
    elsewhere = any(h != node for (h, _), _ in option.use)
    return bool(here) and here <= set(types) and (option.copies or not elsewhere)


def best_that_obeys(
    document: Json,
    prices: oracle.Prices,
    answers: list[tuple[Json, bool]],
    cuts: Sequence[Json] = (),
) -> Fraction | None:
    """Best value minus cost over all schedules of the only job that obey, by trying them all.

    What is inside the node of a cut in its round pays the price of the cut.

    Nothing runs after the completion or without progress: every schedule can be cut to that.
    """
    job, horizon = document["jobs"][0], oracle.num_rounds(document)
    need, release = oracle.iterations(job), oracle.release(job)
    options = [o for o in oracle.round_options(document, job) if o.progress > 0]

    def holds(option: oracle.Option | None, ask: Json) -> bool:
        held = 0 if option is None else sum(
            n for (h, r), n in option.use if r == ask["type"] and ask.get("node", h) == h
        )  # fmt: skip
        return held >= ask["at_least"]

    def obeys(chosen: list[oracle.Option | None], finish: int | None) -> bool:
        for ask, answer in answers:
            option = chosen[ask["round"]] if ask["round"] < len(chosen) else None
            if ask["kind"] == "completion":
                true = finish is not None and finish <= ask["round"]
            elif ask["kind"] == "progress":
                true = (0 if option is None else option.progress) >= ask["at_least"]
            else:
                true = holds(option, ask)
            if true != answer:
                return False
        return True

    best: Fraction | None = None
    stack: list[tuple[list[oracle.Option | None], int, Fraction]] = [([], 0, Fraction(0))]
    while stack:
        chosen, made, paid = stack.pop()
        t = len(chosen)
        if made >= need or t == horizon:
            finish = t - 1 if made >= need else None
            if obeys(chosen, finish):
                gain = Fraction(0)
                if finish is not None:
                    gain = oracle.utility(document, job, finish - release + 1)
                best = gain - paid if best is None else max(best, gain - paid)
            continue
        stack.append(([*chosen, None], made, paid))
        if t >= release:
            for option in options:
                cost = oracle.option_cost(option, t, prices)
                cost += sum(
                    Fraction(cut["price"]) * cut["coefficients"][job["name"]]
                    for cut in cuts
                    if cut["round"] == t and inside(option, cut["node"], cut["types"])
                )
                stack.append(([*chosen, option], made + option.progress, paid + cost))
    return best


def priced_entries(prices: dict[Any, Fraction], pool: str) -> list[Json]:
    fields = ("round", "type") if pool == "type" else ("round", "node", "type")
    return [
        {**dict(zip(fields, place, strict=True)), "price": str(price)}
        for place, price in prices.items()
    ]


def rent_of(document: Json, prices: dict[Any, Fraction]) -> Fraction:
    counts = oracle.capacity(document)
    return sum(
        (
            n * (prices.get((t, r), 0) + prices.get((t, h, r), 0))
            for (h, r), n in counts.items()
            for t in range(oracle.num_rounds(document))
        ),
        Fraction(0),
    )


@given(decided())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_schedule_that_obeys_is_worth_more_than_its_leaf_proves(
    case: tuple[Json, list[tuple[Json, bool]], dict[Any, Fraction], str],
) -> None:
    document, answers, prices, pool = case
    instance = instance_from_document(document)
    proved = proves(instance, path(*answers, prices=priced_entries(prices, pool)), pool)[-1]
    truth = best_that_obeys(document, prices, answers)
    if truth is not None:
        assert proved is not None
        assert proved >= truth + rent_of(document, prices)


@given(decided("forked"), st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_schedule_pays_less_for_cuts_on_nodes_than_its_leaf_says(
    case: tuple[Json, list[tuple[Json, bool]], dict[Any, Fraction], str], data: st.DataObject
) -> None:
    document, answers, prices, pool = case
    instance = instance_from_document(document)
    name = document["jobs"][0]["name"]
    cuts = [
        {
            "round": data.draw(st.integers(0, oracle.num_rounds(document) - 1)),
            "node": data.draw(st.sampled_from([node["name"] for node in document["nodes"]])),
            "types": data.draw(
                st.lists(st.sampled_from(document["accelerators"]), min_size=1, unique=True)
            ),
            "coefficients": {name: data.draw(st.integers(0, 2))},
            "rhs": 2,
            "price": data.draw(st.sampled_from(("0", "1", "7/2"))),
        }
        for _ in range(data.draw(st.integers(1, 3)))
    ]
    tree = path(*answers, prices=priced_entries(prices, pool))
    leaf = tree["nodes"][-1]
    leaf["cuts"] = cuts
    proved = proves(instance, tree, pool)[-1]
    truth = best_that_obeys(document, prices, answers, cuts)
    rent = rent_of(document, prices) + sum(2 * Fraction(cut["price"]) for cut in cuts)
    if truth is not None:
        assert proved is not None
        assert proved >= truth + rent


def held(t: int, at_least: int, kind: str = "V100", **more: str) -> Json:
    where = {"type": kind, **more}
    return {"job": "a", "kind": "held", "round": t, "at_least": at_least, **where}


@pytest.mark.parametrize(
    ("answers", "payoff"),
    [
        ([(held(0, 1), True)], 9),
        ([(held(0, 1), False)], 8),
        ([(held(0, 2), True)], None),
        ([(held(0, 2), False)], 9),
        ([(held(0, 0), True)], 9),
        ([(held(0, 0), False)], None),
        ([(held(0, 1, "P100"), True)], 8),
        ([(held(0, 1, "P100"), True), (held(0, 1), True)], None),
        ([(held(3, 1), True)], 7),
        ([(held(0, 1), False), (held(1, 1), False), (held(2, 1), False)], 7),
        ([(held(0, 1), True), (runs(0), False)], None),
        ([(held(0, 1), True), (runs(0, 2), False), (held(0, 1, "P100"), False)], 8),
        ([(held(0, 1), True), (held(0, 1), False)], None),
        ([(runs(0, 2), True), (held(0, 1, "P100"), True)], None),
        ([(held(0, 1, "P100"), True), (runs(0, 2), True)], None),
    ],
)
def test_answers_about_gpus_limit_the_payoff(
    answers: list[tuple[Json, bool]], payoff: int | None
) -> None:
    assert proves(one_job(), path(*answers))[-1] == payoff


def test_answers_about_gpus_pay_prices_and_cuts() -> None:
    prices = [{"round": 0, "type": "V100", "price": "1/3"}]
    cuts = [cut(price="5/2"), cut(price="1", t=1)]
    tree = path((held(0, 1), True), prices=prices)
    tree["nodes"][-1]["cuts"] = cuts
    each = 10 - Fraction(2, 3) - Fraction(5, 2)
    rest = 1 + Fraction(5, 2) + 1
    assert proves(crowd(3, 2), tree)[-1] == 3 * each + rest
    tree = path((held(0, 1), False), prices=prices)
    tree["nodes"][-1]["cuts"] = cuts
    # a runs in round 1 only: 4 less the cut there.
    assert proves(crowd(3, 2), tree)[-1] == 2 * each + 3 + rest


def test_answers_about_gpus_pay_cuts_at_levels_inside_their_types() -> None:
    cluster = Cluster.of({"n": {"V100": 3, "P100": 6}})
    jobs = tuple(Job(name, 0, 2, 4, {"V100": 8, "P100": 4}, Table((10, 4))) for name in "abc")
    instance = Instance(cluster, jobs, 1, 1)
    for answer, kind, a in ((True, "P100", 10), (True, "V100", 10), (False, "P100", 10)):
        tree = path((held(0, 1, kind), answer))
        tree["nodes"][-1]["cuts"] = [cut(price="9")]
        # At the level of P100, or counted at it, no gang is inside the types of the cut.
        assert proves(instance, tree)[-1] == a + 20 + 9
    tree = path((held(0, 2, "V100"), True), (runs(0, 5), True))
    tree["nodes"][-1]["cuts"] = [cut(price="9")]
    assert proves(instance, tree)[-1] == 1 + 20 + 9  # fast enough on V100 alone


def test_copies_that_must_hold_gpus_pay_no_cut() -> None:
    cluster = Cluster.of({"n0": {"V100": 1}, "n1": {"V100": 1}})
    job = Job("a", 0, 1, 2, {"V100": 1}, Table((10, 6)))
    instance = Instance(cluster, (job,), 2, 1, "forked")
    tree = path((held(0, 1, node="n0"), True))
    tree["nodes"][-1]["cuts"] = [cut(names="a", price="50")]
    assert proves(instance, tree, "node")[-1] == 10 + 50


@pytest.mark.parametrize("gang", [2, 6, 9, 40])
def test_gangs_that_do_not_fit_count_for_nothing_in_cuts(gang: int) -> None:
    cluster = Cluster.of({"n": {"V100": 5, "P100": 50}})
    jobs = (
        Job("a", 0, gang, 1, {"V100": 2, "P100": 1}, Linear(9, 1)),
        Job("b", 0, 2, 1, {"V100": 2}, Linear(9, 1)),
    )
    instance = Instance(cluster, jobs, 1, 1)
    one = ((frozenset({0}), (1, 1)),)
    two = (*one, (frozenset({0, 1}), (1, 0)))
    fits = gang == 2
    for terms, most in ((one, 1 + fits), (two, 2 + fits)):
        trees._check_cut(instance, Cut(terms, most), 0)
        with pytest.raises(CertificateError, match=f"some reach {most} > {most - 1}"):
            trees._check_cut(instance, Cut(terms, most - 1), 0)


def test_a_gang_of_one_gpu_is_never_slowed_by_spreading() -> None:
    """It cannot span nodes, so less than the whole progress is no progress."""
    cluster = Cluster.of({"n0": {"t": 1}, "n1": {"t": 1}})
    job = Job("a", 0, 1, 3, {"t": 2}, Table((12, 11, 10)), Fraction(1, 2))
    for parallelism in ("single_type", "mixed", "forked"):
        instance = Instance(cluster, (replace(job, max_copies=1),), 3, 1, parallelism)
        slow = [(runs(t, 2), False) for t in range(2)]
        assert proves(instance, path(*slow))[-1] == 0
        pair_of_gpus = replace(instance, jobs=(replace(instance.jobs[0], gang_size=2),))
        assert proves(pair_of_gpus, path(*slow))[-1] == 10


def test_answers_about_gpus_where_copies_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster.of({"n0": {"V100": 1}, "n1": {"P100": 1}, "n2": {"P100": 1}})
    job = Job("a", 0, 1, 3, {"V100": 2, "P100": 1}, Table((20, 9, 4)))
    instance = Instance(cluster, (job,), 3, 1, "forked")
    for ask, answer, exact in (
        (held(0, 1, node="n0"), True, 20),
        (held(0, 1, node="n0"), False, 9),
    ):
        assert proves(instance, path((ask, answer)), "node")[-1] == exact
        with monkeypatch.context() as patch:
            patch.setattr(options, "MAX_COPY_STATES", 0)
            assert proves(instance, path((ask, answer)), "node")[-1] >= exact


def test_overstated_progress_of_copies_forbids_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the answers, the bound with relaxed copies is no lower than the exact one."""
    cluster = Cluster.of({"n0": {"V100": 1}, "n1": {"P100": 1}, "n2": {"P100": 1}})
    job = Job("a", 0, 1, 5, {"V100": 3, "P100": 1}, Table((20, 9, 4)))
    instance = Instance(cluster, (job,), 3, 1, "forked")
    asks = [runs(t, p) for t in (0, 1) for p in range(1, 8)]
    asks += [completes(0), completes(1), held(0, 0), held(0, 1)]
    paths = [[(a, x), (b, y)] for a, b in combinations(asks, 2) for x in (0, 1) for y in (0, 1)]

    def bounds() -> list[Fraction | None]:
        trees = (path(*((ask, bool(answer)) for ask, answer in p)) for p in paths)
        return [(proves(instance, tree) or [None])[-1] for tree in trees]

    exact = bounds()
    monkeypatch.setattr(options, "MAX_COPY_STATES", 0)
    for which, true, relaxed in zip(paths, exact, bounds(), strict=True):
        assert true is None or (relaxed is not None and relaxed >= true), which


def test_an_overstated_copy_is_in_one_branch_of_a_question() -> None:
    """Copies in too many ways: slower ones than the relaxed option answer "no"."""
    types = ["A", "B", "C", "D", "E", "F"]
    nodes = {"n0": {"A": 1}, **{f"n{i}": {types[1 + i % 5]: 1} for i in range(1, 16)}}
    speeds = dict(zip(types, (100, 6, 5, 4, 3, 2), strict=True))
    job = Job("a", 0, 1, 120, speeds, Step(50, 1))
    instance = Instance(Cluster.of(nodes, types), (job,), 1, 1, "forked")
    assert proves(instance, path((runs(0, 200), False)))[-1] >= 50


@st.composite
def cut_cases(draw: st.DrawFn) -> tuple[Instance, list[tuple[frozenset[int], list[int]]], bool]:
    """An instance, terms of a cut, and whether every level of its jobs is a term."""
    counts = draw(st.lists(st.integers(0, 4), min_size=1, max_size=3))
    types = [f"T{r}" for r in range(len(counts))]
    cluster = Cluster.of({"n": dict(zip(types, counts, strict=True))}, types)
    speed = st.sampled_from((0, 1, 2, 3))
    jobs = tuple(
        Job(f"j{i}", 0, draw(st.integers(1, 3)), 1, {r: draw(speed) for r in types}, Linear(9, 1))
        for i in range(draw(st.integers(1, 4)))
    )
    parallelism = draw(st.sampled_from(("single_type", "mixed")))
    instance = Instance(cluster, jobs, 1, 1, parallelism)
    levels = {a for j in range(len(jobs)) for a in map(frozenset, levels_of(instance, j))}
    whole = draw(st.booleans()) and bool(levels)
    some = st.sets(st.integers(0, len(types) - 1), min_size=1).map(frozenset)
    sets = sorted(levels, key=sorted) if whole else draw(st.lists(some, min_size=1, max_size=3))
    coefficient = st.integers(0, 3)
    terms = [(s, [draw(coefficient) for _ in jobs]) for s in sets]
    return instance, terms, whole


def most_of(instance: Instance, terms: list[tuple[frozenset[int], list[int]]]) -> int:
    """Largest left side over all gangs that fit a round, by trying every set of levels."""
    counts = instance.cluster.pooled_capacity
    choices = [[None, *map(frozenset, levels_of(instance, j))] for j in range(len(instance.jobs))]
    best = 0
    subsets = [
        frozenset(s) for n in range(1, len(counts) + 1) for s in combinations(range(len(counts)), n)
    ]
    for chosen in product(*choices):
        gangs = [
            (level, job.gang_size)
            for level, job in zip(chosen, instance.jobs, strict=True)
            if level is not None
        ]
        fits = all(
            sum(w for level, w in gangs if level <= s) <= sum(counts[r] for r in s) for s in subsets
        )
        if fits:
            left = sum(
                a[j]
                for j, level in enumerate(chosen)
                for types, a in terms
                if level is not None and level <= types
            )
            best = max(best, left)
    return best


@given(cut_cases())
@settings(max_examples=300, deadline=None)
def test_cuts_are_accepted_only_if_they_hold(
    case: tuple[Instance, list[tuple[frozenset[int], list[int]]], bool],
) -> None:
    instance, terms, whole = case
    frozen = tuple((types, tuple(a)) for types, a in terms)
    truth = most_of(instance, terms)
    if truth > 0:
        with pytest.raises(CertificateError, match=f"> {truth - 1}$"):
            trees._check_cut(instance, Cut(frozen, truth - 1), 0)
    if whole:
        trees._check_cut(instance, Cut(frozen, truth), 0)
    trees._check_cut(instance, Cut(frozen, sum(sum(a) for _, a in terms)), 0)


def two_terms(rhs: int, price: str) -> Json:
    """A cut that counts gangs on V100 twice and gangs at the level of P100 once."""
    more = {"types": ["V100", "P100"], "coefficients": dict.fromkeys("abc", 1)}
    return {**cut(rhs=rhs, price=price), "more_terms": [more]}


def test_a_gang_pays_every_term_that_holds_its_level() -> None:
    # Three V100 hold one gang (2 of the left side); all nine GPUs hold the other two (1 each).
    instance = mixed_crowd()
    tree = {"price_vectors": [[]], "nodes": [{"prices": 0, "cuts": [two_terms(4, "1")]}]}
    assert proves(instance, tree) == [3 * (10 - 2) + 4]
    tree["nodes"][0]["cuts"] = [two_terms(3, "1")]
    with pytest.raises(CertificateError, match="some reach 4 > 3"):
        tree_bounds(
            instance,
            with_tree(
                instance, {**tree, "nodes": [{**tree["nodes"][0], "bound": "99"}]}, Fraction(0)
            ),
        )
    slow = {"price_vectors": [[]], "nodes": [{"prices": 0, "cuts": [two_terms(4, "4")]}]}
    # At 4 a term: V100 now leaves 2, the level of P100 over two rounds 4 - 4, waiting 4.
    assert proves(instance, slow) == [3 * 4 + 16]


@pytest.mark.parametrize(
    ("gpus", "types", "accepted"), [(999, 2, True), (1000, 2, False), (999_999, 1, True)]
)
def test_cuts_that_need_too_many_states_are_refused(gpus: int, types: int, accepted: bool) -> None:
    names = [f"T{r}" for r in range(types)]
    cluster = Cluster.of({"n": dict.fromkeys(names, gpus)})
    job = Job("a", 0, 1, 1, dict.fromkeys(names, 1), Linear(9, 1))
    instance = Instance(cluster, (job,), 1, 1, "single_type")
    terms = tuple((frozenset({r}), (1,)) for r in range(types))
    if accepted:
        trees._check_cut(instance, Cut(terms, 1), 0)
    else:
        with pytest.raises(CertificateError, match="must need at most 1000000 states"):
            trees._check_cut(instance, Cut(terms, 1), 0)


@pytest.mark.parametrize(
    ("sets", "closed"),
    [
        ([{0}, {1}], [{0}, {1}]),
        ([{0, 1}, {1, 2}], [{0, 1}, {1, 2}, {0, 1, 2}]),
        ([{0, 1}, {1, 2}, {2, 3}], [{0, 1}, {1, 2}, {2, 3}, {0, 1, 2}, {1, 2, 3}, {0, 1, 2, 3}]),
        ([{2}, {2}, {0, 2}], [{2}, {0, 2}]),
    ],
)
def test_overlapping_sets_are_closed(sets: list[set[int]], closed: list[set[int]]) -> None:
    assert trees.closed_sets([frozenset(s) for s in sets]) == [frozenset(s) for s in closed]


def test_too_many_sets_are_refused() -> None:
    chain = [frozenset({r, r + 1}) for r in range(7)]
    assert len(trees.closed_sets(chain)) == 28
    apart = [frozenset({r}) for r in range(31)]
    assert len(trees.closed_sets(apart)) == 31
    for many in ([*apart, frozenset({31})], [*chain, frozenset({7, 8})]):
        with pytest.raises(CertificateError, match="must need at most 31 sets"):
            trees.closed_sets(many)


def test_the_largest_coefficients_are_allowed() -> None:
    tree = {
        "price_vectors": [[]],
        "nodes": [{"prices": 0, "cuts": [cut(a=1_000_000, rhs=1_000_000)], "bound": "10000010"}],
    }
    instance = crowd(3)
    assert tree_bounds(instance, with_tree(instance, tree, Fraction(0))) == [10_000_010]


def two_types() -> Instance:
    """Jobs a, b, c of gangs 3, 2, 2 that run fast on V100 and slowly on P100."""
    speeds = {"V100": 2, "P100": 1}
    jobs = [Job(n, 0, w, 2, speeds, Step(1, 1)) for n, w in zip("abc", (3, 2, 2), strict=True)]
    return Instance(Cluster.of({"n0": {"V100": 3}, "n1": {"P100": 1}}), jobs, 1, Fraction(1))


FAST, BOTH = frozenset((0,)), frozenset((0, 1))


def test_the_verifier_proves_cuts_of_several_terms():
    instance = two_types()
    # One gang at the fast level, or two of two GPUs if one of them mixes.
    true = Cut(((FAST, (1, 1, 1)), (BOTH, (1, 1, 1))), 3)
    _check_cut(instance, true, 0)
    with pytest.raises(CertificateError, match="some reach 3 > 2"):
        _check_cut(instance, Cut(true.terms, 2), 0)
    with pytest.raises(CertificateError, match="coefficients <="):
        _check_cut(instance, Cut(((FAST, (10**7, 0, 0)),), 10**7), 0)
