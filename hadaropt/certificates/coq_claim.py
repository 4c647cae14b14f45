"""A claim as Coq definitions: a term, and the parts that it refers to by name.

Coq reads many short definitions several times faster than one long term.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_NAME = re.compile(r"\b(?:leaf|prices)_\d+\b")


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
        """Return the definitions of the parts, and of the term as ``name`` of type ``kind``."""
        named = [*((part, *typed) for part, typed in self.parts.items()), (name, kind, self.term)]
        return "".join(f"Definition {part} : {typed} := {term}.\n" for part, typed, term in named)
