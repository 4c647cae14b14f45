"""``hadaropt theorem``: what a theorem says, what it assumes, and where its proof is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hadaropt.cli.common.answer import Answer, Table
from hadaropt.cli.common.options import AsJson, UsageError

if TYPE_CHECKING:
    from hadaropt.theory import Statement

TheoremId = Annotated[
    str | None,
    Parameter(name="ID", help="Id of the theorem, such as T7. Without one, all are listed."),
]


def theorem(id: TheoremId = None, /, *, json: AsJson = False) -> Answer:
    """Say what a theorem states, its symbols and hypotheses, and where its proof is.

    An online run names the theorem whose hypotheses were checked on it. The levels of a
    certificate, L0 to L2, are no theorems: they are in docs/verification.md.
    """
    from hadaropt.theory import theorems, unknown_theorem

    if id is None:
        return _listed(list(theorems.values()))
    if id not in theorems:
        rule = unknown_theorem(id, "hadaropt theorem lists all")
        if id in LEVELS:
            rule += f"; as a level of a certificate, {id} is in docs/verification.md"
        raise UsageError(f"ID {id}: {rule}")
    return _shown(theorems[id])


def _listed(stated: list[Statement]) -> Answer:
    document = {"command": "theorem", "theorems": [_document(one) for one in stated]}
    rows = [(one.id, TAGS[one.tag], one.title) for one in stated]
    lines = [("note", "hadaropt theorem ID says what one of them states.")]
    return Answer(document, lines, [Table(("id", "backed by", "title"), rows)])


LEVELS = ("L1", "L2")  # of certificates; L0 is the id of a theorem, too

TAGS = {
    "Coq": "Coq",
    "paper": "proof in words",
    "cited": "citation",
    "FALSE": "counterexample",
}
"""What stands behind a claim, in words."""


def _document(one: Statement) -> dict[str, object]:
    return {
        "id": one.id,
        "title": one.title,
        "tag": one.tag,
        "statement": one.statement,
        "symbols": dict(one.symbols),
        "hypotheses": one.hypotheses,
        "proof": one.proof,
        "coq": [{"name": name, "file": file} for name, file in one.coq],
        "source": one.source,
    }


def _shown(one: Statement) -> Answer:
    lines = [
        ("theorem", f"{one.id}: {one.title}"),
        ("statement", one.statement),
        *_labelled("hypotheses", list(one.hypotheses)),
        *_labelled("where", [f"{symbol}: {meaning}" for symbol, meaning in one.symbols]),
        ("backed by", TAGS[one.tag]),
        ("proof", one.proof),
        *_labelled("in Coq", [f"{name} in {file}" for name, file in one.coq]),
        ("source", one.source),
    ]
    return Answer({"command": "theorem", **_document(one)}, lines)


def _labelled(label: str, texts: list[str]) -> list[tuple[str, str]]:
    """Return lines of which the first alone has the label."""
    return [(label if i == 0 else "", text) for i, text in enumerate(texts)]
