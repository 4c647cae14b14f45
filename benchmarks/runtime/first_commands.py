"""Seconds of the first ten commands of the documentation, each without compiled code and with it.

    python -m benchmarks.runtime.first_commands [--count 10]

The commands are read from the README and from docs/shell.md, in their order, and run one after the
other in a folder with the examples: for each one a new home, in which nothing is compiled (cold),
and then the same home again (warm). Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from .first_use import new_environment, timed

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/shell.md")
_BLOCK = re.compile(r"^```(console|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(page: str) -> list[str]:
    """Return the lines that call hadaropt in the shell blocks of a page, without comments.

    In a ``console`` block they follow ``$ ``; in an ``sh`` block a backslash continues a line.
    """
    found = []
    for kind, text in _BLOCK.findall(page):
        for line in text.replace("\\\n", " ").splitlines():
            if kind == "console" and not line.startswith("$ "):
                continue
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words[:1] == ["hadaropt"]:
                found.append(shlex.join(words))
    return found


def first(pages: Iterable[str], count: int, most: int = 2) -> list[str]:
    """Return the first commands of several pages, each once, at most `most` of the first page."""
    first_page, *others = (commands(page) for page in pages)
    return list(dict.fromkeys([*first_page[:most], *(c for page in others for c in page)]))[:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10)
    count = parser.parse_args().count
    pages = [(ROOT / page).read_text() for page in PAGES]
    print("| command | cold s | warm s | cold CPU s | warm CPU s |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name) / "work"
        shutil.copytree(ROOT / "examples", work / "examples")
        for k, command in enumerate(first(pages, count)):
            home = Path(name) / str(k)
            home.mkdir()
            python, variables = new_environment(home)
            cold, warm = (
                timed(python, shlex.split(command)[1:], variables, work) for _ in range(2)
            )
            if (cold.code, warm.code) != (0, 0):
                raise SystemExit(f"{command}: exit codes {cold.code}, {warm.code}")
            seconds = (cold.wall, warm.wall, cold.cpu, warm.cpu)
            print(f"| `{command}` |" + "".join(f" {s:.1f} |" for s in seconds), flush=True)


if __name__ == "__main__":
    main()
