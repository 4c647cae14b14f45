"""The branching tree of an L2 certificate, parsed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from hadaropt.certificates.format import Certificate, PriceMap, parse_prices
from hadaropt.errors import CertificateError, InstanceError, shown
from hadaropt.exact import MAX_COUNT, MAX_ITERATIONS, to_fraction, to_integer
from hadaropt.instance import Instance
from hadaropt.io.documents import check_fields, check_list, check_string

MAX_DEPTH = 5_000
"""Questions on a path: the work on a path grows with their square."""


class Decision(NamedTuple):
    """What the two branches of a node disagree about.

    ``completion``: the job completes in a round <= ``round``. ``progress``: it makes at least
    ``at_least`` iterations in ``round``. ``held``: it holds at least ``at_least`` GPUs of ``place``
    in ``round``: (type,) or (node, type), as the prices are.
    """

    kind: str
    job: int
    round: int
    at_least: int = 0
    place: tuple[int, ...] = ()


Term = tuple[frozenset[int], tuple[int, ...]]
"""(types, coefficient of each job): counts the jobs that run as one gang at levels within."""


class Cut(NamedTuple):
    """The sum of the terms is at most ``rhs``; on a node, jobs count that have a gang inside it."""

    terms: tuple[Term, ...]
    rhs: int
    node: int | None = None


@dataclass(frozen=True)
class Leaf:
    """A leaf: its price vector, its cuts as (round, cut, price), and its bound if it has one."""

    prices: int
    cuts: tuple[tuple[int, int, Fraction], ...]
    bound: Fraction | None


@dataclass(frozen=True)
class Tree:
    """A branching tree.

    Attributes
    ----------
    price_vectors : tuple of dict
    cuts : tuple of Cut
        The distinct cuts of all leaves.
    order : tuple of int
        Indices of the nodes reachable from the root, parents first.
    branches : dict
        Inner node -> (decision, index of yes, index of no).
    leaves : dict
    """

    price_vectors: tuple[PriceMap, ...]
    cuts: tuple[Cut, ...]
    order: tuple[int, ...]
    branches: dict[int, tuple[Decision, int, int]]
    leaves: dict[int, Leaf]

    def numbers(self) -> Iterator[Fraction]:
        """Yield every price and bound."""
        for prices in self.price_vectors:
            yield from prices.values()
        for leaf in self.leaves.values():
            yield from (price for _, _, price in leaf.cuts)
            if leaf.bound is not None:
                yield leaf.bound


def parse_tree(instance: Instance, certificate: Certificate) -> Tree:
    """Return the tree of an L2 certificate; nothing is verified but its form.

    Raises
    ------
    CertificateError
        Naming the path, the value and the rule that it breaks.
    """
    try:
        return _Parser(instance, certificate).parse()
    except InstanceError as bad:
        raise CertificateError(bad.path, bad.rule, bad.value) from None


class _Parser:
    def __init__(self, instance: Instance, certificate: Certificate) -> None:
        self.instance, self.pool = instance, certificate.pool
        self.document: dict[str, Any] = check_fields(
            certificate.tree, ("price_vectors", "nodes"), path="tree", error=CertificateError
        )
        self.types = {name: r for r, name in enumerate(instance.cluster.accelerators)}
        self.nodes = {name: h for h, name in enumerate(instance.cluster.nodes)}
        self.cuts: dict[Cut, int] = {}
        self.vectors = 0

    def parse(self) -> Tree:
        vectors = check_list(self.document["price_vectors"], "tree.price_vectors", CertificateError)
        prices = tuple(
            parse_prices(vector, f"tree.price_vectors[{v}]", self.pool, self.instance)
            for v, vector in enumerate(vectors)
        )
        self.vectors = len(prices)
        nodes = check_list(self.document["nodes"], "tree.nodes", CertificateError)
        branches: dict[int, tuple[Decision, int, int]] = {}
        leaves: dict[int, Leaf] = {}
        order, reached, depth = [0], {0}, {0: 0}
        for i in order:
            path = f"tree.nodes[{i}]"
            if i >= len(nodes):
                raise CertificateError(path, "is missing")
            node = nodes[i]
            if not isinstance(node, dict) or "branch" not in node:
                leaves[i] = self.leaf(node, path)
                continue
            check_fields(node, ("branch", "yes", "no"), path=path, error=CertificateError)
            children = [to_integer(node[answer], f"{path}.{answer}") for answer in ("yes", "no")]
            for child in children:
                if child in reached:
                    raise CertificateError(path, f"must not lead to node {child} again")
                reached.add(child)
                depth[child] = depth[i] + 1
            if depth[i] >= MAX_DEPTH:
                raise CertificateError(path, f"must be below at most {MAX_DEPTH - 1} questions")
            order += children
            yes, no = children
            branches[i] = (self.decision(node["branch"], f"{path}.branch"), yes, no)
        if len(nodes) != len(order):
            unreached = min(set(range(len(nodes))) - reached)
            raise CertificateError(f"tree.nodes[{unreached}]", "must be reachable from node 0")
        return Tree(prices, tuple(self.cuts), tuple(order), branches, leaves)

    def job(self, name: object, path: str) -> int:
        try:
            return self.instance.index(check_string(name, path, CertificateError))
        except KeyError:
            raise CertificateError(path, "is not a job of the instance", shown(name)) from None

    def round(self, value: object, path: str) -> int:
        return to_integer(value, path, most=self.instance.num_rounds - 1)

    def decision(self, value: Any, path: str) -> Decision:
        kind = value.get("kind") if isinstance(value, dict) else None
        if kind not in ("completion", "progress", "held"):
            rule = "must be completion, progress or held"
            raise CertificateError(f"{path}.kind", rule, shown(kind))
        fields = ("job", "kind", "round") + (("at_least",) if kind != "completion" else ())
        if kind == "held":
            fields += ("node", "type") if self.pool == "node" else ("type",)
        check_fields(value, fields, path=path, error=CertificateError)
        least = 0
        if kind != "completion":
            most = MAX_ITERATIONS if kind == "progress" else MAX_COUNT
            least = to_integer(value["at_least"], f"{path}.at_least", most=most)
        t = self.round(value["round"], f"{path}.round")
        held: tuple[int, ...] = ()
        for name, known in (("node", self.nodes), ("type", self.types)):
            if name in value:
                key = check_string(value[name], f"{path}.{name}", CertificateError)
                if key not in known:
                    rule = "is not in the instance"
                    raise CertificateError(f"{path}.{name}", rule, shown(key))
                held = (*held, known[key])
        return Decision(kind, self.job(value["job"], f"{path}.job"), t, least, held)

    def leaf(self, value: Any, path: str) -> Leaf:
        optional = ("cuts", "bound")
        check_fields(value, ("prices",), optional, path=path, error=CertificateError)
        prices = to_integer(value["prices"], f"{path}.prices", most=self.vectors - 1)
        entries = check_list(value.get("cuts", []), f"{path}.cuts", CertificateError)
        cuts = tuple(self.cut(cut, f"{path}.cuts[{i}]") for i, cut in enumerate(entries))
        bound = value.get("bound")
        return Leaf(prices, cuts, None if bound is None else to_fraction(bound, f"{path}.bound"))

    def cut(self, value: Any, path: str) -> tuple[int, int, Fraction]:
        required = ("round", "types", "coefficients", "rhs", "price")
        optional = ("node", "more_terms", "cover", "lifting_order")
        check_fields(value, required, optional, path=path, error=CertificateError)
        terms = [self.term(value, path)]
        more = check_list(value.get("more_terms", []), f"{path}.more_terms", CertificateError)
        for k, term in enumerate(more):
            here = f"{path}.more_terms[{k}]"
            check_fields(term, ("types", "coefficients"), path=here, error=CertificateError)
            terms.append(self.term(term, here))
        node: int | None = None
        if "node" in value:
            key = check_string(value["node"], f"{path}.node", CertificateError)
            if key not in self.nodes:
                raise CertificateError(f"{path}.node", "is not in the instance", shown(key))
            node = self.nodes[key]
        cut = Cut(tuple(terms), to_integer(value["rhs"], f"{path}.rhs"), node)
        t = self.round(value["round"], f"{path}.round")
        index = self.cuts.setdefault(cut, len(self.cuts))
        return t, index, to_fraction(value["price"], f"{path}.price")

    def term(self, value: Any, path: str) -> Term:
        members = set()
        for i, name in enumerate(check_list(value["types"], f"{path}.types", CertificateError)):
            here = f"{path}.types[{i}]"
            if check_string(name, here, CertificateError) not in self.types:
                raise CertificateError(here, "is not in the instance", shown(name))
            members.add(self.types[str(name)])
        coefficients = [0] * len(self.instance.jobs)
        if not isinstance(value["coefficients"], dict):
            raise CertificateError(f"{path}.coefficients", "must be an object")
        for name, a in value["coefficients"].items():
            here = f"{path}.coefficients.{name}"
            coefficients[self.job(name, here)] = to_integer(a, here)
        return frozenset(members), tuple(coefficients)
