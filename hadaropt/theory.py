"""What is proved: every claim of ``proofs/README.md`` as an object, `hadaropt.theorems` by id.

Examples
--------
>>> import hadaropt
>>> print(hadaropt.theorems["T10big"].statement)
If m > c/2, every ratio rho < m U/((c - m + 1) L) fails, so no guarantee logarithmic in U/L is \
possible; with m = c = 1 every rho < U/L fails.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any, Literal

from hadaropt.errors import HadaroptError, nearest, shown

Tag = Literal["Coq", "paper", "cited", "FALSE"]
"""What backs a claim. ``Coq``: checked by machine. ``paper``: proved in words only. ``cited``: a
known result, not proved again. ``FALSE``: refuted by a counterexample."""


@dataclass(frozen=True)
class Statement:
    """A claim, with what is needed to judge it.

    Attributes
    ----------
    id : str
        Such as ``T7``.
    title : str
    statement : str
        The claim in formulas; for a refuted claim, the counterexample.
    symbols : tuple of (symbol, meaning)
        Those of the statement and the hypotheses.
    hypotheses : tuple of str
        All have to hold.
    proof : str
        File and anchor of the proof in words, in the sources of hadaropt.
    coq : tuple of (name, file)
        Theorems of the Coq development that state it, and the files that prove them.
    source : str
        Whose result it is.
    tag : {"Coq", "paper", "cited", "FALSE"}
    """

    id: str
    title: str
    statement: str
    symbols: tuple[tuple[str, str], ...]
    hypotheses: tuple[str, ...]
    proof: str
    coq: tuple[tuple[str, str], ...]
    source: str
    tag: Tag

    def __str__(self) -> str:
        return f"{self.id} ({self.title}): {self.statement}"


CASES_OF_T4 = ("T5", "T7", "T8", "T11")
"""Cases of T4, each for the tables of one price function: a run checks them by T4's hypotheses."""


class UnknownTheoremError(HadaroptError, KeyError):
    """There is no theorem of that id; the message names the nearest."""

    def __str__(self) -> str:
        return str(self.args[0])


class Theorems(Mapping[str, Statement]):
    """Id -> `Statement`, in the order of the claim table; read from the package when first used.

    Small and large letters of an id are alike: ``t7`` is ``T7``.
    """

    @cached_property
    def _all(self) -> dict[str, Statement]:
        text = files("hadaropt").joinpath("theorems.toml").read_text(encoding="utf-8")
        document = tomllib.loads(text)
        return {row["id"]: _statement(row, document["symbols"]) for row in document["theorem"]}

    def __getitem__(self, id: str) -> Statement:
        found = self._find(id)
        if found is None:
            rule = unknown_theorem(str(id), "list(hadaropt.theorems) names all")
            raise UnknownTheoremError(f"theorem = {shown(id)}, {rule}")
        return found

    def __contains__(self, id: object) -> bool:
        return self._find(id) is not None

    def _find(self, id: object) -> Statement | None:
        if id in self._all:
            return self._all[id]
        alike = (one for one in self._all.values() if one.id.lower() == str(id).lower())
        return next(alike, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


def _statement(row: Mapping[str, Any], meanings: Mapping[str, str]) -> Statement:
    """Return a row of the file as an object; a symbol gets its meaning."""
    places = (place.split(": ") for place in row["coq"])
    return Statement(
        row["id"],
        row["title"],
        row["statement"],
        tuple((symbol, meanings[symbol]) for symbol in row["symbols"]),
        tuple(row["hypotheses"]),
        row["proof"],
        tuple((name, file) for file, name in places),
        row["source"],
        row["tag"],
    )


def unknown_theorem(id: str, how: str) -> str:
    """Return the rule that an unknown id breaks, with the nearest one and how all are listed."""
    near = nearest(id, theorems)
    hint = "" if near is None else f'; did you mean "{near}"?'
    return f"must be the id of a theorem ({how}){hint}"


theorems = Theorems()
"""All claims by id: ``hadaropt.theorems["T7"]``."""
