"""From counts of GPUs by type to GPUs on nodes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from hadaropt.simulate.free_gpus import FreeGpus, Row
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
    cluster = problem.cluster
    free = FreeGpus(cluster)
    types = len(cluster.accelerators)
    placed: dict[int, Placement] = {}
    for j, counts in wanted.items():
        if j in held and counts_of(held[j], types) == counts:
            placed[j] = held[j]
            free.take(held[j])
    new = [j for j in wanted if j not in placed]
    for j in sorted(new, key=lambda j: -sum(wanted[j])):
        placed[j] = _take_gang(free, wanted[j])
    for j in [j for j in new if not steps_of_round(problem, j, placed[j])]:
        free.take(placed[j], back=True)
        mixing = problem.mixing and len({r for _, r, _ in placed.pop(j)}) > 1
        other = fastest_gang(problem, j, free.rows, mixing=mixing)
        if other is not None:
            placed[j] = other
            free.take(other)
    return placed


def _take_gang(free: FreeGpus, counts: Counts) -> Placement:
    needed = [(r, count) for r, count in enumerate(counts) if count]

    def left_if_it_fits(row: Row) -> int | None:
        fits = all(row[r] >= count for r, count in needed)
        return sum(row[r] for r, _ in needed) if fits else None

    h = free.first(left_if_it_fits)
    if h is not None:
        whole = tuple((h, r, count) for r, count in needed)
        free.take(whole)
        return whole
    found: list[tuple[int, int, int]] = []
    for r, count in needed:
        left = count
        while left:
            h = free.first(lambda row, r=r: -row[r] if row[r] else None)  # type: ignore[misc]
            if h is None:
                break
            part = min(left, free.rows[h][r])
            free.take(((h, r, part),))
            found.append((h, r, part))
            left -= part
    return tuple(sorted(found))
