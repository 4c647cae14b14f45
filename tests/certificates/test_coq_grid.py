"""Prices on one grid: rounded down where bounds have room, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hadaropt.certificates.coq_grid import SHORT, charges_of, on_one_grid
from hadaropt.certificates.coq_hints import LeafFacts, facts_of_leaves
from hadaropt.certificates.tree_document import Cut, Leaf, Tree
from hadaropt.instance import Instance
from tests.certificates.test_coq_tree import crowd

QUARTER, THIRD = {(0, 0): Fraction(1, 4)}, {(0, 0): Fraction(4, 3)}


def four_leaves(*bounds: int | Fraction | None) -> Tree:
    """A tree whose first leaf has prices in quarters, the second and third ones in thirds."""
    ask = [("completion", 0, t, 0, ()) for t in range(2)]
    branches = {0: (ask[0], 1, 2), 2: (ask[1], 3, 4)}
    leaves = {
        at: Leaf(v, (), None if bound is None else Fraction(bound))
        for (at, v), bound in zip(((1, 0), (3, 1), (4, 2)), bounds, strict=True)
    }
    return Tree((QUARTER, THIRD, dict(THIRD)), (), tuple(range(5)), branches, leaves)  # type: ignore[arg-type]


def gridded(instance: Instance, tree: Tree) -> Tree:
    facts = facts_of_leaves(instance, tree, by_node=False)
    rounded, found = on_one_grid(instance, tree, facts, by_node=False)
    assert found == facts_of_leaves(instance, rounded, by_node=False)
    return rounded


def cost(fact: LeafFacts) -> Fraction:
    return fact.supply + sum(fact.payoffs)


def test_prices_are_rounded_down_where_the_bound_has_room() -> None:
    instance = crowd(3, 2)
    facts = facts_of_leaves(instance, four_leaves(99, 99, 99), by_node=False)
    low = {(0, 0): Fraction(5, 4)}
    assert gridded(instance, four_leaves(99, 99, 99)).price_vectors == (QUARTER, low, low)
    tight = four_leaves(99, cost(facts[3]), 99)
    lower = replace(tight, price_vectors=(QUARTER, low, low))
    assert cost(facts[3]) < cost(facts_of_leaves(instance, lower, by_node=False)[3])
    assert gridded(instance, tight).price_vectors == (QUARTER, THIRD, low)


def test_leaves_without_a_bound_keep_their_prices() -> None:
    tree = four_leaves(99, None, 99)
    assert gridded(crowd(3, 2), tree).price_vectors[1] == THIRD


def test_without_a_grid_nothing_changes() -> None:
    tree = four_leaves(99, 99, 99)
    for other in (THIRD, {(0, 0): 1 + Fraction(1, SHORT)}, {}):
        alone = replace(tree, price_vectors=(other, *tree.price_vectors[1:]))
        assert gridded(crowd(3, 2), alone) == alone


def test_cuts_are_charged_on_the_grid_as_well() -> None:
    tree = four_leaves(99, 99, 99)
    leaf = replace(tree.leaves[3], cuts=((0, 0, Fraction(5, 3)),))
    cut = Cut(((frozenset({0}), (1, 1, 1)),), 1)
    charged = replace(tree, cuts=(cut,), leaves=tree.leaves | {3: leaf})
    assert charges_of(charged)[1] == [*THIRD.values(), Fraction(5, 3)]
    assert gridded(crowd(3, 2), charged).leaves[3].cuts == ((0, 0, Fraction(6, 4)),)
