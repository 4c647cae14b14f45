"""Export of branching trees, whole or in parts, as terms of type ``CheckerTree.l2``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from hadaropt.certificates.coq_claim import Claim
from hadaropt.certificates.coq_grid import SHORT, charges_of
from hadaropt.certificates.coq_hints import Hints, LeafFacts, leaf_hints
from hadaropt.certificates.coq_tokens import digits, integer, items, nat, record, scaled
from hadaropt.certificates.format import PriceMap
from hadaropt.certificates.tree import closed_sets
from hadaropt.certificates.tree_document import Decision, Tree
from hadaropt.instance import Instance


@dataclass(frozen=True)
class TreeExport:
    """A tree that is exported, and what all its parts have in common.

    Attributes
    ----------
    instance : Instance
    tree : Tree
    pool : str
    bound : Fraction
    divisors : tuple of int
    scale : int
    units : tuple of int
        Of each price vector.
    facts : dict of int to LeafFacts
        Of the leaves that some schedule can reach.
    hints : Hints
    """

    instance: Instance
    tree: Tree
    pool: str
    bound: Fraction
    divisors: tuple[int, ...]
    scale: int
    units: tuple[int, ...]
    facts: dict[int, LeafFacts]
    hints: Hints

    @classmethod
    def of(
        cls,
        instance: Instance,
        tree: Tree,
        *,
        pool: str,
        bound: Fraction,
        divisors: Sequence[int],
        scale: int,
        facts: dict[int, LeafFacts],
    ) -> TreeExport:
        """Return the export of a tree, with the facts of its leaves."""
        units = price_units_of(list(charges_of(tree).values()), scale)
        hints = leaf_hints(instance, tree, facts, scale=scale, units=units, divisors=divisors)
        return cls(instance, tree, pool, bound, tuple(divisors), scale, tuple(units), facts, hints)

    def claim(self, roots: Sequence[tuple[str, int]] = (("[]", 0),)) -> Claim:
        """Return the claim of the trees below some nodes, each after the term of its answers.

        It holds the price vectors and the cuts of their leaves alone.
        """
        tree, scale = self.tree, self.scale
        terms, leaves = [], []
        for answers, root in roots:
            term, below = self._below(root)
            terms.append(f"({answers}, {term})")
            leaves += below
        vectors = sorted({tree.leaves[i].prices for i in leaves})
        cuts = sorted({c for i in leaves for _, c, _ in tree.leaves[i].cuts})
        place = {v: k for k, v in enumerate(vectors)}
        number = {c: k for k, c in enumerate(cuts)}
        uses = Counter(tree.leaves[i].prices for i in leaves if i not in self.hints.leaves)
        parts = {f"prices_{v}": ("priced", self._priced(v, shared=uses[v] > 1)) for v in vectors}
        parts |= {f"leaf_{i}": ("tree", self._leaf(i, place, number)) for i in leaves}
        term = record(
            l2_prices=items(f"prices_{v}" for v in vectors),
            l2_cuts=items(map(self._cut, cuts)),
            l2_divisors=items(map(integer, self.divisors)),
            l2_worths=self.hints.worths_term,
            l2_unit=integer(scaled(self.instance.value_unit, scale)),
            l2_trees=items(terms, "\n  "),
            l2_bound=integer(scaled(self.bound, scale)),
        )
        return Claim(term, parts)

    def _below(self, root: int) -> tuple[str, list[int]]:
        """Return the term of the tree below a node, and its leaves."""
        parts: list[str] = []
        leaves: list[int] = []
        todo: list[int | str] = [root]
        while todo:
            at = todo.pop()
            if isinstance(at, str):
                parts.append(at)
            elif at in self.tree.leaves:
                parts.append(f"leaf_{at}")
                leaves.append(at)
            else:
                decision, yes, no = self.tree.branches[at]
                parts.append(f"(Branch {decision_term(decision)} ")
                todo += [")", no, " ", yes]
        return "".join(parts), leaves

    def _leaf(self, i: int, place: dict[int, int], number: dict[int, int]) -> str:
        leaf = self.tree.leaves[i]
        per_unit = Fraction(self.scale, self.units[leaf.prices])
        charged = [n for t, c, k in leaf.cuts for n in (t, number[c], scaled(k, per_unit))]
        cuts = f"(triples {digits([charged])})"
        claim = "None"
        if leaf.bound is not None:
            claim = f"(Some {integer(scaled(leaf.bound, self.scale))})"
        hint = self.hints.leaves.get(i, "NoHint")
        return f"Leaf {integer(place[leaf.prices])} {cuts} {claim} {hint}"

    def _priced(self, vector: int, *, shared: bool) -> str:
        unit = self.units[vector]
        prices = prices_term(
            self.instance, self.tree.price_vectors[vector], self.pool, Fraction(self.scale, unit)
        )
        return f"Priced ({prices}) {integer(unit)} {'true' if shared else 'false'}"

    def _cut(self, c: int) -> str:
        cut = self.tree.cuts[c]
        return record(
            cut_node="None" if cut.node is None else f"(Some {nat(cut.node)})",
            cut_terms=items(f"({self._types(s)}, {items(map(integer, a))})" for s, a in cut.terms),
            cut_sets=items(map(self._types, closed_sets(s for s, _ in cut.terms))),
            rhs=integer(cut.rhs),
        )

    def _types(self, members: frozenset[int]) -> str:
        types = range(len(self.instance.cluster.accelerators))
        return items("true" if r in members else "false" for r in types)


def price_unit(charges: Sequence[Fraction], scale: int) -> int:
    """Return the largest integer that divides all charges: short numbers are fast to add."""
    return gcd(*(scaled(charge, scale) for charge in charges)) or 1


def price_units_of(charges: Sequence[Sequence[Fraction]], scale: int) -> list[int]:
    """Return the unit of each price vector; the vectors of short numbers have one in common."""
    units = [price_unit(numbers, scale) for numbers in charges]
    short = [
        bool(numbers) and scaled(max(numbers), Fraction(scale, unit)) < SHORT
        for numbers, unit in zip(charges, units, strict=True)
    ]
    common = gcd(*(unit for unit, is_short in zip(units, short, strict=True) if is_short))
    return [common if is_short else unit for unit, is_short in zip(units, short, strict=True)]


def prices_term(instance: Instance, prices: PriceMap, pool: str, scale: Fraction) -> str:
    """Return prices as multiples of 1/scale."""
    rounds = range(instance.num_rounds)
    types = range(len(instance.cluster.accelerators))

    def row(*place: int) -> list[int]:
        return [scaled(prices.get((*place, r), Fraction(0)), scale) for r in types]

    if pool == "type":
        return f"per_type {digits(row(t) for t in rounds)}"
    nodes = range(len(instance.cluster.nodes))
    numbers = digits(row(t, h) for t in rounds for h in nodes)
    return f"per_node {nat(len(rounds))} {nat(len(nodes))} {numbers}"


def decision_term(decision: Decision) -> str:
    """Return a question of a tree."""
    kind, j, t, least, place = decision
    who = f"{nat(j)} {nat(t)}"
    if kind == "completion":
        return f"(Completes {who})"
    if kind == "progress":
        return f"(Progresses {who} {integer(least)})"
    *node, r = place
    where = f"(Some {nat(node[0])})" if node else "None"
    return f"(Holds {who} {where} {nat(r)} {integer(least)})"
