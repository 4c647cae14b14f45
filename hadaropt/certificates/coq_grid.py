"""Prices of a tree on one grid, where the bounds of its leaves have room for it.

Any prices prove a bound; of short numbers Coq reads and adds more in a second. Leaves whose prices
have other denominators than those of the others are exported at prices rounded down, if these prove
the bound that the leaf claims as well: exactly evaluated, and checked by Coq like any others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import floor, lcm

from hadaropt.certificates.coq_hints import LeafFacts
from hadaropt.certificates.tree import Evaluated, Evaluator, paths
from hadaropt.certificates.tree_document import Leaf, Tree
from hadaropt.instance import Instance

SHORT = 1 << 24
"""Prices below so many units are short numbers."""


def on_one_grid(
    instance: Instance, tree: Tree, facts: Mapping[int, LeafFacts], *, by_node: bool
) -> tuple[Tree, dict[int, LeafFacts]]:
    """Return the tree with prices that are multiples of one power of two where bounds allow it.

    Parameters
    ----------
    instance : Instance
    tree : Tree
    facts : mapping of int to LeafFacts
        Of the leaves that some schedule can reach and that claim a bound.
    by_node : bool
        Whether prices are by node.

    Returns
    -------
    Tree
    dict
        Its facts.
    """
    charges = charges_of(tree)
    grid = _grid(charges.values())
    users: dict[int, list[int]] = {}
    for i, leaf in tree.leaves.items():
        users.setdefault(leaf.prices, []).append(i)
    odd = {
        v
        for v, leaves in users.items()
        if grid and any(grid % k.denominator for k in charges[v]) and facts.keys() >= {*leaves}
    }
    lower = _lowered(tree, odd, grid)
    evaluator = Evaluator(instance, lower, by_node)
    found, kept = dict(facts), set(odd)
    for i, answers in paths(lower):
        leaf = lower.leaves[i]
        if leaf.prices in kept:
            payoffs = evaluator.payoffs(leaf, answers)
            if payoffs is None or not _proves(evaluator, leaf, payoffs):
                kept.remove(leaf.prices)
            else:
                noted = Evaluated(i, leaf, answers, tuple(payoffs), evaluator)
                found[i] = LeafFacts.of(instance, noted)
    return _lowered(tree, kept, grid), {
        i: found[i] if tree.leaves[i].prices in kept else fact for i, fact in facts.items()
    }


def charges_of(tree: Tree) -> dict[int, list[Fraction]]:
    """Return, of each price vector, its prices and those of the cuts that are charged beside it."""
    charges = {v: list(prices.values()) for v, prices in enumerate(tree.price_vectors)}
    for leaf in tree.leaves.values():
        charges[leaf.prices] += [k for _, _, k in leaf.cuts]
    return charges


def _grid(vectors: Iterable[list[Fraction]]) -> int:
    """Return the denominator of the grid: the largest power of two of a vector of short numbers."""
    grid = 0
    for charges in vectors:
        common = lcm(*(k.denominator for k in charges))
        if charges and common & (common - 1) == 0 and max(charges) * common < SHORT:
            grid = max(grid, common)
    return grid


def _lowered(tree: Tree, vectors: set[int], grid: int) -> Tree:
    """Return the tree with the charges of some vectors rounded down to multiples of 1/grid."""

    def low(charge: Fraction) -> Fraction:
        return Fraction(floor(charge * grid), grid)

    def lowered(leaf: Leaf) -> Leaf:
        return replace(leaf, cuts=tuple((t, c, low(k)) for t, c, k in leaf.cuts))

    return replace(
        tree,
        price_vectors=tuple(
            {place: low(k) for place, k in prices.items()} if v in vectors else prices
            for v, prices in enumerate(tree.price_vectors)
        ),
        leaves={
            i: lowered(leaf) if leaf.prices in vectors else leaf for i, leaf in tree.leaves.items()
        },
    )


def _proves(evaluator: Evaluator, leaf: Leaf, payoffs: Iterable[Fraction]) -> bool:
    """Return whether payoffs prove the bound of a leaf, if it claims one."""
    return leaf.bound is not None and sum(payoffs, evaluator.supply(leaf)) <= leaf.bound
