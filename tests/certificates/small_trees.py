"""Branching trees for tiny instances, grown with the brute-force oracle's own allocations."""

from __future__ import annotations

import functools
from fractions import Fraction
from itertools import combinations, product
from math import floor

from tests import oracle


def allocations(document, job):
    """The oracle's, and the same GPUs used more slowly, as checkers may count them.

    A gang that fits one node also passes for a spread one, and fast types for slower ones: that
    matters only under decisions that ask for little progress.
    """
    options = oracle.round_options(document, job)
    tau, rho = oracle.number(document["round_seconds"]), job.get("spread_factor", 1)
    speeds = [oracle.throughput(job, r) for r in document["accelerators"]]
    for o in list(options):
        if not o.copies:
            speed = min(oracle.throughput(job, r) for (_, r), _ in o.use)
            levels = {floor(x * tau * oracle.number(rho)) for x in speeds if x <= speed}
            levels |= {floor(x * tau) for x in speeds if x <= speed}
            options += [o._replace(progress=p) for p in levels if p < o.progress]
    return options


def payoff(document, j, prices, decisions):
    """Best value minus cost of job j under decisions; None if it cannot obey them."""
    job, horizon = document["jobs"][j], oracle.num_rounds(document)
    need, release = oracle.iterations(job), oracle.release(job)
    options = allocations(document, job)
    first, last, never = 0, horizon - 1, True
    least, below = [0] * horizon, [None] * horizon
    for (kind, _, t, p), answer in decisions:
        if kind == "completion" and answer:
            last, never = min(last, t), False
        elif kind == "completion":
            first = max(first, t + 1)
        elif answer:
            least[t] = max(least[t], p)
        else:
            below[t] = p if below[t] is None else min(below[t], p)
    costs, best = {0: Fraction(0)}, Fraction(0) if never else None
    for t in range(horizon):
        mine = (
            [(o.progress, oracle.option_cost(o, t, prices)) for o in options]
            if t >= release
            else []
        )
        mine = [
            (p, c)
            for p, c in [*mine, (0, Fraction(0))]
            if p >= least[t] and (below[t] is None or p < below[t])
        ]
        after = {}
        for (done, paid), (p, c) in product(costs.items(), mine):
            total = min(need, done + p)
            after[total] = min(after.get(total, paid + c), paid + c)
        costs = after
        if not costs:
            return None
        if need in costs and max(first, release) <= t <= last:
            gain = oracle.utility(document, job, t - release + 1) - costs[need]
            best = gain if best is None else max(best, gain)
    return best


def price_vectors(document, top):
    """Zero prices, and one or two levels on each set of types in each single round."""
    types, horizon = document["accelerators"], oracle.num_rounds(document)
    sets = [s for n in range(1, len(types) + 1) for s in combinations(types, n)]
    vectors = [{}]
    for level in (top / 3, 4 * top):
        vectors += [{(t, r): level for r in s} for t in range(horizon) for s in sets]
        vectors += [{(t, r): level for t in range(horizon) for r in s} for s in sets]
    return vectors


class TooLargeError(Exception):
    """The tree outgrew its limit."""


def grow(document, value, unit, depth=2, limit=40):
    """Return a tree that closes at ``value``, each leaf ``depth`` questions deep or more.

    Questions are taken in a scattered order, so that every kind occurs. Raise TooLargeError beyond
    ``limit`` nodes.
    """
    jobs, horizon = document["jobs"], oracle.num_rounds(document)
    earns = [oracle.utility(document, job, 1) for job in jobs]
    vectors = price_vectors(document, max(earns, default=Fraction(0)) or Fraction(1))
    free = oracle.capacity(document)
    rents = [
        sum(
            (n * v.get((t, r), 0) for (_, r), n in free.items() for t in range(horizon)),
            Fraction(0),
        )
        for v in vectors
    ]
    nodes, used = [], {}

    @functools.cache
    def gain_of(j, v, own):
        return payoff(document, j, vectors[v], own)

    def bound(v, decisions):
        total = rents[v]
        for j in range(len(jobs)):
            gain = gain_of(j, v, tuple(d for d in decisions if d[0][1] == j))
            if gain is None:
                return None
            total += gain
        return total

    asks = []
    for j, job in enumerate(jobs):
        levels = sorted({o.progress for o in oracle.round_options(document, job)} - {0})
        for t in range(oracle.release(job), horizon):
            asks.append(("completion", j, t, 0))
            if oracle.parallelism(document) != "forked":
                asks += [("progress", j, t, p) for p in levels]

    def question(decisions):
        left = [ask for ask in asks if ask not in {d for d, _ in decisions}]
        return left[(5 * len(nodes)) % len(left)] if left else None

    def visit(decisions):
        index = len(nodes)
        nodes.append(None)
        if index > limit:
            raise TooLargeError
        tried = [(bound(v, decisions), v) for v in range(len(vectors))]
        shut = [v for b, v in tried if b is None]
        if shut:
            nodes[index] = {"prices": used.setdefault(shut[0], len(used)), "cuts": []}
            return index
        least, v = min(tried)
        ask = question(decisions)
        deep = ask is None or len(decisions) >= depth
        if deep and least // unit * unit <= value:
            leaf = {"prices": used.setdefault(v, len(used)), "cuts": [], "bound": str(least)}
            nodes[index] = leaf
            return index
        if ask is None:
            raise TooLargeError
        kind, j, t, p = ask
        branch = {"job": jobs[j]["name"], "kind": kind, "round": t}
        if kind == "progress":
            branch["at_least"] = p
        yes, no = visit([*decisions, (ask, True)]), visit([*decisions, (ask, False)])
        nodes[index] = {"branch": branch, "yes": yes, "no": no}
        return index

    visit([])
    entries = [
        [{"round": t, "type": r, "price": str(k)} for (t, r), k in vectors[v].items()] for v in used
    ]
    return {"price_vectors": entries, "nodes": nodes}
