"""The page of claims as markdown and as HTML; every text is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from benchmarks.paper.experiments import Outcome

COLUMNS = ("claim", "published", "ours", "why")
TITLE = "What the sources claim, and what is found here"


def to_markdown(outcomes: Sequence[Outcome], head: str) -> str:
    """Return the page as GitHub-flavoured markdown."""
    lines = [f"# {TITLE}", "", head, ""]
    for outcome in outcomes:
        lines += [f"## {outcome.name}", "", _plain(outcome.about), ""]
        if outcome.reason:
            lines += [f"*{_plain(outcome.reason)}*", ""]
        if outcome.claims:
            lines += [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
            for claim in outcome.claims:
                cells = (_plain(getattr(claim, name)) for name in COLUMNS)
                lines.append(f"| {' | '.join(cells)} |")
            lines += ["", f"{outcome.seconds:.0f} s.", ""]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Return text that a table cell of markdown shows as it is."""
    for mark in ("\\", "|", "<", "*", "_", "`"):
        text = text.replace(mark, f"\\{mark}")
    return "<br>".join(" ".join(line.split()) for line in text.splitlines())


STYLE = """
body { font: 16px/1.45 system-ui, sans-serif; margin: 1rem auto; max-width: 72rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #bbb; padding: .4rem .6rem; text-align: left; vertical-align: top;
         overflow-wrap: anywhere; white-space: pre-line }
th { border-bottom: 2px solid #333 }
.reason { font-style: italic }
@media (max-width: 40rem) {
  thead { display: none }
  tr { display: block; border-bottom: 2px solid #333; padding: .4rem 0 }
  td { display: block; border: 0; padding: .15rem 0 }
  td::before { content: attr(data-label) ": "; font-weight: 600 }
}
"""


def to_html(outcomes: Sequence[Outcome], head: str) -> str:
    """Return the page as one HTML file that needs nothing else."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(TITLE)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{escape(TITLE)}</h1><p>{escape(head)}</p>",
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
            parts.append(f"</tbody></table><p>{outcome.seconds:.0f} s</p>")
    parts.append("</body></html>\n")
    return "\n".join(parts)
