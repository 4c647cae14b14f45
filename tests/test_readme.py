"""The README shows commands that exist and outputs that are what they print."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
from pathlib import Path

import pytest

import hadaropt
from hadaropt.cli import main
from hadaropt.cli.entry import make_app
from hadaropt.io import canonical_instance

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


def sessions() -> list[tuple[str, str]]:
    """Return the commands of the console blocks, each with the output shown."""
    shown = "\n".join(blocks("console"))
    return [
        (command, output.rstrip())
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", shown, re.M)
    ]


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A folder with the files of the clone that the README uses."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_shell_commands_print_what_is_shown(clone, capsys):
    assert len(sessions()) >= 4
    for command, output in sessions():
        program, *arguments = shlex.split(command)
        assert program == "hadaropt"
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        printed = capsys.readouterr()
        assert printed.out.rstrip() == output, command
        assert stop.value.code == 0, printed.err


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        *(
            f"docs/{p}.md"
            for p in ("bounds", "formats", "policies", "prices", "simulation", "solving", "hadare")
        ),
    ],
)
def test_python_prints_what_is_shown(clone, page):
    example = "".join(blocks("python", (ROOT / page).read_text(encoding="utf-8")))
    wanted = re.findall(r"# ?> (.*)", example)
    assert wanted
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(example, page, "exec"), {})
    assert out.getvalue().splitlines() == wanted


@pytest.mark.parametrize("page", ["policies", "prices", "simulation"])
def test_a_complete_example_of_each_extension_point_has_at_most_25_lines(page):
    example = blocks("python", (ROOT / f"docs/{page}.md").read_text(encoding="utf-8"))[0]
    assert re.search(r"^class ", example, re.M)
    assert len([line for line in example.splitlines() if line.strip()]) <= 25


def test_make_targets_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", README, re.M))
    assert named
    assert named <= targets


def test_commands_and_links_exist():
    commands = {name for name in make_app() if not name.startswith("-")}
    assert {"solve", "online", "check", "verify"} <= commands
    named = set(re.findall(r"(?:`|\$ )hadaropt ([a-z]+)", README))
    assert named <= commands
    for link in re.findall(r"\]\(([^)]+)\)", README):
        page, _, place = link.partition("#")
        assert (ROOT / page).exists(), link
        if place:
            heads = re.findall(r"^#+ (.*)", (ROOT / page).read_text(encoding="utf-8"), re.M)
            assert place in {head.lower().replace(" ", "-") for head in heads}, link
    for folder in re.findall(r"^\| `([a-z]+)/`", README, re.M):
        assert (ROOT / folder).is_dir(), folder


def test_the_worked_example_has_the_hash_that_is_shown():
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    instance = hadaropt.read_instance(ROOT / "examples" / "tiny.json")
    assert blocks("json", page)[0].rstrip().encode() == canonical_instance(instance)
    assert blocks("text", page)[0].rstrip() == hadaropt.instance_sha256(instance)
