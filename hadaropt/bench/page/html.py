"""HTML of one page: every text escaped, nothing loaded from anywhere."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from hadaropt.errors import printable
from hadaropt.figures import counted
from hadaropt.plot.style import figure_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Row = Sequence[object]

# No script, no request: what is not in this file is not shown.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"


def plain(text: object) -> str:
    """Return what stands in HTML, also in quotes, for `text` as it is written.

    Control characters, and those that would reverse what follows, are shown by their codes.
    """
    return escape(printable(str(text), keep=SPACES), quote=True)


@dataclass(frozen=True)
class Numbers:
    """The numbers behind a figure or a table: a file to download.

    Attributes
    ----------
    name : str
        Of the file, without suffix.
    columns : sequence of str
    rows : sequence of rows
    """

    name: str
    columns: Sequence[str]
    rows: Sequence[Row]

    def text(self) -> str:
        """Return the numbers as comma-separated values."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return out.getvalue()

    def link(self) -> str:
        """Return a link that downloads the numbers."""
        name = plain(f"{self.name}.csv")
        label = plain(f"Numbers: {self.name}.csv ({counted(len(self.rows), 'row')})")
        uri = data_uri("text/csv;charset=utf-8", self.text().encode(errors="backslashreplace"))
        return f'<p class="numbers"><a download="{name}" href="{uri}">{label}</a></p>'


@dataclass(frozen=True)
class Figure:
    """A picture with a caption, a description for those who cannot see it, and its numbers."""

    caption: str
    alt: str
    axes: Axes
    numbers: Numbers
    wide: bool = False

    def html(self) -> str:
        """Return the figure."""
        kind = ' class="wide"' if self.wide else ""
        hint = '<p class="hint">The picture scrolls sideways.</p>' if self.wide else ""
        return (
            f"<figure{kind}><figcaption>{plain(self.caption)}</figcaption>"
            f'{hint}<div class="scroll"><img src="{data_uri("image/svg+xml", svg(self.axes))}" '
            f'alt="{plain(self.alt)}"></div>{self.numbers.link()}</figure>'
        )


@dataclass(frozen=True)
class Link:
    """A text that leads to the element of an id in the same page."""

    text: str
    id: str

    def __str__(self) -> str:
        return self.text


def cell(content: object) -> str:
    """Return the content of a cell: a link, or plain text."""
    if isinstance(content, Link):
        return f'<a href="#{plain(content.id)}">{plain(content.text)}</a>'
    return plain(content)


@dataclass(frozen=True)
class Table:
    """A table that scrolls by itself where the screen is narrow; cells are plain text or links."""

    columns: Sequence[str]
    rows: Sequence[Row]
    numbers: Numbers | None = None
    caption: str = ""
    facts: bool = False
    folded: str = ""
    wrapped: bool = False
    id: str = ""

    def html(self) -> str:
        """Return the table; ``facts`` are a name and a text each, and links lead to its ``id``.

        ``folded`` is the summary of a table that opens on request. ``wrapped`` breaks the lines of
        the last column where there is room.
        """
        if self.facts:
            rows = "".join(
                f'<tr><th scope="row">{plain(name)}</th><td>{plain(text)}</td></tr>'
                for name, text in self.rows
            )
            caption = f"<caption>{plain(self.caption)}</caption>" if self.caption else ""
            link = "" if self.numbers is None else self.numbers.link()
            own = f' id="{plain(self.id)}"' if self.id else ""
            table = f'<table class="facts"{own}>{caption}<tbody>{rows}</tbody></table>'
            if self.folded:
                table = f"<details><summary>{plain(self.folded)}</summary>{table}</details>"
            return table + link
        heads = "".join(f'<th scope="col">{plain(name)}</th>' for name in self.columns)
        lines = []
        for row in self.rows:
            first, *others = (cell(content) for content in row)
            cells = "".join(f"<td>{text}</td>" for text in others)
            name = first.replace("_", "_<wbr>").replace(":", ":<wbr>")  # where long names break
            lines.append(f'<tr><th scope="row">{name}</th>{cells}</tr>')
        caption = f"<caption>{plain(self.caption)}</caption>" if self.caption else ""
        kind = ' class="wrapped"' if self.wrapped else ""
        hint = '<p class="hint">The table scrolls sideways.</p>' if len(self.columns) > 3 else ""
        table = (
            f'{hint}<div class="scroll" tabindex="0"><table{kind}>{caption}'
            f"<thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
        )
        if self.folded:
            table = f"<details><summary>{plain(self.folded)}</summary>{table}</details>"
        return f"{table}{'' if self.numbers is None else self.numbers.link()}"


@dataclass(frozen=True)
class Text:
    """A paragraph; ``missing`` marks what could not be shown."""

    text: str
    missing: bool = False

    def html(self) -> str:
        """Return the paragraph."""
        kind = ' class="missing"' if self.missing else ""
        return f"<p{kind}>{plain(self.text)}</p>"


