"""The subset rows of Hall's condition: which sets of types need a capacity row."""

from __future__ import annotations

from collections.abc import Iterable

TypeSet = frozenset[int]
"""Indices of types (or of cells: types on nodes)."""


def capacity_sets(admitted: Iterable[TypeSet], most: int | None = None) -> tuple[TypeSet, ...]:
    """Return the sets S for which gangs with these admitted sets need the row of S.

    A round is feasible iff for every set S of types the gangs whose admitted set lies in S fit the
    capacity of S (Hall). The row of S is implied by others unless S is the union of admitted sets
    that hang together by shared types: a smaller set holds the same gangs, or S falls apart into
    two sets whose rows add up to its own. So the rows needed are the closure of the admitted sets
    under the union of two sets that overlap. Sorted by size, then by elements. The elements may as
    well be cells: types on nodes.

    Parameters
    ----------
    admitted : iterable of frozenset of int
    most : int, optional
        The closure may grow exponentially: beyond so many sets the answer is empty.

    Examples
    --------
    >>> [sorted(s) for s in capacity_sets(map(frozenset, ([0], [0, 1], [2], [1, 2])))]
    [[0], [2], [0, 1], [1, 2], [0, 1, 2]]
    """
    found = set(admitted)
    fresh = set(found)
    while fresh:
        if most is not None and len(found) > most:
            return ()
        fresh = {a | b for a in fresh for b in found if a & b} - found
        found |= fresh
    return distinct_sets(found)


def distinct_sets(sets: Iterable[Iterable[int]]) -> tuple[TypeSet, ...]:
    """Return the distinct sets, by size, then by elements."""
    return tuple(sorted(set(map(frozenset, sets)), key=lambda s: (len(s), sorted(s))))


def set_name(types: TypeSet) -> str:
    """Return the name of a set of types in row names: its indices, joined."""
    return "_".join(map(str, sorted(types)))
