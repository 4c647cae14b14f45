"""The page of claims as markdown and as HTML; every text is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from benchmarks.paper.experiments import Outcome

COLUMNS = ("claim", "published", "ours", "why")
TITLE = "What the sources claim, and what is found here"
LEGEND = (
    "Numbers in brackets are 95 % bootstrap intervals over samples, which need five or more. A "
    "bound is a proven one: no schedule at all can be below it."
)
PICTURES = (".png", ".svg")


def to_markdown(outcomes: Sequence[Outcome], head: str) -> str:
    """Return the page as GitHub-flavoured markdown."""
    lines = [f"# {TITLE}", "", head, "", LEGEND, ""]
    for outcome in outcomes:
        lines += [f"## {outcome.name}", "", _plain(outcome.about), ""]
        if outcome.reason:
            lines += [f"*{_plain(outcome.reason)}*", ""]
        if outcome.claims:
            lines += [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
            for claim in outcome.claims:
                cells = (_plain(getattr(claim, name)) for name in COLUMNS)
                lines.append(f"| {' | '.join(cells)} |")
            lines.append("")
            for file in outcome.files:
                mark = "!" if file.endswith(PICTURES) else ""
                lines += [f"{mark}[{_plain(_named(file))}]({file})", ""]
            lines += [f"{outcome.seconds:.0f} s.", ""]
    return "\n".join(lines)


def _named(file: str) -> str:
    return file.rpartition("/")[2].replace("_", " ")


def _plain(text: str) -> str:
    """Return text that a table cell of markdown shows as it is."""
    for mark in ("\\", "|", "<", "*", "_", "`"):
        text = text.replace(mark, f"\\{mark}")
    return "<br>".join(" ".join(line.split()) for line in text.splitlines())


STYLE = """
body { font: 16px/1.45 system-ui, sans-serif; margin: 1rem auto; max-width: 72rem; padding: 0 1rem }
table { border-collapse: collapse; table-layout: fixed; width: 100% }
th:nth-child(1) { width: 20% } th:nth-child(2) { width: 12% } th:nth-child(3) { width: 36% }
th, td { border-bottom: 1px solid #bbb; padding: .4rem .6rem; text-align: left; vertical-align: top;
         overflow-wrap: break-word; white-space: pre-line }
th { border-bottom: 2px solid #333 }
img { max-width: 100%; height: auto }
.reason { font-style: italic }
@media (max-width: 40rem) {
  thead { display: none }
  tr { display: block; border-bottom: 2px solid #333; padding: .4rem 0 }
  td { display: block; border: 0; padding: .15rem 0 }
  td::before { content: attr(data-label) ": "; font-weight: 600 }
}
"""


def to_html(outcomes: Sequence[Outcome], head: str) -> str:
    """Return the page as one HTML file, which shows the pictures beside it."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(TITLE)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{escape(TITLE)}</h1><p>{escape(head)}</p><p>{escape(LEGEND)}</p>",
    ]
    for outcome in outcomes:
        parts.append(f"<h2>{escape(outcome.name)}</h2><p>{escape(outcome.about)}</p>")
        if outcome.reason:
            parts.append(f'<p class="reason">{escape(outcome.reason)}</p>')
        if outcome.claims:
            heads = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
            parts.append(f"<table><thead><tr>{heads}</tr></thead><tbody>")
            for claim in outcome.claims:
                cells = (
                    f'<td data-label="{name}">{escape(getattr(claim, name))}</td>'
                    for name in COLUMNS
                )
                parts.append(f"<tr>{''.join(cells)}</tr>")
            parts.append("</tbody></table>")
            for file in outcome.files:
                target, name = escape(file), escape(_named(file))
                if file.endswith(PICTURES):
                    parts.append(f'<p><img src="{target}" alt="{name}"></p>')
                else:
                    parts.append(f'<p><a href="{target}">{name}</a></p>')
            parts.append(f"<p>{outcome.seconds:.0f} s</p>")
    parts.append("</body></html>\n")
    return "\n".join(parts)
