"""A claim as Coq definitions: a term, and the parts that it refers to by name.

Coq reads many short definitions several times faster than one long term.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

_NAME = re.compile(r"\b(?:leaf|prices)_\d+\b")
_REPEATED = re.compile(r"\[\d+(?:; \d+)+\]|\(\d+, \d+, \d+\)")
"""A list of integers, or three of them, in the term of a certificate."""


@dataclass(frozen=True)
class Claim:
    """A term and its parts.

    Attributes
    ----------
    term : str
    parts : dict
        Name -> (type, term): names of the form ``leaf_3`` and ``prices_3``; they hold no names.
    """

    term: str
    parts: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def inline(self) -> str:
        """The term without names."""
        return _NAME.sub(lambda name: f"({self.parts[name[0]][1]})", self.term)

    def definitions(self, name: str, kind: str) -> str:
        """Return the definitions of the parts, and of the term as ``name`` of type ``kind``.

        Rows of prices and cuts of leaves repeat from node to node, and numbers are slow to read:
        what is there more than once gets a name.
        """
        named = [*((part, *typed) for part, typed in self.parts.items()), (name, kind, self.term)]
        uses = Counter(found for _, _, term in named for found in _REPEATED.findall(term))
        repeated = (part for part, count in uses.items() if count > 1)
        names = {part: f"shared_{i}" for i, part in enumerate(repeated)}
        shared = [
            (short, "list Z" if part[0] == "[" else "Z * Z * Z", part)
            for part, short in names.items()
        ]
        shorter = [
            (part, typed, _REPEATED.sub(lambda found: names.get(found[0], found[0]), term))
            for part, typed, term in named
        ]
        return "".join(
            f"Definition {part} : {typed} := {term}.\n" for part, typed, term in (*shared, *shorter)
        )
