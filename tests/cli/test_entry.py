import json
import os
import subprocess
import sys
from fractions import Fraction

import pytest

import hadaropt
from hadaropt.cli import answer as answers
from hadaropt.cli import check as check_command
from hadaropt.errors import InvariantError, MissingExtraError, SolverError

HEAVY = ("numpy", "numba", "highspy", "scipy", "networkx", "matplotlib", "polars", "msgspec")


def spawn(*arguments, **options):
    command = [sys.executable, "-c", "from hadaropt.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


def test_version(run):
    answer = run("--version")
    assert (answer.code, answer.out) == (0, hadaropt.__version__ + "\n")


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom hadaropt.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit as stop: assert stop.code == 0\n"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    for arguments in (["--help"], ["check", "--help"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60
        )
        assert done.stderr == "[]\n"
        assert "Usage: hadaropt" in done.stdout


def test_exit_codes_reach_the_shell(tmp_path):
    done = spawn("check", str(tmp_path / "absent"), "x", "--json")
    assert done.returncode == 4
    assert json.loads(done.stdout)["exit_code"] == 4
    assert spawn("chek").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chek"], 'Did you mean "check"'),
        (["check", "a", "b", "--jsn"], "Did you mean --json"),
        (["check", "a", "b", "--parallelism", "fork"], 'Did you mean "forked"'),
        (["check", "a"], "SCHEDULE"),
        (["check", "a", "b", "c"], "c"),
    ],
)
def test_usage_errors_name_the_nearest(run, arguments, said):
    answer = run(*arguments)
    assert answer.code == 2
    assert said in answer.err
    assert answer.out == ""
    answer = run(*arguments, "--json")
    assert answer.code == 2
    assert answer.document["error"]["kind"] == "UsageError"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), 130),
        (InvariantError("a heuristic beats a proven optimum", ("a.json",)), 5),
        (SolverError("kError"), 5),
        (ZeroDivisionError("division by zero"), 5),
        (MissingExtraError("bench", "polars"), 2),
    ],
)
def test_every_exception_becomes_one_document(run, monkeypatch, error, code):
    def fails(*_):
        raise error

    monkeypatch.setattr(check_command, "load_instance", fails)
    answer = run("check", "a", "b", "--json")
    assert answer.code == code
    document = answer.document
    assert document["exit_code"] == code
    assert document["error"]["kind"] == type(error).__name__
    assert answer.err.splitlines()[-1 if code != 2 else -2].startswith("hadaropt: error: ")
    assert ("Traceback" in answer.err) == isinstance(error, ZeroDivisionError)
    if isinstance(error, InvariantError):
        assert document["error"]["files"] == ["a.json"]


def test_a_reader_that_leaves_is_not_an_error():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-c", "from hadaropt.cli import main; main()", "chek", "--json"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writer)
    assert done.returncode == 2
    assert "BrokenPipe" not in done.stderr


def test_answers_hold_exact_text_and_no_nan():
    document = {"a": Fraction(1, 3), "b": float("nan"), "c": float("inf"), "d": (1, True, None)}
    parsed = json.loads(answers.to_json(document))
    assert parsed == {"a": "1/3", "b": None, "c": None, "d": [1, True, None]}
    with pytest.raises(TypeError, match="object has no place"):
        answers.to_json({"a": object()})


def test_numbers_for_people():
    assert answers.number(Fraction(7)) == "7"
    assert answers.number(Fraction(27, 2)) == "13.5 (27/2)"
    assert answers.number(Fraction(10**400 + 1, 2)) == "5e+399 (rounded)"
    assert answers.number(Fraction(10**400 + 1, 2), up=True) == "5.00000001e+399 (rounded up)"
    assert answers.number(Fraction(-1, 3), up=True) == "-0.333333333 (-1/3)"
    assert answers.at_most(Fraction(200), Fraction(3)) == "66.6667"
    assert answers.at_most(Fraction(100), Fraction(3)) == "33.3334"
    assert answers.at_most(Fraction(0), Fraction(0)) == "1"
    assert answers.at_most(Fraction(1), Fraction(0)) == "inf"
    assert answers.number(float("nan")) == "none"
    assert answers.number(13.5) == "13.5"
