"""The theorem behind an online run, as lines for people and as a document."""

from __future__ import annotations

from hadaropt.cli.common.answer import Lines, decimal
from hadaropt.results import VACUOUS, OnlineRun, Theorem


def guarantee_document(run: OnlineRun) -> dict[str, object]:
    """Return the keys ``theorem`` (None without one) and ``theorem_absent``."""
    held = run.theorem
    return {
        "theorem": None if held is None else _document(held),
        "theorem_absent": run.theorem_absent,
    }


def guarantee_lines(run: OnlineRun) -> Lines:
    """Return the guarantee in numbers, whether it says anything, and what states and proves it."""
    theorem = run.theorem
    if theorem is None:
        return [("theorem", f"none: {run.theorem_absent}")]
    constant = decimal(theorem.constant, 6, up=True)
    additive = decimal(theorem.additive, 6, up=True)
    promise = f"OPT <= {constant} P + {additive}"
    if theorem.stated_by == theorem.id:
        lines = [("theorem", f"{theorem.id}: {promise}")]
    else:
        formula = (
            "" if theorem.closed_form is None else f", whose formula: {theorem.closed_form:.6g}"
        )
        lines = [
            ("theorem", f"{theorem.stated_by} with the price tables of this run: {promise}"),
            ("", f"they are those of {theorem.id}{formula}"),
        ]
    if theorem.vacuous:
        limit = f"U/L = {theorem.spread:.6g}" if theorem.spread < VACUOUS else f"{VACUOUS}"
        lines.append(("", f"vacuous: {constant} is above {limit}"))
    stated = theorem.statement
    return [
        *lines,
        ("statement", f"{stated.title}. {stated.statement} More: hadaropt theorem {stated.id}"),
        ("proof", stated.proof),
    ]


def _document(theorem: Theorem) -> dict[str, object]:
    return {
        "id": theorem.id,
        "stated_by": theorem.stated_by,
        "title": theorem.statement.title,
        "statement": theorem.statement.statement,
        "proof": theorem.statement.proof,
        "constant": theorem.constant,
        "additive": theorem.additive,
        "vacuous": theorem.vacuous,
        "spread": theorem.spread,
        "foreknowledge": theorem.foreknowledge,
        "closed_form": theorem.closed_form,
    }
