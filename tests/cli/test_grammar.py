"""One grammar for all commands: what each option is called, says and takes."""

import re
import shlex

import pytest

from hadaropt.bench.runtime import FAMILIES as RUNTIME_FAMILIES
from hadaropt.cli import generate as generate_command
from hadaropt.forking.training.tasks.registry import TASK_NAMES
from hadaropt.generate import FAMILIES
from hadaropt.policies import POLICY_NAMES, PRICE_NAMES
from hadaropt.simulate.registry import BUILT_IN
from tests.cli.app import APP, COMMANDS, help_text

NAMED_BY_SEED = ("--seed", "--model-seed")


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
