"""What the README says of commands, figures and files is so; its blocks: `tests/test_docs.py`."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

import hadaropt
from hadaropt.cli.entry import make_app
from hadaropt.io import canonical_instance

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ALT = re.search(r'alt="([^"]+)"', README)[1]


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


def test_it_is_short():
    assert len(README.splitlines()) <= 150


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


def test_commands_and_folders_exist():
    commands = {name for name in make_app() if not name.startswith("-")}
    assert {"solve", "online", "check", "verify"} <= commands
    shell = (ROOT / "docs" / "shell.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|\$ )hadaropt ([a-z]+)", README + shell))
    assert commands <= named | {"warm"}  # the table on the page has them all
    assert named <= commands
    for folder in re.findall(r"^\| `([a-z]+)/`", README, re.M):
        assert (ROOT / folder).is_dir(), folder


def test_figures_that_are_carried_over_stand_where_they_come_from():
    reproduction = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    library = (ROOT / "benchmarks" / "instances" / "README.md").read_text(encoding="utf-8")
    archive = (ROOT / "benchmarks" / "adversaries" / "README.md").read_text(encoding="utf-8")
    assert "0.428 [" in reproduction and "**0.43:" in README
    assert "| 1.38 [1.37, 1.38] |" in reproduction and "| 1.38;" in README
    assert "more than 1.74 and 1.80 times below Gavel" in reproduction and "above 1.74" in README
    assert "139 recorded runs" in reproduction and "139 of 139" in README
    proved, opened, median, worst = re.search(
        r"^\| all \| *\| *\| (\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|", library, re.M
    ).groups()
    assert (
        f"{proved} are proved; the median gap is {median} %, the worst {float(worst):.1f} %"
        in README
    )
    assert f"Of the {int(proved) + int(opened)} instances" in README.replace("\n  ", " ")
    unit = archive[archive.index("## Single GPUs on a node of 4") :]
    found = dict(re.findall(r"^\| \[(\w+)\]\(unit/\w+\) \| ([\d.]+) \|", unit, re.M))
    assert (
        f"FIFO {float(found['fifo']):.0f}, posted prices {float(found['zero_start']):.1f}" in README
    )


def test_the_picture_shows_what_its_programs_compute():
    """(In its text for those who do not see it: shares of the proved optimum, in per cent.)"""
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    found = importlib.util.spec_from_file_location("pictures", ROOT / "docs" / "pictures.py")
    pictures = importlib.util.module_from_spec(found)
    found.loader.exec_module(pictures)
    shown = [list(map(int, x.split(", "))) for x in re.findall(r": ((?:\d+, )+\d+)(?: %)?\.", ALT)]
    for instance, shares in zip(pictures.instances(), shown, strict=True):
        rows, bound = pictures.values(instance)
        assert [round(100 * share) for _, share, _ in rows] == shares
        assert 1 <= bound < 1.01


def test_versions_are_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert project["version"] == hadaropt.__version__
    assert f"\nversion: {hadaropt.__version__}\n" in citation
    assert f"version = {{{hadaropt.__version__}}}" in README


def test_the_worked_example_has_the_hash_that_is_shown():
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    instance = hadaropt.read_instance(ROOT / "examples" / "tiny.json")
    assert blocks("json", page)[0].rstrip().encode() == canonical_instance(instance)
    assert blocks("text", page)[0].rstrip() == hadaropt.instance_sha256(instance)
