"""Cuts of the configuration LP on who runs in one round."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

Terms = tuple[tuple[frozenset[int], tuple[tuple[int, int], ...]], ...]
"""The left-hand side of a cut: sets of types, each with (job, coefficient) pairs."""


class Gangs(NamedTuple):
    """How a job runs in a round, as far as cuts tell it apart.

    Attributes
    ----------
    types : frozenset of int
        Admitted types of the level of one gang; empty for copies.
    copies : tuple of int
        The class of each copy; empty for one gang.
    """

    types: frozenset[int] = frozenset()
    copies: tuple[int, ...] = ()


class Inside(NamedTuple):
    """What lies inside a set of types of a node.

    Attributes
    ----------
    node : int
    copies : frozenset of int
        Classes of the copies that do.
    alone : frozenset of int
        Types of which no GPU lies outside: a gang that admits only these does too.
    """

    node: int
    copies: frozenset[int]
    alone: frozenset[int]

    def holds(self, gangs: Gangs) -> bool:
        """Return whether one of the gangs lies inside for sure."""
        if gangs.types:
            return gangs.types <= self.alone
        return not self.copies.isdisjoint(gangs.copies)


@dataclass(frozen=True)
class Cut:
    """A valid inequality on who runs in one round, and at which levels.

    sum over terms (S, a) and jobs i of a_i x [job i runs as one gang in ``round`` at a level whose
    admitted types lie in S] <= ``rhs``. On a node, of one term: a_i x [job i has a gang inside the
    types S of the node: a copy, or its only gang where no other node has GPUs of its level]. Jobs
    are indices into the space.

    Attributes
    ----------
    round : int
    terms : tuple of (types, ((job, coefficient), ...))
        The pairs (S, a).
    rhs : int
    cover, order : tuple of int
        The cover and the jobs lifted into it, in this order; empty for other cuts.
    node : Inside or None
        What counts, for cuts on a node.
    """

    round: int
    terms: Terms
    rhs: int
    cover: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    node: Inside | None = None

    @property
    def key(self) -> tuple[int, Terms, int, int]:
        """What tells cuts apart, however they were found."""
        return self.round, self.terms, self.rhs, -1 if self.node is None else self.node.node

    @cached_property
    def weights(self) -> dict[int, list[tuple[frozenset[int], int]]]:
        """By job, its coefficients and the sets of types that they count in."""
        found: dict[int, list[tuple[frozenset[int], int]]] = {}
        for types, coefficients in self.terms:
            for i, a in coefficients:
                found.setdefault(i, []).append((types, a))
        return found

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.round, self.terms, self.rhs))

    @cached_property
    def _known(self) -> dict[tuple[int, frozenset[int]], int]:
        return {}

    def weight(self, i: int, gangs: Gangs) -> int:
        """Return what job i counts when it runs as these gangs."""
        types = gangs.types
        if self.node is not None:
            return self.weights[i][0][1] if i in self.weights and self.node.holds(gangs) else 0
        if not types:
            return 0
        found = self._known.get((i, types))
        if found is None:
            found = sum(a for within, a in self.weights.get(i, ()) if types <= within)
            self._known[i, types] = found
        return found
