"""From counts of GPUs by type to GPUs on nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from hadaropt.simulate.problem import Placement, RoundProblem
from hadaropt.simulate.standstill import fastest_gang, steps_of_round

Counts = tuple[int, ...]
"""GPUs of each type, shape (R,)."""


@lru_cache(1 << 14)  # a gang that stays is asked for in every round
def counts_of(placement: Placement, types: int) -> Counts:
    """Return the GPUs of each type in a placement."""
    total = [0] * types
    for _, r, count in placement:
        total[r] += count
    return tuple(total)


def place_gangs(
    problem: RoundProblem, wanted: Mapping[int, Counts], held: Mapping[int, Placement]
) -> dict[int, Placement]:
    """Put gangs on nodes.

    A gang that asks for what it held stays where it is. The others are placed larger gangs first:
    on the fullest node that takes all of it, else over as few nodes as its types allow. Gangs that
    would do no iteration there, on the slowest type or over nodes, take what is left where they do
    some (on one type, if they asked for one), or nothing.

    Parameters
    ----------
    problem : RoundProblem
    wanted : mapping of job to counts
        Within the pooled capacity, so that everything can be placed.
    held : mapping of job to placement
        Of the round before.
    """
    free = [list(row) for row in problem.cluster.capacity]
    types = len(problem.cluster.accelerators)
    placed: dict[int, Placement] = {}
    for j, counts in wanted.items():
        if j in held and counts_of(held[j], types) == counts:
            placed[j] = held[j]
            _take(free, held[j])
    new = [j for j in wanted if j not in placed]
    for j in sorted(new, key=lambda j: -sum(wanted[j])):
        placed[j] = _fit(free, wanted[j])
        _take(free, placed[j])
    for j in [j for j in new if not steps_of_round(problem, j, placed[j])]:
        _take(free, placed[j], back=True)
        mixing = problem.mixing and len({r for _, r, _ in placed.pop(j)}) > 1
        other = fastest_gang(problem, j, free, mixing=mixing)
        if other is not None:
            placed[j] = other
            _take(free, other)
    return placed


def _fit(free: Sequence[Sequence[int]], counts: Counts) -> Placement:
    needed = [(r, count) for r, count in enumerate(counts) if count]
    if len(needed) == 1:
        h = _fullest(free, *needed[0])
        if h is not None:
            return ((h, *needed[0]),)
    hosts = [h for h, row in enumerate(free) if all(row[r] >= count for r, count in needed)]
    if hosts:
        h = min(hosts, key=lambda h: (sum(free[h][r] for r, _ in needed), h))
        return tuple((h, r, count) for r, count in needed)
    found = []
    for r, count in needed:
        left = count
        for h in sorted(range(len(free)), key=lambda h: (-free[h][r], h)):
            part = min(left, free[h][r])
            if part:
                found.append((h, r, part))
                left -= part
    return tuple(sorted(found))


def _fullest(free: Sequence[Sequence[int]], r: int, count: int) -> int | None:
    """Return the node with the fewest free GPUs of a type that are enough, the first of them."""
    best, least = None, 0
    for h, row in enumerate(free):
        left = row[r]
        if left >= count and (best is None or left < least):
            best, least = h, left
            if left == count:
                break
    return best


def _take(free: Sequence[list[int]], placement: Placement, *, back: bool = False) -> None:
    for h, r, count in placement:
        free[h][r] += count if back else -count
