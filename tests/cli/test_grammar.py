"""One grammar for all commands: what each option is called, says and takes."""

import io
import json
import re
import shlex

import pytest
from rich.console import Console

from hadaropt.bench.runtime import FAMILIES as RUNTIME_FAMILIES
from hadaropt.cli import generate as generate_command
from hadaropt.cli.common.renamed import CHOICES, OPTIONS, renamed
from hadaropt.cli.entry import make_app, pages
from hadaropt.cli.examples import EXAMPLES
from hadaropt.forking.training.tasks.registry import TASK_NAMES
from hadaropt.generate import FAMILIES
from hadaropt.policies import POLICY_NAMES, PRICE_NAMES
from hadaropt.simulate.registry import BUILT_IN

APP = make_app()
PAGES = dict(pages(APP))
COMMANDS = {path: page for path, page in PAGES.items() if page.default_command is not None}
NAMED_BY_SEED = ("--seed", "--model-seed")


def help_text(*path: str) -> str:
    text = io.StringIO()
    APP.help_print(list(path), console=Console(file=text, width=500))
    return text.getvalue()


def options():
    """Yield command, option and its line of the help, for every option of every command."""
    for path, page in COMMANDS.items():
        lines = help_text(*path).splitlines()
        for argument in page.assemble_argument_collection():
            if argument.names and argument.names[0].startswith("-"):
                name = argument.names[0]
                (line,) = (s for s in lines if re.match(rf"\W+{name}(?![\w-])", s))
                yield path, argument, line


ALL = [pytest.param(*found, id=f"{' '.join(found[0])} {found[1].name}") for found in options()]


def test_the_walk_sees_the_whole_app():
    assert len(COMMANDS) >= 22 and len(ALL) >= 130
    assert ("bench", "ratio") in COMMANDS and ("trace", "fetch") in COMMANDS


@pytest.mark.parametrize(("path", "argument", "line"), ALL)
def test_help_shows_default_choices_and_unit(path, argument, line):
    assert "[default: " in line or "[required]" in line
    assert argument.parameter.help
    if argument.get_choices():
        assert "[choices: " in line
    number = re.search(r"\b(INT|FLOAT)\b", line) or re.search(r"-(seconds|load)\b", argument.name)
    if number and argument.name not in NAMED_BY_SEED:
        assert "[unit: " in line
    if re.search("seconds|time-limit", argument.name):
        assert "[unit: seconds]" in line


@pytest.mark.parametrize(("path", "argument", "line"), ALL)
def test_one_name_for_where_a_command_writes(path, argument, line):
    assert not {"--output", "--directory", "-d"} & set(argument.names)
    assert ("--out" in argument.names) == ("-o" in argument.names)
    if argument.name in ("--dask", "--scheduler", "--cluster"):
        told = {"--dask": "ddress of a", "--scheduler": "hadar", "--cluster": "TYPE=NODESxGPUS"}
        assert told[argument.name] in argument.parameter.help


@pytest.mark.parametrize("path", PAGES, ids=lambda path: " ".join(path) or "hadaropt")
def test_each_page_shows_an_example_that_can_be_parsed(path):
    example = EXAMPLES[path]
    assert example in help_text(*path)
    program, *tokens = shlex.split(example)
    assert program == "hadaropt" and tuple(tokens[: len(path)]) == path
    assert renamed(tokens) == (tokens, [])
    command, _, _ = APP.parse_args(tokens, print_error=False, exit_on_error=False)
    assert command in {page.default_command for page in COMMANDS.values()}


def test_no_example_is_of_a_command_that_is_gone():
    assert set(EXAMPLES) <= set(PAGES)


@pytest.mark.parametrize(
    ("path", "names"),
    [
        (("online",), {name.partition(":")[0] for name in POLICY_NAMES} | set(PRICE_NAMES)),
        (("simulate",), {name for name in BUILT_IN if name.count(":") < 2 and "gavel" not in name}),
        (("generate",), set(FAMILIES)),
        (("bench", "runtime"), {name.replace("-", "_") for name in RUNTIME_FAMILIES}),
        (("train",), {name.replace("-", "_") for name in TASK_NAMES}),
    ],
)
def test_help_names_what_there_is(path, names):
    text = help_text(*path)
    assert [name for name in names if name not in text] == []
    assert tuple(FAMILIES) == generate_command.FAMILIES


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "FILE", "--method", "branch-and-price"),
        ("solve", "FILE", "--method=configuration-lp"),
        ("solve", "FILE", "--parallelism", "single-type"),
        ("online", "FILE", "--policy", "primal-dual:zero-start"),
        ("online", "FILE", "--price", "zero-start"),
        ("online", "FILE", "--policy", "greedy-density"),
    ],
)
def test_hyphens_are_understood_by_commands(run, instance_file, arguments):
    tokens = [instance_file if token == "FILE" else token for token in arguments]
    answer = run(*tokens, "--json")
    assert answer.code == 0 and answer.err.count("note") == 0


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("sovle", "FILE"), "solve"),
        (("bench", "ratios"), "ratio"),
        (("solve", "FILE", "--methods", "lp"), "--method"),
        (("solve", "FILE", "--method", "branch"), "branch_and_price"),
        (("online", "FILE", "--price", "zero"), "zero_start"),
        (("online", "FILE", "--policy", "rolling"), "rolling_horizon"),
        (("simulate", "FILE", "--scheduler", "tiresia"), "tiresias"),
        (("compare", "FILE", "--schedulers", "hadar,yarm"), "yarn"),
        (("adversary", "--policy", "fifi"), "fifo"),
        (("generate", "six", "--seed", "1", "-o", "x.json"), "six_class"),
        (("bench", "ratio", "--families", "six_clas"), "six_class"),
        (("bench", "schedulers", "--objective", "slow"), "slowdown"),
        (("train", "--demo", "--tasks", "digit"), "digits"),
        (("explain", "FILE", "bb"), "b?"),
        (("theorem", "T77"), "T7"),
    ],
)
def test_what_is_unknown_is_told_the_nearest(run, instance_file, arguments, said):
    answer = run(*(instance_file if token == "FILE" else token for token in arguments))
    assert answer.code == 2 and answer.out == ""
    assert re.search(rf"did you mean \W*{re.escape(said)}", answer.err, re.I)


def test_without_a_command_two_lines_say_what_it_is_and_what_to_try(run):
    answer = run()
    assert (answer.code, answer.err) == (0, "")
    first, second = answer.out.splitlines()
    assert "schedules deep-learning jobs" in first
    assert second.startswith("Try: ")
    for command in re.findall(r"hadaropt [^;(]*", second)[:3]:
        _, *tokens = shlex.split(command)
        APP.parse_args(tokens, print_error=False, exit_on_error=False)
