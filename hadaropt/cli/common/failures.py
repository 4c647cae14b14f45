"""From exceptions to exit codes and to one line that names the place."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from hadaropt.cli.common import exits
from hadaropt.cli.common.options import UsageError
from hadaropt.errors import (
    ClusterError,
    CoqError,
    HadaroptError,
    InvariantError,
    LimitError,
    MissingExtraError,
    PlacedError,
    ScheduleError,
    SolverError,
    SweepError,
    printable,
    reproducing_files,
)

MOST_KEPT = 2**26
"""Bytes of the largest input that is kept for the reproduction of a defect."""
MOST_OF_NAME = 200
"""Bytes of a name that are kept, the last ones: with a number before them it still is a name."""


def exit_code(error: BaseException) -> int:
    """Return the exit code that an exception stands for."""
    if isinstance(error, KeyboardInterrupt):
        return exits.INTERRUPTED
    if isinstance(error, UsageError | ClusterError | MissingExtraError | SweepError):
        return exits.USAGE
    if isinstance(error, PlacedError | LimitError | CoqError | MemoryError | OSError):
        return exits.BAD_INPUT
    return exits.BREACH


def message(error: BaseException) -> str:
    """Return one line for people."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, OSError) and error.filename is not None:
        return printable(f"{error.filename}: {error.strerror}")
    if isinstance(error, HadaroptError | UsageError | OSError):
        text = str(error)
        file = error.file if isinstance(error, PlacedError) else None
        if file is not None and not text.startswith(Path(file).name):
            text = f"{file}: {text}"
    elif isinstance(error, MemoryError):
        text = f"not enough memory: {error}"
    else:
        text = f"defect in hadaropt: {type(error).__name__}: {error}"
    files = reproducing_files(error)
    if files and files[0] not in text:
        text += f" (reproduce with {', '.join(files)})"
    return printable(" ".join(text.split()))


def error_facts(error: BaseException) -> dict[str, object]:
    """Return the ``error`` entry of a JSON answer: kind, message and, where known, the place."""
    facts: dict[str, object] = {"kind": type(error).__name__, "message": message(error)}
    if isinstance(error, PlacedError):
        facts |= {"path": error.path, "value": error.value, "rule": error.rule}
    if isinstance(error, ScheduleError):
        facts |= {"job": error.job, "round": error.round, "node": error.node, "type": error.type}
    if isinstance(error, OSError):
        facts |= {"path": None if error.filename is None else str(error.filename)}
    if exit_code(error) == exits.BREACH:
        facts |= {"files": list(reproducing_files(error))}
    return {"error": facts}


def troubles_facts(errors: Sequence[BaseException]) -> dict[str, object]:
    """Return the entries of a JSON answer for what went wrong beside it: the first, and all."""
    if not errors:
        return {}
    every = [error_facts(error)["error"] for error in errors]
    return {"error": every[0], "errors": every}


def exit_code_beside(code: int, errors: Sequence[BaseException]) -> int:
    """Return the exit code of an answer with what went wrong beside it: that of the worst."""
    codes = {code, *map(exit_code, errors)}
    worst = (exits.BREACH, exits.BAD_INPUT, exits.USAGE, exits.INTERRUPTED)
    return next((known for known in worst if known in codes), code)


def keep_reproduction(error: BaseException, tokens: Sequence[str]) -> None:
    """For a defect without files that reproduce it, write them: traceback, command and inputs."""
    if exit_code(error) != exits.BREACH or reproducing_files(error):
        return
    try:
        folder = Path(tempfile.mkdtemp(prefix="hadaropt-defect-"))
        report = "".join(traceback.format_exception(error))
        kept = [folder / "traceback.txt"]
        text = f"hadaropt {shlex.join(tokens)}\n\n{report}"
        kept[0].write_text(text, encoding="utf-8", errors="backslashreplace")
        for i, token in enumerate(tokens):
            path = Path(token.partition("=")[2] if token.startswith("--") else token)
            # os.path: a text that is too long for a path is no file, and no error
            if os.path.isfile(path) and path.stat().st_size <= MOST_KEPT:
                end = os.fsdecode(os.fsencode(path.name)[-MOST_OF_NAME:])
                kept.append(folder / f"{i}-{end}")
                shutil.copyfile(path, kept[-1])
    except OSError as bad:
        error.add_note(f"the files that reproduce it could not be written: {bad}")
        return
    error.files = tuple(map(str, kept))  # type: ignore[attr-defined]


def is_defect(error: BaseException) -> bool:
    """Return whether the exception is unforeseen, so that its traceback is of use."""
    return exit_code(error) == exits.BREACH and not isinstance(error, InvariantError | SolverError)
