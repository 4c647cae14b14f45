"""Names of the last release."""

import json

import pytest

from hadaropt.cli.common.renamed import CHOICES, OPTIONS, renamed
from tests.cli.app import COMMANDS


@pytest.mark.parametrize(
    ("tokens", "now", "note"),
    [
        (["solve", "a", "--output", "b"], ["solve", "a", "--out", "b"], "--output is now --out"),
        (["solve", "--output=b", "a"], ["solve", "--out=b", "a"], "--output is now --out"),
        (
            ["solve", "a", "--method", "configuration"],
            ["solve", "a", "--method", "configuration_lp"],
            "configuration is now configuration_lp",
        ),
        (
            ["solve", "a", "--method=configuration"],
            ["solve", "a", "--method=configuration_lp"],
            "configuration is now configuration_lp",
        ),
        (
            ["adversary", "--budget", "3"],
            ["adversary", "--time-limit", "3"],
            "--budget is now --time-limit",
        ),
        (["trace", "fetch", "x", "-d", "y"], ["trace", "fetch", "x", "-o", "y"], "-d is now -o"),
    ],
)
def test_old_names_are_translated_and_said(tokens, now, note):
    assert renamed(tokens) == (now, [note])
    assert renamed(now) == (now, [])


@pytest.mark.parametrize(
    "tokens",
    [
        ["check", "configuration", "--output-not"],
        ["explain", "a", "configuration"],
        ["solve", "configuration", "--budget", "3"],
        ["check", "a", "--", "--output"],
    ],
)
def test_what_is_no_old_name_stays(tokens):
    assert renamed(tokens) == (tokens, [])


def test_old_names_are_gone_and_new_ones_are_there():
    for old in (OPTIONS, CHOICES):
        for path in old:
            assert path == () or path in COMMANDS
    for path, names in OPTIONS.items():
        for command in [path] if path else [("solve",), ("bench", "run"), ("plot", "gantt")]:
            known = {n for a in COMMANDS[command].assemble_argument_collection() for n in a.names}
            assert set(names.values()) <= known and not set(names) & known
    for path, choices in CHOICES.items():
        found = {a.name: a.get_choices() for a in COMMANDS[path].assemble_argument_collection()}
        for option, names in choices.items():
            assert set(names.values()) <= set(found[option])
            assert not set(names) & set(found[option])


def test_an_old_option_works_with_one_line_on_standard_error(run, instance_file, tmp_path):
    file = tmp_path / "best.json"
    answer = run("solve", instance_file, "--output", file, "--json")
    assert answer.code == 0 and file.exists()
    assert json.loads(answer.out)["files"] == {"schedule": str(file)}
    lines = answer.err.splitlines()
    assert lines == [
        "hadaropt: note: --output is now --out; the old name goes with the next release"
    ]
