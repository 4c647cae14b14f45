"""Settings of Sphinx. The source folder is the clone, so that links are those of the files."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import hadaropt

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS))
# Notebooks call the command; a failing one stops the build.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
# Kernels run on this machine alone: that their sockets are not encrypted is not said for each page.
KERNELS = DOCS / "_build" / ".ipython"
(KERNELS / "profile_default").mkdir(parents=True, exist_ok=True)
settings = '{"IPKernelApp": {"log_level": "ERROR"}}'
(KERNELS / "profile_default" / "ipython_kernel_config.json").write_text(settings, encoding="utf-8")
os.environ["IPYTHONDIR"] = str(KERNELS)

project = "hadaropt"
author = "The hadaropt developers"
copyright = author
version = release = hadaropt.__version__

root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "docs/howto/*.md",
    "docs/tutorials/*.md",
    "docs/reference/**",
    "docs/theory/*.md",
    "proofs/README.md",
    "proofs/written/*.md",
    "models/README.md",
    "benchmarks/*/README.md",
    "benchmarks/runtime/RESULTS-exact.md",
    "benchmarks/runtime/RESULTS-dives.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
]
exclude_patterns = ["docs/_build", ".venv", "**/.*"]

extensions = [
    "myst_nb",  # pages in Markdown, and notebooks that run when the pages are built
    "numpydoc",  # docstrings of the API
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_proof",  # theorems
    "sphinxcontrib.bibtex",  # references
    "_theorems",  # every claim of hadaropt.theorems as a theorem
]
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "cache"
nb_execution_cache_path = str(DOCS / "_build" / ".notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
suppress_warnings = ["mystnb.unknown_mime_type"]

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings give types
numpydoc_show_class_members = False
numpydoc_validation_checks: set[str] = set()

smartquotes = False  # formulas stay as they are written
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # names in docstrings; links between pages are all checked

templates_path = [str(DOCS / "_templates")]

html_theme = "sphinx_book_theme"
html_title = "hadaropt"
html_static_path = ["_static"]
html_css_files = ["page.css"]
html_theme_options = {
    "show_toc_level": 2,
    "home_page_in_toc": True,
    "use_download_button": False,
    "navbar_persistent": [],  # one search field, that of the side bar
}
html_show_sourcelink = False
html_domain_indices = html_use_index = False  # the search and the reference find names

ANCHOR = re.compile(r'^<a id="([^"]+)"></a>[ \t]*$', re.M)
LINK = re.compile(r"\]\(([^()\s:]*?)(?:#([^()\s]+))?\)")


def written_anchors(file: Path) -> set[str]:
    return set(ANCHOR.findall(file.read_text(encoding="utf-8")))


def read(app: object, docname: str, source: list[str]) -> None:
    """Turn HTML anchors into targets, links to them into references, links to folders to text."""
    own = ROOT / f"{docname}.md"
    if not own.exists():
        return

    def link(match: re.Match[str]) -> str:
        path, anchor = match[1], match[2]
        file = (own.parent / path).resolve() if path else own
        if file.is_dir():
            return "]()"
        if anchor and file.suffix == ".md" and anchor in written_anchors(file):
            return f"](#anchor-{file.stem}-{anchor})".lower()
        return match[0]

    text = LINK.sub(link, source[0])
    text = re.sub(r"\[([^\[\]]+)\]\(\)", r"\1", text)
    source[0] = ANCHOR.sub(lambda m: f"(anchor-{own.stem}-{m[1]})=".lower() + "\n", text)


def setup(app: object) -> None:
    """Sphinx calls this."""
    app.connect("source-read", read)  # type: ignore[attr-defined]
