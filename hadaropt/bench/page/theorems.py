"""The theorems that cells rest on: what each says, what it assumes, and where its proof is."""

from __future__ import annotations

from collections.abc import Sequence

from hadaropt.bench.page.html import Link, Section, Table, Text
from hadaropt.bench.ratio.cells import Cell
from hadaropt.theory import theorems


def theorem_link(cell: Cell, text: str) -> Link:
    """Return a text that leads to the statement of the cell's theorem in the page."""
    return Link(text, _anchor(cell.theorem))


def theorem_section(cells: Sequence[Cell]) -> Section | None:
    """State each theorem that a cell has, in the order of `hadaropt.theorems`; None without one."""
    used = {cell.theorem for cell in cells if cell.theorem}
    if not used:
        return None
    section = Section("theorems", "Theorems")
    section.blocks.append(
        Text("What the guarantees above rest on. A vacuous constant is above U/L or above 1000.")
    )
    for id in (known for known in theorems if known in used):
        section.blocks.append(_stated(id, [cell for cell in cells if cell.theorem == id]))
    symbols = dict(symbol for id in theorems if id in used for symbol in theorems[id].symbols)
    if symbols:
        facts = list(symbols.items())
        section.blocks.append(Table(("", ""), facts, facts=True, folded="Symbols of the theorems"))
    for id in sorted(used - set(theorems)):
        facts = [("", "is not among the theorems of this version: hadaropt theorem lists them")]
        section.blocks.append(Table(("", ""), facts, caption=id, facts=True, id=_anchor(id)))
    return section


def _anchor(id: str) -> str:
    return f"theorem-{id}"


def _stated(id: str, cells: Sequence[Cell]) -> Table:
    stated = theorems[id]
    vacuous = sum(cell.vacuous for cell in cells)
    facts = [
        ("statement", stated.statement),
        *(("if", hypothesis) for hypothesis in stated.hypotheses),
        ("cells", f"{len(cells)}, the constant vacuous in {vacuous}"),
        ("proof", stated.proof),
        *(("in Coq", f"{name} in {file}") for name, file in stated.coq),
        ("more", f"hadaropt theorem {id}"),
    ]
    caption = f"{id}: {stated.title}"
    return Table(("", ""), facts, caption=caption, facts=True, id=_anchor(id))
