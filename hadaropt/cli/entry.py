"""The entry point: parse, run one command, print one answer, return one exit code."""

from __future__ import annotations

import io
import os
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from cyclopts import App, CycloptsError, Parameter

import hadaropt
from hadaropt.cli.common import exits
from hadaropt.cli.common.answer import Answer, to_json, to_people
from hadaropt.cli.common.failures import (
    error_facts,
    exit_code,
    exit_code_beside,
    is_defect,
    keep_reproduction,
    message,
    troubles_facts,
)
from hadaropt.cli.common.options import UsageError
from hadaropt.cli.common.renamed import renamed
from hadaropt.cli.common.signals import Termination
from hadaropt.cli.common.warned import warnings_as_lines
from hadaropt.cli.examples import EXAMPLES

EPILOGUE = (
    "Exit codes: 0 yes or solved; 1 a valid no; 2 usage; 3 limit reached without proof; 4 bad "
    "input file; 5 defect; 130 interrupted; 143 the same, by SIGTERM. In JSON, a string is an "
    "exact number p or p/q, a number is a float."
)
FIRST_STEPS = (
    f"hadaropt {hadaropt.__version__} schedules deep-learning jobs on mixed accelerators: proved "
    "optima, online algorithms, certificates.\n"
    "Try: hadaropt generate small_uniform --seed 1 -o a.json; hadaropt solve a.json; "
    "hadaropt online a.json (all commands: hadaropt --help)"
)
"""What is said to whoever names no command."""


def make_app() -> App:
    """Return the parser with its commands; no command imports anything heavy before it runs."""
    from hadaropt.cli.adversary import adversary
    from hadaropt.cli.audit import audit
    from hadaropt.cli.bench.app import bench
    from hadaropt.cli.check import check
    from hadaropt.cli.compare import compare
    from hadaropt.cli.doctor import doctor
    from hadaropt.cli.explain import explain
    from hadaropt.cli.export import export
    from hadaropt.cli.generate import generate
    from hadaropt.cli.models import models
    from hadaropt.cli.online import online
    from hadaropt.cli.plot import plot
    from hadaropt.cli.report import report
    from hadaropt.cli.simulate import simulate
    from hadaropt.cli.solve import solve
    from hadaropt.cli.theorem import theorem
    from hadaropt.cli.trace import trace
    from hadaropt.cli.train.command import train
    from hadaropt.cli.verify import verify

    app = App(
        name="hadaropt",
        help="Schedule deep-learning jobs on mixed accelerators: proved optima, online "
        "algorithms, certificates.",
        version=hadaropt.__version__,
        version_flags=["--version"],
        default_parameter=Parameter(negative_iterable=()),  # no --empty-OPTION for lists
    )
    for command in (
        solve,
        online,
        simulate,
        compare,
        audit,
        models,
        check,
        verify,
        explain,
        theorem,
        generate,
        export,
        doctor,
    ):
        app.command(command)
    for part in (train, bench, adversary, report, plot, trace):
        app.command(part)
    for path, page in pages(app):
        example = EXAMPLES.get(path)
        page.help_epilogue = EPILOGUE if example is None else f"Example: {example}\n\n{EPILOGUE}"
    return app


def pages(app: App, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], App]]:
    """Yield every page of ``--help`` with the words of its command, that of ``app`` first."""
    yield path, app
    for name in app:
        if not name.startswith("-"):
            yield from pages(app[name], (*path, name))


def run(
    arguments: Sequence[str], termination: Termination, early: KeyboardInterrupt | None = None
) -> NoReturn:
    """Run the command line and exit.

    Parameters
    ----------
    arguments : sequence of str
    termination : Termination
        Handles signals until the end.
    early : KeyboardInterrupt or None
        What came before the command could begin.

    Raises
    ------
    SystemExit
        Always, with the exit code.
    """
    # A closed stream has no object, and its number would go to the next file that is opened.
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    code, text = _run(list(arguments), termination, early)
    sys.exit(_deliver(code, text))