Block = Figure | Table | Text


@dataclass
class Section:
    """A heading and what stands under it, in order."""

    id: str
    title: str
    blocks: list[Block] = field(default_factory=list)

    def html(self) -> str:
        """Return the section; consecutive figures share a grid."""
        parts = [f'<section id="{plain(self.id)}"><h2>{plain(self.title)}</h2>']
        inside = False
        for block in self.blocks:
            if isinstance(block, Figure) != inside:
                inside = not inside
                parts.append('<div class="figures">' if inside else "</div>")
            parts.append(block.html())
        return "\n".join([*parts, *(["</div>"] if inside else []), "</section>"])


def data_uri(kind: str, content: bytes) -> str:
    """Return the content as a URI."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def svg(axes: Axes) -> bytes:
    """Return the figure of the axes as SVG, text as text, the same bytes for the same figure."""
    from matplotlib import rc_context

    out = io.BytesIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "hadaropt"}):
        figure_of(axes).savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def page(title: str, about: str, sections: Sequence[Section], foot: str = "") -> str:
    """Return the whole page."""
    footer = f"<footer><p>{plain(foot)}</p></footer>\n" if foot else ""
    links = "".join(
        f'<li><a href="#{plain(part.id)}">{plain(part.title)}</a></li>' for part in sections
    )
    body = "\n".join(part.html() for part in sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{plain(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<header><h1>{plain(title)}</h1><p>{plain(about)}</p></header>
<nav aria-label="Contents"><ul>{links}</ul></nav>
<main>
{body}
</main>
{footer}</body>
</html>
"""


STYLE = """
:root { color-scheme: light }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; color: #1a1a1a; background: #fff;
       margin: 0 auto; max-width: 80rem; padding: 1rem }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .5rem; border-bottom: 2px solid #0072b2 }
p { max-width: 48rem; overflow-wrap: anywhere }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1rem; padding: 0 }
nav a { display: inline-block; padding: .2rem 0 }
a { color: #005a8f }
.figures { display: grid; gap: 1.2rem; margin-top: 1rem;
           grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)) }
figure { margin: 0; min-width: 0; break-inside: avoid }
figure.wide { grid-column: 1 / -1 }
figcaption { font-weight: 600; margin-bottom: .2rem; overflow-wrap: anywhere }
img { display: block; width: 100%; height: auto; max-width: 46rem }
figure.wide img { max-width: 62rem }
summary { cursor: pointer; font-weight: 600; padding: .3rem 0 }
.numbers { margin: .2rem 0 1rem; font-size: .85rem }
.missing { border-left: 4px solid #d55e00; padding: .2rem .8rem; background: #fff5ee }
.scroll { overflow-x: auto; max-width: 100% }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums }
caption { text-align: left; font-weight: 600; padding: .3rem 0 }
th, td { padding: .25rem .5rem; text-align: right; border-bottom: 1px solid #ddd;
         white-space: nowrap; unicode-bidi: isolate }
thead th { border-bottom: 2px solid #333; vertical-align: bottom }
th:first-child { text-align: left; position: sticky; left: 0; background: #fff }
footer { margin-top: 2.5rem; border-top: 1px solid #ddd; font-size: .85rem; color: #555 }
.hint { display: none; margin: .6rem 0 0; font-size: .85rem; color: #555 }
.wrapped th:last-child { text-align: left }
.wrapped td:last-child { white-space: normal; overflow-wrap: anywhere; text-align: left;
                         min-width: 14rem }
.facts th, .facts td { text-align: left; white-space: normal; overflow-wrap: anywhere }
.facts th { vertical-align: top; min-width: 7rem }
@media (max-width: 40rem) { body { padding: .7rem; font-size: 15px } h1 { font-size: 1.35rem }
  th, td { padding: .25rem .45rem } figure.wide img { min-width: 38rem }
  .hint { display: block }
  .scroll th:first-child { min-width: 8.5rem; white-space: normal; overflow-wrap: anywhere }
  .wrapped td:last-child { white-space: nowrap } }
@page { margin: 16mm 14mm }
@media print {
  details::details-content { content-visibility: visible; display: block }
  body { max-width: none; font-size: 10pt; padding: 0 }
  nav, .numbers, .hint { display: none }
  .figures { grid-template-columns: 1fr 1fr }
  .scroll { overflow: visible }
  figure.wide img { max-width: 100% }
  table { font-size: 7pt; width: 100%; margin-bottom: 8pt }
  th, td { padding: 1pt 3pt; white-space: normal }
  th:first-child { position: static; overflow-wrap: anywhere }
  thead th:first-child { overflow-wrap: normal }
  h2 { break-after: avoid }
  tr { break-inside: avoid }
}
"""
