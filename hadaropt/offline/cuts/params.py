"""What can be tuned in the search for cuts."""

from __future__ import annotations

from dataclasses import dataclass

from hadaropt.keywords import known_fields


@known_fields
@dataclass(frozen=True)
class CutParams:
    """Parameters of lifted covers and of packing cuts.

    Attributes
    ----------
    packings : bool
        Whether packing cuts are looked for besides lifted covers.
    most_covers : int
        Covers that are added at once. More: fewer rounds, larger LPs.
    cover_violation : float
        Least violation of a cover, absolute. More: fewer and stronger covers.
    cover_capacity : int
        GPUs of a set of types up to which covers on it are looked for: the time and memory of a
        dynamic program grow in proportion.
    packing_violation : float
        Least violation of a packing cut, relative to its right-hand side. More: fewer cuts.
    packing_states : int
        Largest table of the dynamic program over the room in the sets of types. More: cuts on more
        sets at once, in more time.
    """

    packings: bool = True
    most_covers: int = 60
    cover_violation: float = 1e-3
    cover_capacity: int = 5000
    packing_violation: float = 1e-2
    packing_states: int = 20_000


__all__ = ["CutParams"]
