"""From exceptions to exit codes and to one line that names the place."""

from __future__ import annotations

from pathlib import Path

from hadaropt.cli import exits
from hadaropt.cli.options import UsageError
from hadaropt.errors import (
    HadaroptError,
    InvariantError,
    LimitError,
    MissingExtraError,
    PlacedError,
    ScheduleError,
    SolverError,
    SweepError,
    printable,
)


def exit_code(error: BaseException) -> int:
    """Return the exit code that an exception stands for."""
    if isinstance(error, KeyboardInterrupt):
        return exits.INTERRUPTED
    if isinstance(error, UsageError | MissingExtraError | SweepError):
        return exits.USAGE
    if isinstance(error, PlacedError | LimitError | MemoryError | OSError):
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
    if isinstance(error, InvariantError):
        facts |= {"files": list(error.files)}
    return {"error": facts}


def is_defect(error: BaseException) -> bool:
    """Return whether the exception is unforeseen, so that its traceback is of use."""
    return exit_code(error) == exits.BREACH and not isinstance(error, InvariantError | SolverError)
