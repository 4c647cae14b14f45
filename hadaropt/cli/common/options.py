"""Parameters that several commands share, and checks of where they may write."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter, Token

from hadaropt.errors import nearest


def _integer(_: object, tokens: Sequence[Token]) -> int:
    """Return the number of a token; the parser's own converter would round 1.5."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"{tokens[0].value} must be an integer") from None


Integer = Annotated[int, Parameter(converter=_integer)]
MaybeInteger = Annotated[int | None, Parameter(converter=_integer)]

PICTURES = (".png", ".pdf", ".svg")
"""Suffixes of pictures."""

InstanceFile = Annotated[Path, Parameter(name="INSTANCE", help="Instance file (JSON, may be .gz).")]
Parallelism = Annotated[
    Literal["single_type", "mixed", "forked"] | None,
    Parameter(help="Parallelism model, instead of the one that the instance names."),
]
AsJson = Annotated[
    bool, Parameter(name="--json", negative=(), help="Answer with exactly one JSON document.")
]
ScheduleOut = Annotated[
    Path | None,
    Parameter(name=["--output", "-o"], help="Write the schedule to this file."),
]
CertificateOut = Annotated[
    Path | None,
    Parameter(help="Write a certificate of the answer to this file."),
]


class UsageError(Exception):
    """The command cannot be carried out as it was called."""


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return a hint at the first of the family ``name:``, or the nearest name, or nothing."""
    near = nearest(name, known, by_family=True)
    return "" if near is None else f"; did you mean {near}?"


def check_seconds(_: type, value: float | None) -> None:
    """Check a time limit.

    Raises
    ------
    ValueError
        If it is negative or not finite.
    """
    if value is not None and not (value >= 0 and math.isfinite(value)):
        raise ValueError("must be a finite number of seconds >= 0")


def check_work(_: type, value: int | None) -> None:
    """Check a limit of work.

    Raises
    ------
    ValueError
        If it is negative.
    """
    if value is not None and value < 0:
        raise ValueError("must be an integer >= 0")


def check_share(_: type, value: float) -> None:
    """Check a relative gap.

    Raises
    ------
    ValueError
        If it is negative or not finite.
    """
    if not 0 <= value < math.inf:
        raise ValueError("must be a finite number >= 0")


def check_outputs(*outputs: tuple[str, Path | None], inputs: tuple[Path, ...]) -> None:
    """Check, before any work is done, that every output file can be written.

    Raises
    ------
    UsageError
        If an output is a folder, lies in none, cannot be written, or is also another file of the
        command.
    """
    from hadaropt.io.files import is_stream

    taken = {Path(os.path.realpath(path)): "an input" for path in inputs}
    for option, path in outputs:
        if path is None:
            continue
        if path.is_dir():
            raise UsageError(f"{option} {path}: is a folder")
        if os.path.islink(os.path.realpath(path)):
            raise UsageError(f"{option} {path}: is a link that leads back to itself")
        if is_stream(path):
            if not os.access(path, os.W_OK):
                raise UsageError(f"{option} {path}: cannot be written")
            continue
        folder = Path(os.path.realpath(path)).parent if path.is_symlink() else path.parent
        if not folder.is_dir():
            raise UsageError(f"{option} {path}: there is no folder {folder}")
        if path.exists():
            if not os.access(path, os.W_OK):
                raise UsageError(f"{option} {path}: cannot be written")
        elif not os.access(folder, os.W_OK):
            raise UsageError(f"{option} {path}: the folder {folder} cannot be written")
        place = Path(os.path.realpath(path))  # resolve() raises for a loop of links
        if place in taken:
            raise UsageError(f"{option} {path}: is also {taken[place]} of this command")
        taken[place] = option


def check_picture(output: Path, *inputs: Path) -> None:
    """Check, before any work is done, that a picture can be written.

    Raises
    ------
    UsageError
        If the file cannot be written or its suffix names no format of pictures.
    """
    check_outputs(("--output", output), inputs=inputs)
    if output.suffix.lower() not in PICTURES:
        raise UsageError(f"--output {output}: must end in one of {', '.join(PICTURES)}")
