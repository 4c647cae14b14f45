"""The branching tree of branch-and-price: nodes, limits, and the document of an L2 certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.exact import to_text
from hadaropt.offline.colgen.column_generation import Proof
from hadaropt.offline.colgen.cut_row import Cut
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.colgen.pricing_problem import Limits


@dataclass(frozen=True)
class Decision:
    """What two branches disagree about, by ``kind``.

    ``completion``: job i completes in a round <= ``round``. ``progress``: the progress that job i
    makes in ``round`` is at least that of option ``option``. ``held``: job i holds at least
    ``option`` GPUs of ``cell`` in ``round``.
    """

    kind: str
    job: int
    round: int
    option: int = 0
    cell: int = -1


@dataclass
class Node:
    """A node of the tree.

    Attributes
    ----------
    number : int
        In order of creation; 0 is the root.
    limits : Limits
        What the decisions above it allow.
    proof : Proof
        Best one so far; ``proof.bound`` is an upper bound on every schedule within the limits.
    depth : int
        Decisions above it.
    decision : Decision or None
        None for a leaf.
    yes, no : Node or None
        The branches under either answer to the decision.
    """

    number: int
    limits: Limits
    proof: Proof
    depth: int = 0
    decision: Decision | None = None
    yes: Node | None = None
    no: Node | None = None

    def order(self) -> Fraction:
        """Return the bound; -1 where nothing is feasible."""
        return Fraction(-1) if self.proof.bound is None else self.proof.bound


def restrict(space: Space, limits: Limits, base: Sequence[int], d: Decision, yes: bool) -> Limits:
    """Return the limits of one branch; ``base`` are the first flat entries of the jobs."""
    new = limits.copy()
    i, n = d.job, d.round - space.jobs[d.job].release
    if d.kind == "completion":
        if yes:
            new.end[i] = min(int(new.end[i]), n)
            new.must[i] = True
        else:
            new.begin[i] = max(int(new.begin[i]), n + 1)
        return new
    place = base[i] + n
    if d.kind == "held":
        bounds = new.cells.get((i, n), {})
        least, most = bounds.get(d.cell, (0, space.jobs[i].gang_size))
        part = (max(least, d.option), most) if yes else (least, min(most, d.option - 1))
        new.cells[i, n] = {**bounds, d.cell: part}
        if yes:
            new.low[place] = max(int(new.low[place]), 1)
            new.begin[i] = max(int(new.begin[i]), n)
        return new
    if yes:
        new.low[place] = max(int(new.low[place]), d.option)
        new.begin[i] = max(int(new.begin[i]), n)
    else:
        new.high[place] = min(int(new.high[place]), d.option - 1)
    return new


def tree_document(
    space: Space, cuts: Sequence[Cut], root: Node, least: Fraction = Fraction(0)
) -> dict[str, object]:
    """Return the tree as it stands in a certificate.

    No leaf has to prove less than the bound of the whole tree: ``least`` is what it claims at
    least, so that a checker may see it by less work than the best bound of the leaf takes.
    """
    vectors: dict[tuple[int, bytes | tuple[int, ...]], int] = {}
    price_vectors: list[list[dict[str, object]]] = []
    nodes: list[dict[str, object]] = []
    order = [root]
    place = {root.number: 0}
    for node in order:
        for child in (node.yes, node.no):
            if child is not None:
                place[child.number] = len(order)
                order.append(child)
    for node in order:
        if node.decision is not None:
            assert node.yes is not None and node.no is not None
            nodes.append(
                {
                    "branch": _branch(space, node.decision),
                    "yes": place[node.yes.number],
                    "no": place[node.no.number],
                }
            )
            continue
        proof = node.proof
        key = (proof.scale, tuple(proof.cells.ravel().tolist()))
        if key not in vectors:
            vectors[key] = len(price_vectors)
            price_vectors.append(_prices(space, proof))
        bound = Fraction(0) if proof.bound is None else max(proof.bound, least)
        nodes.append(
            {
                "prices": vectors[key],
                "cuts": [
                    _cut(space, cuts[c], Fraction(units, proof.scale)) for c, units in proof.cuts
                ],
                "bound": to_text(bound),
            }
        )
    return {"price_vectors": price_vectors, "nodes": nodes}


def _branch(space: Space, d: Decision) -> dict[str, object]:
    job = space.jobs[d.job]
    fields: dict[str, object] = {
        "job": space.instance.jobs[job.job].name,
        "kind": d.kind,
        "round": d.round,
    }
    if d.kind == "progress":
        fields["at_least"] = job.progress[d.option - 1]
    elif d.kind == "held":
        cluster = space.instance.cluster
        width = len(cluster.accelerators)
        if not space.pooled:
            fields["node"] = cluster.nodes[d.cell // width]
        fields |= {"type": cluster.accelerators[d.cell % width], "at_least": d.option}
    return fields


def _prices(space: Space, proof: Proof) -> list[dict[str, object]]:
    cluster = space.instance.cluster
    width = len(cluster.accelerators)
    entries: list[dict[str, object]] = []
    for t, row in enumerate(space.by_node(proof.cells).reshape(len(proof.cells), -1).tolist()):
        for c, units in enumerate(row):
            if not units:
                continue
            entry: dict[str, object] = {"round": t}
            if not space.pooled:
                entry["node"] = cluster.nodes[c // width]
            entry["type"] = cluster.accelerators[c % width]
            entry["price"] = to_text(Fraction(units, proof.scale))
            entries.append(entry)
    return entries


def _cut(space: Space, cut: Cut, price: Fraction) -> dict[str, object]:
    instance = space.instance

    def name(i: int) -> str:
        return instance.jobs[space.jobs[i].job].name

    def written(term: tuple[frozenset[int], tuple[tuple[int, int], ...]]) -> dict[str, object]:
        types, coefficients = term
        return {
            "types": [instance.cluster.accelerators[r] for r in sorted(types)],
            "coefficients": {name(i): a for i, a in coefficients},
        }

    first, *others = map(written, cut.terms)
    document: dict[str, object] = {
        "round": cut.round,
        **first,
        "rhs": cut.rhs,
        "price": to_text(price),
        "cover": [name(i) for i in cut.cover],
        "lifting_order": [name(i) for i in cut.order],
    }
    if cut.node is not None:
        document["node"] = instance.cluster.nodes[cut.node.node]
    if others:
        document["more_terms"] = others
    return document
