"""Code blocks of README and docs are executed here, checked, or marked as not run, with a reason.

Notebooks (docs/tutorials) run in ``make docs``.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from hadaropt.cli import main
from hadaropt.cli.entry import make_app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = {
    str(file.relative_to(ROOT)): file.read_text(encoding="utf-8")
    for file in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    if "_build" not in file.parts and "api" not in file.parts
}
NOTEBOOKS = [page for page, text in PAGES.items() if "file_format: mystnb" in text]
ELSEWHERE = {"docs/training.md": "tests/forking/training/test_docs.py"}  # starts worker processes
NO_CODE = {"", "text", "json", "toml", "bibtex"}  # files and output
FENCE = re.compile(
    r"(?:<!-- not run: (?P<reason>[^\n]+?) -->\n[ ]*)?^(?P<indent>[ ]*)```(?P<language>[^\n]*)\n"
    r"(?P<text>.*?)^[ ]*```[ ]*$",
    re.M | re.S,
)
TOCTREE = r"^```\{toctree\}\n(?::[^\n]*\n)*(.*?)^```"
APP = make_app()
OTHER_PROGRAMS = {"pip", "dask", ".", "gurobi_cl"}


@dataclass(frozen=True)
class Block:
    page: str
    language: str
    text: str
    reason: str | None


def blocks(language: str) -> dict[str, list[Block]]:
    """Return the blocks of a language by page, without those that are marked."""
    found: dict[str, list[Block]] = {}
    for block in ALL:
        if block.language == language and block.reason is None and block.page not in NOTEBOOKS:
            found.setdefault(block.page, []).append(block)
    return found


ALL = [
    Block(
        page,
        match["language"],
        re.sub(f"^{match['indent']}", "", match["text"], flags=re.M),
        match["reason"],
    )
    for page, text in PAGES.items()
    for match in FENCE.finditer(text)
]


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A folder with the files of the clone that the pages use."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sessions(page: str) -> list[tuple[str, str]]:
    """Return the commands of the console blocks, each with the output shown."""
    shown = "\n".join(block.text for block in blocks("console")[page])
    return [
        (command, output.rstrip())
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", shown, re.M)
    ]


def test_every_block_is_of_a_kind_that_is_checked():
    kinds = {"python", "console", "sh"} | NO_CODE
    for block in ALL:
        if block.page not in NOTEBOOKS and not block.language.startswith("{"):
            assert block.language in kinds, (block.page, block.language)
    assert sum(len(found) for found in blocks("python").values()) > 12
    assert sum(block.reason is not None for block in ALL) < 10


@pytest.mark.parametrize("page", sorted(blocks("console")))
def test_shell_commands_print_what_is_shown(clone, capsys, page):
    assert sessions(page)
    for command, output in sessions(page):
        program, *arguments = shlex.split(command)
        assert program == "hadaropt"
        quiet = arguments[-2:] == [">", "/dev/null"]
        with pytest.raises(SystemExit) as stop:
            main(arguments[:-2] if quiet else arguments)
        printed = capsys.readouterr()
        assert ("" if quiet else printed.out.rstrip()) == output, command
        assert stop.value.code == 0, printed.err


@pytest.mark.parametrize("page", sorted(set(blocks("python")) - set(ELSEWHERE)))
def test_python_prints_what_is_shown(clone, page):
    example = "".join(block.text for block in blocks("python")[page])
    wanted = re.findall(r"# ?> (.*)", example)
    assert wanted
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(example, page, "exec"), {"__name__": "example"})
    assert out.getvalue().splitlines() == wanted


def test_pages_whose_examples_run_elsewhere_have_that_test():
    for page, test in ELSEWHERE.items():
        assert blocks("python")[page]
        assert Path(page).name in (ROOT / test).read_text(encoding="utf-8")


def command_lines() -> list[tuple[str, str]]:
    """Return the page and every line of its sh blocks, and the commands of notebooks."""
    lines = [
        (block.page, line)
        for found in blocks("sh").values()
        for block in found
        for line in block.text.replace("\\\n", " ").splitlines()
    ]
    lines += [
        (p, line)
        for p, text in PAGES.items()
        for line in re.findall(r"^    (hadaropt .*)", text, re.M)
    ]
    lines += [
        (p, s)
        for p in NOTEBOOKS
        for s in re.findall(r"^%%bash\n(hadaropt .*?)(?: 2>.*)?$", PAGES[p], re.M)
    ]
    return [(page, line) for page, line in lines if shlex.split(line, comments=True)]


@pytest.mark.parametrize(("page", "line"), command_lines())
def test_commands_that_are_not_run_would_be_understood(page, line):
    program, *arguments = shlex.split(line, comments=True)
    if program == "hadaropt":
        APP.parse_args(arguments, exit_on_error=False, print_error=False)
    elif program == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
        assert arguments[0] in targets
    elif program in {"python", "python3"} and arguments[0] == "-m":
        assert find_spec(arguments[1]) is not None
    elif program == "python":
        assert (ROOT / arguments[0]).exists()
    else:
        assert program in OTHER_PROGRAMS, (page, line)


def anchors(text: str) -> set[str]:
    """Return what a link may name in a page: headings as GitHub writes them, HTML anchors."""
    heads = re.findall(r"^#+ (.*)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    slugs = {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("page", sorted(PAGES))
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", PAGES[page], flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'src="([^"]+)"', text):
        if target.startswith("https://"):
            continue
        name, _, place = target.partition("#")
        file = (ROOT / page).parent / name if name else ROOT / page
        assert file.exists(), target
        if place:
            assert place in anchors(file.read_text(encoding="utf-8")), target


def test_every_page_is_in_the_index_and_every_entry_is_a_page():
    listed = re.findall(
        r"^([\w./-]+)$",
        "".join(re.findall(TOCTREE, PAGES["docs/index.md"], re.M | re.S)),
        re.M,
    )
    for entry in listed:
        assert (DOCS / f"{entry}.md").exists(), entry
    for page in PAGES:
        if page.startswith("docs/") and page != "docs/index.md":
            assert page.removeprefix("docs/").removesuffix(".md") in listed, page
    for chapter in (ROOT / "proofs" / "written").glob("*.md"):
        assert f"../proofs/written/{chapter.stem}" in listed


@pytest.mark.parametrize("page", sorted(PAGES))
def test_pictures_say_what_they_show(page):
    for options in re.findall(r"^```\{image\} [^\n]+\n(.*?)^```", PAGES[page], re.M | re.S):
        assert re.search(r"^:alt: .{20}", options, re.M)


def test_every_public_name_is_in_the_reference():
    import hadaropt

    text = PAGES["docs/reference/api.md"]
    for name in hadaropt.__all__:
        if name != "__version__":
            assert re.search(rf"^   ~?hadaropt\.{name}$", text, re.M), name


def raised_lines(source: str) -> list[str]:
    """Return what stands as names of exceptions under "Raises" in the docstrings of a module."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            _, _, section = (ast.get_docstring(node) or "").partition("Raises\n------\n")
            section = re.split(r"\n\w[\w ]*\n---", section)[0]
            found += [line for line in section.splitlines() if line and line[0] != " "]
    return found


def test_notebooks_print_the_output_of_commands_whole():
    """IPython reads the output of its own %%bash in pieces, which are then cut within words."""
    pages = [page for page in NOTEBOOKS if "\n%%bash\n" in PAGES[page]]
    assert pages
    for page in pages:
        assert PAGES[page].index("@register_cell_magic\ndef bash(") < PAGES[page].index("%%bash\n")


def test_below_raises_stand_names_of_exceptions_only():
    """The reference shows every line there as a name: other sentences belong to the notes."""
    lines = [
        (file.name, line)
        for file in (ROOT / "hadaropt").rglob("*.py")
        for line in raised_lines(file.read_text("utf-8"))
    ]
    assert len(lines) > 100
    assert [pair for pair in lines if not re.fullmatch(r"[\w.]+(, [\w.]+)*", pair[1])] == []
    assert raised_lines('"""A.\n\nRaises\n------\nE\n    If so.\n\nMore words.\n"""') == [
        "E",
        "More words.",
    ]
