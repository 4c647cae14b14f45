"""The page of old and new names says what is so."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

import hadaropt
from hadaropt import results
from hadaropt.cli.common.renamed import CHOICES, OPTIONS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "changes.md").read_text(encoding="utf-8")
MODULES = re.findall(r"^\| `([a-z_.]+)` \| `([a-z_.]+)` \|$", PAGE.split("## Modules")[1], re.M)


@pytest.mark.parametrize(("old", "new"), MODULES)
def test_a_new_module_is_there_and_the_old_file_is_not(old, new):
    assert find_spec(f"hadaropt.{new}") is not None
    assert not (ROOT / "hadaropt" / f"{old.replace('.', '/')}.py").exists()


def test_every_old_name_that_is_answered_is_on_the_page():
    assert len(MODULES) > 50
    for name in (*hadaropt._RENAMED, *results._RENAMED):
        assert re.search(rf"hadaropt\.(results\.)?{name}\b", PAGE), name
    for kind, said in ((results.Result, "result"), (results.OnlineRun, "run")):
        for name in kind._renamed:
            assert f"`{said}.{name}`" in PAGE, name


def test_every_old_option_is_on_the_page():
    for names in OPTIONS.values():
        for old, new in names.items():
            assert f"`{old}`" in PAGE and f"`{new}`" in PAGE
    for options in CHOICES.values():
        for option, names in options.items():
            for old, new in names.items():
                assert f"`{option} {old}`" in PAGE and f"`{option} {new}`" in PAGE
