"""Write the claim table of ``README.md`` as a page that leads to the pages of coqdoc.

``make proofs-doc`` runs it after coqdoc: each theorem of a claim is a link to its statement.
"""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = "HadarTheory"
STATED = re.compile(r"^ *(?:Theorem|Corollary|Lemma) ([A-Za-z0-9_']+)", re.MULTILINE)


def files_of_theorems() -> dict[str, str]:
    """Return the module that states each theorem."""
    modules = re.findall(r"^(\w+)\.v$", (HERE / "coq" / "_CoqProject").read_text(), re.MULTILINE)
    return {
        name: module
        for module in modules
        for name in STATED.findall((HERE / "coq" / f"{module}.v").read_text(encoding="utf-8"))
    }


def claims() -> list[tuple[str, str, str, list[str]]]:
    """Return (id, claim, statement, theorems) of every row."""
    text = (HERE / "README.md").read_text(encoding="utf-8")
    section = text.split("## Claims")[1].split("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        for line in section.splitlines()
        if line.startswith("| ")
    ]
    return [(row[0], row[1], row[2], re.findall(r"`([^`]+)`", row[4])) for row in rows[1:]]


def page() -> str:
    """Return the page.

    Raises
    ------
    KeyError
        If a claim names a theorem that no file states.
    """
    stating = files_of_theorems()

    def link(name: str) -> str:
        return (
            f'<a href="{LIBRARY}.{stating[name]}.html#{name}"><code>{html.escape(name)}</code></a>'
        )

    rows = "\n".join(
        f"<tr><td>{html.escape(id)}</td><td>{html.escape(claim)}</td>"
        f"<td>{html.escape(statement)}</td><td>{', '.join(map(link, names)) or '-'}</td></tr>"
        for id, claim, statement, names in claims()
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Claims and their proofs in Coq</title>
<link rel="stylesheet" href="coqdoc.css"></head><body>
<h1>Claims and their proofs in Coq</h1>
<p>All files: <a href="toc.html">contents</a>.</p>
<table><thead><tr><th>id</th><th>claim</th><th>statement</th><th>Coq</th></tr></thead><tbody>
{rows}
</tbody></table></body></html>
"""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
