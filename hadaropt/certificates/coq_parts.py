"""Export of a tree as files that Coq compiles at the same time, and one that joins what they prove.

The parts are neighbouring leaves of about equal work. Each part proves, for the trees that it
holds, that no feasible schedule with the answers above them is worth more than the bound. The last
file joins them, question by question: it computes nothing of a tree again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hadaropt.certificates.coq import (
    CoqTerms,
    heading,
    instance_definition,
    schedule_theorems,
    tightness,
)
from hadaropt.certificates.coq_tokens import integer, nat
from hadaropt.certificates.coq_tree import TreeExport, decision_term
from hadaropt.certificates.tree_document import Tree
from hadaropt.instance import Instance

LIBRARY = "HadarExport"
"""The Coq name of the folder of the files."""
LEAST_CELLS = 400_000
"""Of a part, as in `Hints.cells`, about a second: less is not worth a process."""


@dataclass(frozen=True)
class Files:
    """Coq files by name, without ``.v``: the first alone, the parts at once, the last alone."""

    first: tuple[str, str]
    parts: tuple[tuple[str, str], ...]
    last: tuple[str, str]

    @property
    def size(self) -> int:
        """Bytes of all of them."""
        return sum(len(text) for _, text in (self.first, *self.parts, self.last))


def export_parts(instance: Instance, terms: CoqTerms, most: int) -> Files | None:
    """Return the files that prove a tree in at most so many parts; None where one is enough."""
    if terms.tree is None:
        return None
    tree, cells = terms.tree.tree, terms.tree.hints.cells
    count = min(most, sum(cells.values()) // LEAST_CELLS, len(tree.leaves))
    if count < 2:
        return None
    owner = owners(tree, count, cells)
    roots: list[list[int]] = [[] for _ in range(count)]
    trunk = []
    todo = [0]
    while todo:
        at = todo.pop()
        part = owner[at]
        if part is None:
            trunk.append(at)
            _, yes, no = tree.branches[at]
            todo += [no, yes]
        else:
            roots[part].append(at)
    tight = _tight_part(instance, terms, terms.tree, owner)
    head = heading(instance, terms)
    parts = tuple(
        (f"part_{p}", head + _part(terms, terms.tree, below, tight=p == tight))
        for p, below in enumerate(roots)
        if below
    )
    return Files(
        ("statement", head + instance_definition(terms) + _answers(tree, trunk)),
        parts,
        ("joined", head + _joined(terms, tree, trunk, owner, [name for name, _ in parts])),
    )


def owners(tree: Tree, count: int, cells: Mapping[int, int]) -> dict[int, int | None]:
    """Return the part of each node, from 0: None where its leaves are of several parts.

    A leaf belongs where its middle falls when the work ``cells`` of all is cut into equal lengths.
    """
    owner: dict[int, int | None] = {}
    total, before = max(1, sum(cells.values())), 0
    for at in _leaves_in_order(tree):
        own = cells.get(at, 0)
        owner[at] = min(count - 1, (2 * before + own) * count // (2 * total))
        before += own
    for at in reversed(tree.order):
        if at in tree.branches:
            _, yes, no = tree.branches[at]
            owner[at] = owner[yes] if owner[yes] == owner[no] else None
    return owner


def _leaves_in_order(tree: Tree) -> Iterator[int]:
    """Yield the leaves from left to right."""
    todo = [0]
    while todo:
        at = todo.pop()
        if at in tree.leaves:
            yield at
        else:
            _, yes, no = tree.branches[at]
            todo += [no, yes]


def _tight_part(
    instance: Instance, terms: CoqTerms, export: TreeExport, owner: dict[int, int | None]
) -> int:
    """Return the part that shows that the bound is tight: any, if the schedule attains it."""
    if terms.value < terms.bound:
        for i in export.facts:
            bound = export.tree.leaves[i].bound
            if bound is not None and instance.round_down(bound) == export.bound:
                return owner[i] or 0
    return 0


def _answers(tree: Tree, trunk: Sequence[int]) -> str:
    """Return the definitions of the answers that lead to what hangs on the trunk."""
    lines = ["Definition answers_0 : list branch := [].\n"]
    for at in trunk:
        decision, yes, no = tree.branches[at]
        lines.append(f"Definition question_{at} : decision := {decision_term(decision)}.\n")
        for child, answer in ((yes, "true"), (no, "false")):
            term = f"(question_{at}, {answer}) :: answers_{at}"
            lines.append(f"Definition answers_{child} : list branch := {term}.\n")
    return "".join(lines)


def _under(terms: CoqTerms, at: int) -> str:
    claim = f"bounded_under the_instance {integer(terms.bound)} answers_{at}"
    return f"Lemma under_{at} : {claim}."


def _part(terms: CoqTerms, export: TreeExport, below: Sequence[int], *, tight: bool) -> str:
    claim = export.claim([(f"answers_{at}", at) for at in below])
    lemmas = [
        f"{_under(terms, at)}\n"
        f"Proof. exact (check_l2_sound the_instance the_certificate accepted answers_{at} _ "
        f"(nth_error_In (l2_trees the_certificate) {nat(k)} eq_refl)). Qed.\n"
        for k, at in enumerate(below)
    ]
    return f"""\
From {LIBRARY} Require Import statement.
{claim.definitions("the_certificate", "l2")}
Theorem accepted : check_l2 the_instance the_certificate = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
{"".join(lemmas)}
{tightness(terms) if tight else ""}"""


def _joined(
    terms: CoqTerms,
    tree: Tree,
    trunk: Sequence[int],
    owner: dict[int, int | None],
    parts: Sequence[str],
) -> str:
    def proof(at: int) -> str:
        part = owner[at]
        return f"under_{at}" if part is None else f"part_{part}.under_{at}"

    lemmas = [
        f"{_under(terms, at)}\n"
        f"Proof. exact (by_cases _ _ question_{at} _ {proof(yes)} {proof(no)}). Qed.\n"
        for at in reversed(trunk)
        for _, yes, no in (tree.branches[at],)
    ]
    return f"""\
From {LIBRARY} Require Import statement.
From {LIBRARY} Require {" ".join(parts)}.
{"".join(lemmas)}
Theorem bound_holds :
  forall s, feasible the_instance s -> value the_instance s <= {integer(terms.bound)}.
Proof. exact (bounded_always _ _ under_0). Qed.

{schedule_theorems(terms)}"""