def _deliver(code: int, text: str) -> int:
    """Print the answer; return the exit code."""
    try:
        if text:
            print(text)
        sys.stdout.flush()
    except OSError as bad:
        # Keep Python from trying again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(bad, BrokenPipeError):  # then whoever read the answer has gone
            print(f"hadaropt: error: standard output: {bad.strerror}", file=sys.stderr)
            return exits.BAD_INPUT
    return code


def _run(
    tokens: list[str], termination: Termination, early: KeyboardInterrupt | None
) -> tuple[int, str]:
    """Return the exit code and what goes to standard output."""
    as_json = any(token.partition("=")[0] == "--json" for token in tokens)
    if early is not None:
        return _fail(early, tokens, termination, as_json=as_json)
    if not tokens:
        return exits.YES, FIRST_STEPS
    tokens, notes = renamed(tokens)
    for note in notes:
        print(f"hadaropt: note: {note}; the old name goes with the next release", file=sys.stderr)
    try:
        command, bound, _ = make_app().parse_args(tokens, print_error=False, exit_on_error=False)
        as_json = bool(bound.arguments.get("json", False))
        _check_paths(tokens, bound.arguments.values())
        with warnings_as_lines():
            answer = command(*bound.args, **bound.kwargs)
        if not isinstance(answer, Answer):  # --help and --version have printed themselves
            return exits.YES, ""
        termination.finish()  # the answer is known: a late signal must not lose it
        code = termination.code(exit_code_beside(answer.exit_code, answer.troubles))
        for error in answer.troubles:
            _report(error, tokens)
        if as_json:
            troubles = troubles_facts(answer.troubles)
            facts = {**answer.document, **troubles, "exit_code": code}
            return code, to_json(facts)
        lines = [*answer.lines, *(("trouble", message(error)) for error in answer.troubles)]
        return code, to_people(replace(answer, lines=lines))
    except (Exception, KeyboardInterrupt) as error:
        return _fail(_as_usage(error), tokens, termination, as_json=as_json)
    except SystemExit:  # rich says so when the reader of --help has gone
        return exits.YES, ""


def _check_paths(tokens: Sequence[str], values: Iterable[object]) -> None:
    """Raise UsageError if a path is empty: it would stand for the folder one is in."""
    said = [token.partition("=")[2] if re.match("--.*=", token) else token for token in tokens]
    folders = sum(bool(text) and Path(text) == Path() for text in said)
    if "" in said and sum(value == Path() for value in values) > folders:
        at = said.index("")
        option = tokens[at].partition("=")[0] or tokens[at - 1]
        before = option if option.startswith("-") else "an argument"
        raise UsageError(f"{before} '': must be the name of a file or folder")


def _command(tokens: Sequence[str]) -> list[str]:
    """Return the words of the command that the tokens begin with."""
    page, words = make_app(), []
    for word in tokens:
        if word.startswith("-") or word not in page:
            break
        page = page[word]
        words.append(word)
    return words


def _as_usage(error: BaseException) -> BaseException:
    return UsageError(str(error)) if isinstance(error, CycloptsError) else error


def _fail(
    error: BaseException, tokens: list[str], termination: Termination, *, as_json: bool
) -> tuple[int, str]:
    termination.finish()
    code = termination.code(exit_code(error))
    _report(error, tokens)
    if code == exits.USAGE:
        print(f"Try: {' '.join(('hadaropt', *_command(tokens)))} --help", file=sys.stderr)
    facts = {**error_facts(error), "exit_code": code}
    return code, to_json(facts) if as_json else ""


def _report(error: BaseException, tokens: list[str]) -> None:
    """Say on standard error what went wrong; keep what reproduces a defect."""
    keep_reproduction(error, tokens)
    if is_defect(error):
        traceback.print_exception(error, file=sys.stderr)
    print(f"hadaropt: error: {message(error)}", file=sys.stderr)
