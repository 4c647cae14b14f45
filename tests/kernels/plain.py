"""Plain Python oracle of the kernels: enumeration and dictionaries, no array code."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

INF = 2**62
Option = tuple[int, int]  # progress, key


def fills(limits: Sequence[int], gang: int) -> Iterator[tuple[int, ...]]:
    """Every way of holding `gang` units within `limits`."""
    for counts in itertools.product(*(range(min(gang, x) + 1) for x in limits)):
        if sum(counts) == gang:
            yield counts


def undominated(options: Sequence[Option]) -> list[Option]:
    """Pareto set by increasing progress and cost."""
    kept: list[Option] = []
    for progress, key in sorted(set(options), key=lambda o: (-o[0], o[1])):
        if not kept or key < kept[-1][1]:
            kept.append((progress, key))
    return kept[::-1]


def pooled_options(charge, free, gang, progress, admitted, tie, limit) -> list[Option]:
    """Options of one round; ``charge(r, w)`` is the charge of w units of type r."""
    found = []
    for counts in fills(free, gang):
        total = sum(charge(r, w) for r, w in enumerate(counts) if w)
        if total <= limit:
            for level, types in enumerate(admitted):
                if all(types[r] for r, w in enumerate(counts) if w):
                    found.append((progress[level], total * tie + 1))
    return undominated(found)


def node_options(price, free, gang, progress, admitted, spread, tie, limit) -> list[Option]:
    """Options of one round for one gang, from every placement on (node, type) pairs."""
    nodes, types = len(price), len(price[0])
    found = []
    for counts in fills([free[h][r] for h in range(nodes) for r in range(types)], gang):
        held = {divmod(i, types): w for i, w in enumerate(counts) if w}
        total = sum(w * price[h][r] for (h, r), w in held.items())
        if total > limit:
            continue
        alone = len({h for h, _ in held}) == 1
        for level, row in enumerate(admitted):
            if all(row[r] for _, r in held) and (spread[level] or alone):
                found.append((progress[level], total * tie + 1))
    return undominated(found)


def forked_options(gangs, price, free, gang, progress, admitted, need, most, tie, limit):
    """Options of one round as one gang (`gangs`) or as 2 .. `most` copies, one a node."""
    per_node: list[list[Option]] = []
    for h in range(len(price)):
        per_node.append(
            pooled_options(
                lambda r, w, h=h: w * price[h][r], free[h], gang, progress, admitted, tie, limit
            )
        )
    found = [(min(need, p), c) for p, c in gangs]
    for picks in itertools.product(*([None, *options] for options in per_node)):
        taken = [pick for pick in picks if pick is not None]
        if 2 <= len(taken) <= most:
            found.append((min(need, sum(p for p, _ in taken)), sum(c for _, c in taken)))
    return undominated(found)


def least_costs(rounds: Sequence[Sequence[Option]], need: int) -> list[int]:
    """Least key of progress >= need by the end of each round (2**62 where impossible)."""
    states = {0: 0}
    least = []
    for options in rounds:
        after = dict(states)
        for done, paid in states.items():
            for progress, key in options:
                total = min(need, done + progress)
                after[total] = min(after.get(total, INF), paid + key)
        states = after
        least.append(states.get(need, INF))
    return least


def first_schedule(rounds: Sequence[Sequence[Option]], need: int, last: int) -> list[int]:
    """Optimal schedule of rounds 0 .. last that comes first, compared from the last round back."""
    best = None
    for picks in itertools.product(*(range(-1, len(options)) for options in rounds[: last + 1])):
        taken = [rounds[n][i] for n, i in enumerate(picks) if i >= 0]
        if sum(p for p, _ in taken) >= need:
            candidate = (sum(c for _, c in taken), picks[::-1])
            if best is None or candidate < best:
                best = candidate
    assert best is not None
    return list(best[1][::-1])
