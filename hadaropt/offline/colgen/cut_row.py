"""Cuts of the configuration LP on who runs in one round."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

Terms = tuple[tuple[frozenset[int], tuple[tuple[int, int], ...]], ...]
"""The left-hand side of a cut: sets of types, each with (job, coefficient) pairs."""


@dataclass(frozen=True)
class Cut:
    """A valid inequality on who runs in one round, and at which levels.

    sum over terms (S, a) and jobs i of a_i x [job i runs as one gang in ``round`` at a level whose
    admitted types lie in S] <= ``rhs``. Jobs are indices into the space.

    Attributes
    ----------
    round : int
    terms : tuple of (types, ((job, coefficient), ...))
        The pairs (S, a).
    rhs : int
    cover, order : tuple of int
        The cover and the jobs lifted into it, in this order; empty for other cuts.
    """

    round: int
    terms: Terms
    rhs: int
    cover: tuple[int, ...] = ()
    order: tuple[int, ...] = ()

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

    def weight(self, i: int, types: frozenset[int]) -> int:
        """Return what job i counts when it runs at a level of these admitted types (not empty)."""
        found = self._known.get((i, types))
        if found is None:
            found = sum(a for within, a in self.weights.get(i, ()) if types <= within)
            self._known[i, types] = found
        return found
