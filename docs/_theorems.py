"""The directive ``theorems``: the claims of `hadaropt.theorems` of one kind, as theorems."""

from __future__ import annotations

import re

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

import hadaropt

BACKED = {
    "Coq": "checked by machine",
    "paper": "proved in words",
    "cited": "a known result, cited",
    "FALSE": "refuted by a counterexample",
}


def plain(text: str) -> str:
    """Return Markdown that shows the text as it is."""
    return re.sub(r"([\\`*_{}\[\]<>#+!|~$-])", r"\\\1", text)


class TheoremList(SphinxDirective):
    """``theorems:: Coq paper`` lists the claims with these tags."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        tags = self.arguments[0].split()
        lines: list[str] = []
        for claim in hadaropt.theorems.values():
            if claim.tag not in tags:
                continue
            kind = "prf:example" if claim.tag == "FALSE" else "prf:theorem"
            file, _, anchor = claim.proof.partition("#")
            page = file.rsplit("/", 1)[-1].removesuffix(".md")
            label = "claim-" + claim.id.replace("''", "-second").replace("'", "-prime").lower()
            lines += [f"::::{{{kind}}} {claim.id}. {claim.title}", f":label: {label}", ":nonumber:"]
            lines += ["", plain(claim.statement), ""]
            lines += [
                "Hypotheses:",
                "",
                *(f"- {plain(hypothesis)}" for hypothesis in claim.hypotheses),
            ]
            where = f"[proof](#anchor-{page}-{anchor.lower()})"
            lines += ["", f"{BACKED[claim.tag].capitalize()}; {where}.", "::::", ""]
        node = nodes.Element()
        self.state.nested_parse(StringList(lines, "theorems"), self.content_offset, node)
        return node.children


def setup(app: object) -> dict[str, bool]:
    """Sphinx calls this."""
    app.add_directive("theorems", TheoremList)  # type: ignore[attr-defined]
    return {"parallel_read_safe": True}
