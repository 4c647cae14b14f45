"""The verifier of branching trees: exact bounds of all leaves, and exact proofs of their cuts.

A tree branches on "job j completes in a round <= m" and on "job j makes at least p iterations in
round t"; yes and no cover everything by construction. At a leaf, with prices k >= 0 and cuts
``sum a_j(A) z_j(A) <= b`` at prices g >= 0 on who runs in a round as one gang at which level A,
every feasible schedule that obeys the decisions of the path is worth at most
``sum_j mu_j + sum c k + sum b g``. There mu_j is the largest payoff of job j over its own schedules
that obey them, where a gang at level A in the cut's round pays a_j(A) g more. A cut on a node
counts the jobs with a gang inside it at a level of which the node has the types A: a copy on the
node, or the only gang if no other node has GPUs of its level. A job that does not complete is worth
0 and pays for the rounds in which it has to run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from hadaropt.certificates.bounded import Bounds, bounded_allocations
from hadaropt.certificates.covering import least_costs
from hadaropt.certificates.format import Certificate
from hadaropt.certificates.options import (
    Charge,
    ExactPrices,
    IntArray,
    Options,
    OptionTable,
    charged,
    levels_of,
)
from hadaropt.certificates.payoffs import max_payoffs
from hadaropt.certificates.tree_document import Cut, Decision, Leaf, Tree, parse_tree
from hadaropt.errors import CertificateError
from hadaropt.exact import MAX_COUNT, to_text
from hadaropt.instance import Instance

MAX_COEFFICIENT = 1_000_000
MAX_STATES = 1_000_000
MAX_SETS = 31
KEPT_TABLES = 64
Answers = tuple[tuple[Decision, bool], ...]
Tolls = tuple[tuple[int, int | None, frozenset[int], Fraction], ...]
"""(round, node, types, further charge) of one job."""


def tree_bounds(
    instance: Instance, certificate: Certificate, note: Note | None = None
) -> list[Fraction]:
    """Return the proven bound of every feasible leaf of an L2 certificate.

    ``note`` is called with each of them, once its bound is found to hold.

    Raises
    ------
    CertificateError
        If the tree is malformed, a cut is not valid, or a leaf claims less than it proves.
    """
    tree = parse_tree(instance, certificate)
    for c, cut in enumerate(tree.cuts):
        _check_cut(instance, cut, c)
    evaluator = Evaluator(instance, tree, certificate.pool == "node")
    bounds = []
    for i, answers in paths(tree):
        leaf, place = tree.leaves[i], f"tree.nodes[{i}]"
        for k, (_, _, price) in enumerate(leaf.cuts):
            if price < 0:
                rule = "must be >= 0"
                raise CertificateError(f"{place}.cuts[{k}].price", rule, to_text(price))
        payoffs = evaluator.payoffs(leaf, answers)
        if payoffs is None:
            continue
        proved = evaluator.supply(leaf) + sum(payoffs)
        if leaf.bound is None or leaf.bound < proved:
            claim = None if leaf.bound is None else to_text(leaf.bound)
            rule = f"must be at least {to_text(proved)}, what its prices prove"
            raise CertificateError(f"{place}.bound", rule, claim)
        if note is not None:
            note(Evaluated(i, leaf, answers, tuple(payoffs), evaluator))
        bounds.append(leaf.bound)
    return bounds


def paths(tree: Tree) -> Iterator[tuple[int, Mapping[int, Answers]]]:
    """Yield every leaf with its answers by job, without recursion."""
    stack: list[tuple[int, dict[int, Answers]]] = [(0, {})]
    while stack:
        i, answers = stack.pop()
        if i in tree.leaves:
            yield i, answers
            continue
        decision, yes, no = tree.branches[i]
        j = decision[1]
        for child, answer in ((no, False), (yes, True)):
            stack.append((child, {**answers, j: (*answers.get(j, ()), (decision, answer))}))


def _check_cut(instance: Instance, cut: Cut, c: int) -> None:
    """Prove a cut: no set of gangs that fits one round exceeds the right side.

    Gangs with levels fit iff every set of types has room for those whose admitted types it holds.
    A job has at most one gang inside a node; there the types are those that the node has.
    Rows of ``table`` are the GPUs used of each needed set (those of the terms, closed under the
    union of overlapping ones); its entries the largest left side with no more use.

    Raises
    ------
    CertificateError
        If the cut is not valid, or too large to be proved.
    """
    terms, rhs, node = cut
    place = f"cut {c} of the tree"
    most = max((a for _, coefficients in terms for a in coefficients), default=0)
    if most > MAX_COEFFICIENT:
        raise CertificateError(place, f"must have coefficients <= {MAX_COEFFICIENT}", str(most))
    sets = closed_sets(types for types, _ in terms)
    cluster = instance.cluster
    counts = cluster.pooled_capacity if node is None else cluster.capacity[node]
    limits = [sum(counts[r] for r in types) for types in sets]
    states = prod(limit + 1 for limit in limits)
    if states > MAX_STATES:
        raise CertificateError(place, f"must need at most {MAX_STATES} states, not {states}")
    table = np.zeros([limit + 1 for limit in limits], dtype=np.int64)
    for j, job in enumerate(instance.jobs):
        if not any(coefficients[j] for _, coefficients in terms):
            continue
        new = table.copy()
        for types in levels_of(instance, j):
            level = types if node is None else [r for r in types if counts[r] > 0]
            a = sum(coefficients[j] for types, coefficients in terms if types.issuperset(level))
            used = [job.gang_size if types.issuperset(level) else 0 for types in sets]
            if a == 0 or any(u > limit for u, limit in zip(used, limits, strict=True)):
                continue
            there = new[tuple(slice(u, None) for u in used)]
            before = table[tuple(slice(0, n + 1 - u) for u, n in zip(used, limits, strict=True))]
            np.maximum(there, before + a, out=there)
        table = new
    reached = int(table.max(initial=0))
    if reached > rhs:
        raise CertificateError(
            place, f"must hold for all gangs that fit: some reach {reached} > {rhs}"
        )


def closed_sets(sets: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """Return the sets, closed under the union of two that overlap.

    Raises
    ------
    CertificateError
        If they become too many.
    """
    found = set(sets)
    fresh = set(found)
    while fresh:
        if len(found) > MAX_SETS:
            raise CertificateError("cuts", f"must need at most {MAX_SETS} sets of types")
        fresh = {a | b for a in fresh for b in found if a & b} - found
        found |= fresh
    return sorted(found, key=lambda s: (len(s), sorted(s)))


@dataclass(frozen=True)
class _Window:
    """What the answers of a path leave to one job."""

    forced: frozenset[int]
    at_least: Mapping[int, int]
    below: Mapping[int, int]
    first: int
    last: int
    must: bool
    held: Mapping[int, Bounds]


def _window(instance: Instance, j: int, answers: Answers) -> _Window | None:
    """Return the limits of job j, or None if nothing obeys them."""
    at_least: dict[int, int] = {}
    below: dict[int, int] = {}
    first, last, must = instance.jobs[j].release, instance.num_rounds - 1, False
    held: dict[int, dict[tuple[int, ...], tuple[int, int]]] = {}
    for (kind, _, t, amount, place), answer in answers:
        if kind == "held":
            least, most = held.setdefault(t, {}).get(place, (0, MAX_COUNT))
            part = (max(least, amount), most) if answer else (least, min(most, amount - 1))
            held[t][place] = part
            if part[0] > part[1]:
                return None
            if part[0] >= 1:
                # Runs without progress can be left out: what holds GPUs makes progress.
                at_least[t] = max(at_least.get(t, 1), 1)
        elif kind == "completion":
            if answer:
                last, must = min(last, t), True
            else:
                first = max(first, t + 1)
        elif answer:
            if amount >= 1:
                at_least[t] = max(at_least.get(t, 1), amount)
        else:
            if amount <= 0:
                return None
            below[t] = min(below.get(t, amount), amount)
    if any(t < instance.jobs[j].release for t in at_least):
        return None
    if any(at_least[t] >= below[t] for t in at_least.keys() & below.keys()):
        return None
    forced = frozenset(at_least)
    return _Window(forced, at_least, below, max((first, *forced)), last, must, held)


@dataclass(frozen=True)
class Ability:
    """What a job can do at a leaf: options at costs in 1/scale, first and last completion."""

    options: Options
    scale: int
    first: int
    last: int


class Evaluator:
    """Bounds of leaves; what leaves share is computed once."""

    def __init__(self, instance: Instance, tree: Tree, by_node: bool) -> None:
        self.instance, self.tree, self.by_node = instance, tree, by_node
        self._tables: dict[tuple[object, ...], _Priced] = {}

    def _priced(self, vector: int, cuts: tuple[tuple[int, int, Fraction], ...]) -> _Priced:
        """Return the options at a price vector; ``cuts`` only say how large charges may become."""
        charges = [price for _, _, price in cuts]
        charges += [
            price * max(coefficients, default=0)
            for _, c, price in cuts
            for _, coefficients in self.tree.cuts[c].terms
        ]
        key = (vector, *charges)
        if key not in self._tables:
            prices = ExactPrices.of(
                self.instance,
                self.tree.price_vectors[vector],
                by_node=self.by_node,
                tolls=charges,
            )
            if len(self._tables) >= KEPT_TABLES:
                del self._tables[next(iter(self._tables))]
            free = list(max_payoffs(self.instance, prices).upper)
            table = OptionTable(self.instance, prices)
            self._tables[key] = _Priced(
                prices, table, free, prices.capacity_cost(self.instance), {}
            )
        return self._tables[key]

    def supply(self, leaf: Leaf) -> Fraction:
        """Return what the cluster and the right sides of the cuts cost at a leaf."""
        cuts = sum(self.tree.cuts[c].rhs * price for _, c, price in leaf.cuts)
        return self._priced(leaf.prices, leaf.cuts).capacity_cost + cuts

    def payoffs(self, leaf: Leaf, answers: Mapping[int, Answers]) -> list[Fraction] | None:
        """Return the payoff of every job at a leaf, or None if no schedule obeys its path."""
        priced = self._priced(leaf.prices, leaf.cuts)
        tolls = self._tolls(leaf)
        found = []
        for j, free in enumerate(priced.free):
            if j not in answers and j not in tolls:
                found.append(free)
                continue
            key = (j, answers.get(j, ()), tuple(tolls.get(j, ())))
            if key not in priced.known:
                priced.known[key] = self._payoff(priced, *key)
            payoff = priced.known[key]
            if payoff is None:
                return None
            found.append(payoff)
        return found

    def abilities(self, leaf: Leaf, answers: Mapping[int, Answers]) -> Iterator[Ability | None]:
        """Yield what every job can do at a leaf; None if it cannot obey its answers."""
        priced, tolls = self._priced(leaf.prices, leaf.cuts), self._tolls(leaf)
        for j in range(len(self.instance.jobs)):
            window = _window(self.instance, j, answers.get(j, ()))
            if window is None:
                yield None
                continue
            options = self._limited(priced, j, window, tuple(tolls.get(j, ())))
            yield Ability(options, priced.prices.scale, window.first, window.last)

    def _tolls(
        self, leaf: Leaf
    ) -> dict[int, list[tuple[int, int | None, frozenset[int], Fraction]]]:
        """Return what the cuts of a leaf charge each job."""
        tolls: dict[int, list[tuple[int, int | None, frozenset[int], Fraction]]] = {}
        for t, c, price in leaf.cuts:
            terms, _, node = self.tree.cuts[c]
            for types, coefficients in terms:
                for j, a in enumerate(coefficients):
                    if a and price:
                        tolls.setdefault(j, []).append((t, node, types, a * price))
        return tolls

    def _payoff(self, priced: _Priced, j: int, answers: Answers, tolls: Tolls) -> Fraction | None:
        """Return the largest payoff of job j, or None if it cannot obey its answers."""
        instance, job = self.instance, self.instance.jobs[j]
        window = _window(instance, j, answers)
        if window is None:
            return None
        if job.release >= instance.num_rounds:
            return None if window.must else Fraction(0)
        options = self._limited(priced, j, window, tolls)
        best: Fraction | None = None
        if not window.must:
            forced = options.cost[sorted(window.forced)]
            least = forced.min(axis=1, initial=options.unavailable).tolist()
            if max(least, default=0) >= options.unavailable:
                return None
            best = -Fraction(sum(least), priced.prices.scale)
        costs = (
            least_costs(
                options,
                job.release,
                instance.num_rounds - 1,
                [job.iterations],
                worth=None,
                forced=window.forced,
                begin=window.first,
            )
            .cost[:, 0]
            .tolist()
        )
        for f in range(window.first, window.last + 1):
            cost = costs[f - job.release]
            if cost < options.unavailable:
                payoff = instance.value(j, f) - Fraction(cost, priced.prices.scale)
                best = payoff if best is None else max(best, payoff)
        return best

    def _limited(self, priced: _Priced, j: int, window: _Window, tolls: Tolls) -> Options:
        """Return the options of job j with its tolls, without what its answers forbid."""
        options = priced.table.options(j)
        if tolls:
            options = priced.table.merged(self._charged(priced, j, tolls))
        if not window.at_least and not window.below and not window.held:
            return options
        charge = self._charge(priced, tolls)
        ways = {
            t: list(bounded_allocations(priced.table, j, t, bounds, charge))
            for t, bounds in window.held.items()
        }
        # Copies whose progress is overstated may in truth make less than the answer allows.
        slowed = {
            t: most - 1
            for t, most in window.below.items()
            if most > 1 and t not in ways and priced.table.relaxed(j)
        }
        gains = {gain for way in ways.values() for gain, _, _ in way}
        options = _with_progress(options, gains | set(slowed.values()))
        cost = options.cost.copy()
        progress = np.array(options.progress, dtype=object)
        place = {p: k for k, p in enumerate(options.progress)}
        for t, way in ways.items():
            cost[t] = options.unavailable
            for gain, paid, level in way:
                if gain > 0:
                    extra = 0 if level is None else charge(None, level).get(t, 0)
                    cost[t, place[gain]] = min(cost[t, place[gain]], paid + extra)
        for t, gain in slowed.items():
            for overstated, costs, level in priced.table.allocations(j):
                if level is None and overstated > gain:
                    cost[t, place[gain]] = min(cost[t, place[gain]], costs[t])
        cap = priced.table.cap(j)
        for t in window.at_least.keys() | window.below.keys():
            least = window.at_least.get(t, 0)
            wrong = progress < (least if cap is None else min(cap, least))
            if t in window.below:
                wrong |= progress >= window.below[t]
            cost[t, wrong.astype(bool)] = options.unavailable
        return Options(options.progress, cost, options.unavailable)

    def _charge(self, priced: _Priced, tolls: Tolls) -> Charge:
        """Return what a gang at a level pays more, by round.

        On a node as one of several copies; on no node as the only gang.
        """
        capacity = self.instance.cluster.capacity

        def present(node: int, level: tuple[int, ...]) -> list[int]:
            return [r for r in level if capacity[node][r] > 0]

        def counted(node: int | None, host: int | None, level: tuple[int, ...]) -> bool:
            if node is None or host is not None:
                return host == node
            return not any(h != node and present(h, level) for h in range(len(capacity)))

        def charge(host: int | None, level: tuple[int, ...]) -> dict[int, int]:
            found: dict[int, int] = {}
            for t, node, types, price in tolls:
                inside = level if node is None else present(node, level)
                if counted(node, host, level) and types.issuperset(inside):
                    found[t] = found.get(t, 0) + int(price * priced.prices.scale)
            return found

        return charge

    def _charged(self, priced: _Priced, j: int, tolls: Tolls) -> Iterator[tuple[int, IntArray]]:
        charge = self._charge(priced, tolls)
        copies = any(node is not None for _, node, _, _ in tolls)
        for progress, cost, level in priced.table.allocations(j):
            if level is not None:
                yield progress, charged(cost, charge(None, level))
            elif not copies:
                yield progress, cost
        if copies and self.instance.max_copies(j) >= 2:
            yield from priced.table.copies(j, charge)


def _with_progress(options: Options, gains: set[int]) -> Options:
    """Return the options with further progress values, as yet unavailable everywhere.

    Relaxed options of copies do not hold every progress that copies can make.
    """
    values = sorted({*options.progress, *(gain for gain in gains if gain > 0)}, reverse=True)
    if len(values) == len(options.progress):
        return options
    shape = (len(options.cost), len(values))
    cost = np.full(shape, options.unavailable, dtype=options.cost.dtype)
    cost[:, [values.index(p) for p in options.progress]] = options.cost
    return Options(tuple(values), cost, options.unavailable)


@dataclass(frozen=True)
class Evaluated:
    """A leaf, the answers of its path by job, the payoff of every job, and what has found them."""

    index: int
    leaf: Leaf
    answers: Mapping[int, Answers]
    payoffs: tuple[Fraction, ...]
    evaluator: Evaluator


Note = Callable[[Evaluated], None]


@dataclass(frozen=True)
class _Priced:
    """Everything at one price vector."""

    prices: ExactPrices
    table: OptionTable
    free: list[Fraction]
    capacity_cost: Fraction
    known: dict[tuple[int, Answers, Tolls], Fraction | None]
