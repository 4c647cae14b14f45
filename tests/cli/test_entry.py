import json
import os
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import hadaropt
from hadaropt.cli import check as check_command
from hadaropt.cli import entry, main
from hadaropt.cli.common import answer as answers
from hadaropt.errors import InvariantError, MissingExtraError, SolverError

HEAVY = ("numpy", "numba", "highspy", "scipy", "networkx", "matplotlib", "polars", "msgspec")


def spawn(*arguments, **options):
    command = [sys.executable, "-c", "from hadaropt.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, **options)


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
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True
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
        (
            ["check", "a", "b", "--parallelism", "fork"],
            "fork: must be one of single_type, mixed, forked; did you mean forked?",
        ),
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
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.returncode == 2
    assert "BrokenPipe" not in done.stderr


def shell(text: str) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which $H is the command line."""
    start = [sys.executable, "-c", "from hadaropt.cli import main; main()"]
    line = text.replace("$H", shlex.join(start))
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True)


def test_the_help_may_be_read_in_part():
    done = shell("$H solve --help | head -c 1; echo ${PIPESTATUS[0]}")
    assert done.stdout.split()[-1][-1] == "0"
    assert done.stderr == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize("arguments", ["models FILE --json", "solve --help"])
def test_a_full_standard_output_is_said(arguments, instance_file):
    done = shell(f"$H {arguments.replace('FILE', str(instance_file))} > /dev/full")
    assert done.returncode == 4
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_closed_streams_are_no_defect(instance_file):
    done = shell(f"$H models {instance_file} >&-")
    assert (done.returncode, done.stderr) == (0, "")
    done = shell("$H chek 2>&-")
    assert (done.returncode, done.stdout) == (2, "")


def test_an_interrupted_start_is_said(monkeypatch, capsys):
    class Interrupts:
        def find_spec(self, name, *_):
            if name == "hadaropt.cli.entry":
                sys.meta_path.remove(self)
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "hadaropt.cli.entry")
    monkeypatch.setattr(sys, "meta_path", [Interrupts(), *sys.meta_path])
    with pytest.raises(SystemExit) as stop:
        main(["models", "x", "--json"])
    assert stop.value.code == 130
    answer = json.loads(capsys.readouterr().out)
    assert (answer["exit_code"], answer["error"]["kind"]) == (130, "KeyboardInterrupt")


@pytest.mark.parametrize("flag", ["--json", "--json=true"])
def test_json_however_it_is_asked_for(run, instance_file, flag):
    assert run("models", instance_file, flag).document["command"] == "models"
    assert run("chek", flag).document["error"]["kind"] == "UsageError"


def test_no_json_is_a_table(run, instance_file):
    answer = run("models", instance_file, "--json=false")
    assert answer.code == 0
    assert not answer.out.startswith("{")


def test_what_cannot_be_rendered_is_a_defect(run, monkeypatch, instance_file):
    monkeypatch.setattr(entry, "to_people", lambda answer: 1 + "")
    answer = run("models", instance_file)
    assert answer.code == 5
    assert "defect in hadaropt: TypeError" in answer.err


def test_names_of_files_are_printed_without_control_characters(run, tmp_path):
    answer = run("solve", tmp_path / "a\x1b[31m\nb.json")
    assert answer.code == 4
    assert "a\\x1b[31m\\nb.json: No such file" in answer.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["generate", "small-uniform", "-o", "a.json", "--seed", "1.5"],
        ["generate", "small-uniform", "-o", "a.json", "--seed", "1", "--jobs", "3.5"],
        ["bench", "ratio", "--seeds", "0.6"],
        ["adversary", "--policy", "random", "--evaluations", "1e0"],
    ],
)
def test_integers_are_not_rounded(run, arguments):
    answer = run(*arguments)
    assert answer.code == 2
    assert f"{arguments[-1]} must be an integer" in answer.err


def test_every_integer_option_is_strict():
    """The parser itself would round."""
    loose = []
    for file in sorted(Path(entry.__file__).parent.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        found = re.findall(r"Annotated\[\s*int\b[^,]*,\s*Parameter\((?!converter)", text)
        loose += [(file.name, match) for match in found]
    assert loose == []


def test_answers_hold_exact_text_and_no_nan():
    document = {"a": Fraction(1, 3), "b": float("nan"), "c": float("inf"), "d": (1, True, None)}
    parsed = json.loads(answers.to_json(document))
    assert parsed == {"schema": 1, "a": "1/3", "b": None, "c": None, "d": [1, True, None]}
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
    assert answers.number(None) == "none"
    assert answers.number(13.5) == "13.5"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("solve", ""), "an argument '': must be the name of a file or folder"),
        (("check", "TINY", ""), "an argument '': must be the name of a file or folder"),
        (("solve", "TINY", "-o", ""), "-o '': must be the name of a file or folder"),
        (("solve", "TINY", "--out="), "--out '': must be the name of a file or folder"),
        (("report", ""), "an argument '': must be the name of a file or folder"),
        (("report", "."), "holds no cells.parquet"),
    ],
)
def test_an_empty_name_of_a_file_is_no_folder(capsys, tmp_path, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    tiny = Path(__file__).parents[2] / "examples" / "tiny.json"
    with pytest.raises(SystemExit) as stop:
        main([str(tiny) if word == "TINY" else word for word in words])
    assert stop.value.code == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "page"),
    [
        (["chek"], "hadaropt"),
        (["--jsn"], "hadaropt"),
        (["check", "check"], "hadaropt check"),
        (["bench", "ratio", "--seed", "1"], "hadaropt bench ratio"),
        (["theorem", "T99"], "hadaropt theorem"),
    ],
)
def test_wrong_usage_leads_to_the_help_of_its_command(run, arguments, page):
    assert run(*arguments).err.splitlines()[-1] == f"Try: {page} --help"


def test_lists_have_no_option_that_empties_them(run):
    assert "--what-if" in run("audit", "--help").out
    assert "--empty" not in run("audit", "--help").out
    assert run("audit", "log.csv", "--empty-what-if").code == 2


def test_help_says_the_names_that_are_taken_unless_told(run):
    told = " ".join(
        run("bench", "ratio", "--help").out.replace("\N{BOX DRAWINGS LIGHT VERTICAL}", "").split()
    )
    assert "[default: small_uniform, gavel_like," in told
    assert "[default: primal_dual:zero_start, primal_dual:exponential," in told
    told = run("adversary", "--help").out
    assert "rolling_horizon" in told and "primal_dual:PRICE" in told


def test_a_working_folder_that_was_removed(tmp_path, instance_file):
    (tmp_path / "gone").mkdir()
    line = 'cd "$1" && rmdir "$1" && exec "$0" -m hadaropt models "$2"'
    command = ["bash", "-c", line, sys.executable, tmp_path / "gone", instance_file.resolve()]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
