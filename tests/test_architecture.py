"""docs/architecture.md and docs/glossary.md are true of the code."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "hadaropt"
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
GLOSSARY = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
MAP = PAGE.split("```")[1]
PROSE = re.sub(r"```.*?```", "", PAGE, flags=re.S)
PLACES = ("", "hadaropt", "hadaropt/offline")
"""Where a path of the page may begin."""
SUFFIXES = (".py", ".toml", ".json", ".md")


@cache
def sources() -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in sorted(PACKAGE.rglob("*.py")))


def there(path: str) -> list[Path]:
    return [found for place in PLACES for found in sorted((ROOT / place).glob(path))]


def in_map() -> list[str]:
    """Return the paths of the map, each below the lines that it is indented under."""
    found, above = [], {}
    for line in MAP.splitlines():
        names = re.match(r"( *)((?:[\w.]+(?:/[\w.]*)* ?)+)", line)
        if names is None or not re.search(r"[/.]", names[2].split()[0]):
            continue
        depth, parts = len(names[1]), []
        for name in names[2].split():
            if "/" in name or name.endswith(".py"):
                parts.append(name)
            else:
                break
        base = "".join(above[d] for d in sorted(above) if d < depth)
        found += [base + part for part in parts]
        above = {d: own for d, own in above.items() if d < depth} | {depth: parts[-1]}
    return found


def test_the_map_is_read():
    assert {"hadaropt/", "hadaropt/instance.py", "hadaropt/offline/lns/"} <= set(in_map())
    assert len(in_map()) > 60


@pytest.mark.parametrize("path", in_map())
def test_every_path_of_the_map_exists(path):
    assert (ROOT / path).exists()


def test_every_room_and_every_file_at_the_top_is_on_the_map():
    shown = {path.rstrip("/") for path in in_map()}
    top = {f"hadaropt/{file.name}" for file in PACKAGE.glob("*.py") if file.stem[0] != "_"}
    rooms = {
        file.parent.relative_to(ROOT).as_posix()
        for part in (PACKAGE, PACKAGE / "offline")
        for file in part.glob("*/__init__.py")
    }
    assert sorted((top | rooms) - shown) == []


PATHS = [
    text
    for text in dict.fromkeys(re.findall(r"`([^`\n]+)`", PROSE))
    if re.fullmatch(r"[\w./*]+(::\w+)?", text) and ("/" in text or text.endswith(SUFFIXES))
]


@pytest.mark.parametrize("text", PATHS)
def test_every_path_in_the_text_exists(text):
    path, _, name = text.partition("::")
    found = there(path)
    assert found, f"{path} is not there"
    if name:
        assert re.search(rf"^\s*(def|class) {name}\b", found[0].read_text(), re.M)


def names(text: str) -> list[str]:
    """Return the names of the code in backticks: no paths, no commands."""
    found = dict.fromkeys(re.findall(r"`([^`\n]+)`", text))
    return [one for one in found if re.fullmatch(r"[A-Za-z_][\w.]*(\(\w*\))?", one)]


def is_there(name: str) -> bool:
    """Whether each part of a dotted name stands in the code; a module is a file."""
    parts = name.partition("(")[0].split(".")
    if parts[0] == "hadaropt":
        parts = parts[1:]
    return all(
        re.search(rf"\b{part}\b", sources()) or list(PACKAGE.rglob(f"{part}.py")) for part in parts
    )


OF_OTHERS = {"models", "proofs", "tests", "python", "make", "pyproject.toml"}


@pytest.mark.parametrize("name", [name for name in names(PROSE) if name not in OF_OTHERS])
def test_every_name_in_the_text_is_in_the_code(name):
    assert is_there(name) or there(name)


TERMS = [
    [cell.strip() for cell in line.strip()[1:-1].split("|")]
    for line in GLOSSARY.splitlines()
    if line.startswith("| ") and not line.startswith(("| term", "|---"))
]


def test_the_glossary_is_read():
    assert len(TERMS) > 45 and all(len(row) == 5 for row in TERMS)
    assert len({row[0] for row in TERMS}) == len(TERMS)


@pytest.mark.parametrize("row", TERMS, ids=lambda row: row[0])
def test_every_code_name_of_the_glossary_is_in_the_code(row):
    for text in re.findall(r"`([^`]+)`", row[3]):
        if "/" in text:
            path = text.rstrip("/")
            assert there(path) or there(f"{path}.py"), text
        elif text.startswith("hadaropt "):
            assert (PACKAGE / "cli" / f"{text.split()[1]}.py").exists()
        else:
            assert is_there(re.sub(r"\(.*", "", text)), text


def test_tests_are_in_the_file_of_their_module_or_the_page_says_where():
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", PAGE.split("## Where tests are")[1], re.M)
    elsewhere = [name for listed, _ in rows for name in re.findall(r"`([^`]+)`", listed)]
    assert len(elsewhere) > 10
    without = []
    for file in sorted(PACKAGE.rglob("*.py")):
        module = file.relative_to(PACKAGE)
        own = ROOT / "tests" / module.parent / f"test_{module.name}"
        if module.name != "__init__.py" and not own.exists():
            without.append(module)
    said = [module for module in without if any(module.match(name) for name in elsewhere)]
    assert [str(module) for module in without if module not in said] == []


def layers(name: str) -> list[set[str]]:
    document = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = document["tool"]["importlinter"]["contracts"]
    (found,) = (own["layers"] for own in contracts if own["name"] == name)
    return [set(re.findall(r"\w+", line)) for line in found]


def test_the_layers_of_the_page_are_those_that_are_checked():
    table = re.findall(
        r"^\| (`.*?) \|", PROSE.split("\n## The layers\n")[1].split("\n## ")[0], re.M
    )
    assert [set(re.findall(r"`(\w+)`", line)) for line in table] == layers("Layers point downwards")


def test_the_rooms_of_offline_are_those_that_are_checked():
    (line,) = re.findall(r"^Inside `offline`: (.*?)\.$", PROSE, re.M | re.S)
    shown = [set(re.findall(r"`(\w+)`", part)) for part in line.split(";")]
    assert shown == layers("Rooms of offline point downwards")
