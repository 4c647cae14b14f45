"""Parameters that several commands share, and checks of where they may write."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from cyclopts import Parameter, Token

from hadaropt.errors import nearest, one_of, shown
from hadaropt.names import spelled

_EMPTY = re.compile(r"^(\S+) (\s*): ")
MOST_DIGITS = 400
"""Of an integer option, as in files."""


def as_given(text: str) -> str:
    """Return what was given for an option, in quotes where nothing of it could be seen."""
    return text if text.strip() else f"'{text}'"


def _integer(_: object, tokens: Sequence[Token]) -> int:
    """Return the number of a token; the parser's own converter would round 1.5."""
    text = tokens[0].value
    if len(text) > MOST_DIGITS:
        raise ValueError(f"{shown(text)} must be an integer of at most {MOST_DIGITS} digits")
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{as_given(text)} must be an integer") from None


Integer = Annotated[int, Parameter(converter=_integer)]
MaybeInteger = Annotated[int | None, Parameter(converter=_integer)]


class UsageError(Exception):
    """The command cannot be carried out as it was called.

    A value of no character, or of spaces only, is shown in quotes: ``ID '': must be ...``.
    """

    def __init__(self, message: str) -> None:
        super().__init__(_EMPTY.sub(r"\1 '\2': ", message))


def option_error(bad: Exception, names: Mapping[str, str] | None = None) -> UsageError:
    """Return what the library found wrong with an argument as wrong usage of its option.

    The message of the library begins with the name of the argument, such as ``what_if "x", ...``
    or ``cluster[0] = ...``. The option has that name with ``-`` for ``_``, unless ``names`` has
    another for it.
    """
    text = str(bad)
    argument, rest = re.fullmatch(r"(\w*)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    option = (names or {}).get(argument, argument.replace("_", "-"))
    return UsageError(f"--{option}{rest}")


def one_of_rule(name: str, known: Sequence[str]) -> str:
    """Return the rule that an unknown name breaks, with the nearest."""
    return one_of(name, known, by_family=True, quote="")


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return a hint at the first of the family ``name:``, or the nearest name, or nothing."""
    near = nearest(name, known, by_family=True)
    return "" if near is None else f"; did you mean {near}?"


def as_choice(kind: Any, tokens: Sequence[Token]) -> str:
    """Return the choice of a Literal that a token spells: the converter of all such options.

    Raises
    ------
    ValueError
        If it spells none; the nearest is named.
    """
    text, known = tokens[0].value, list(_choices(kind))
    name = spelled(text, known)
    if name is None:
        raise ValueError(f"{as_given(text)}: {one_of_rule(text, known)}")
    return name


def _choices(kind: Any) -> Iterator[str]:
    if get_origin(kind) is Literal:
        yield from get_args(kind)
        return
    for part in get_args(kind):
        yield from _choices(part)


PICTURES = (".png", ".pdf", ".svg")
"""Suffixes of pictures."""


def option(
    help: str, *, default: str | None = None, unit: str | None = None, **settings: Any
) -> Parameter:
    """Return what the parser knows of an option.

    Parameters
    ----------
    help : str
    default : str, optional
        What holds where the option is not named, in words; the default itself if it is not None.
    unit : str, optional
        Of the number that the option takes.
    **settings
        Of cyclopts.
    """
    text = help if unit is None else f"{help} [unit: {unit}]"
    return Parameter(help=text, show_default=default, **settings)


def out_option(help: str, *, default: str | None = None) -> Parameter:
    """Return the option that says where a command writes to: one name in all of them."""
    return option(help, default=default, name=["--out", "-o"])


InstanceFile = Annotated[Path, Parameter(name="INSTANCE", help="Instance file (JSON, may be .gz).")]
Parallelism = Annotated[
    Literal["single_type", "mixed", "forked"] | None,
    option("Parallelism model.", default="that of the instance", converter=as_choice),
]
AsJson = Annotated[
    bool, Parameter(name="--json", negative=(), help="Answer with exactly one JSON document.")
]
ScheduleOut = Annotated[
    Path | None, out_option("Write the schedule to this file.", default="not written")
]
CertificateOut = Annotated[
    Path | None, option("Write a certificate of the answer to this file.", default="not written")
]


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


def check_threads(_: type, value: int | None) -> None:
    """Check a number of threads.

    Raises
    ------
    ValueError
        If it is below 1 or above `MAX_THREADS`.
    """
    from hadaropt.exact import MAX_THREADS

    if value is not None and not 1 <= value <= MAX_THREADS:
        raise ValueError(f"must be an integer >= 1 and <= {MAX_THREADS}")


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

    taken = {_file(path): "an input" for path in inputs}
    for flag, path in outputs:
        if path is None:
            continue
        if path.is_dir():
            raise UsageError(f"{flag} {path}: is a folder")
        if os.path.islink(os.path.realpath(path)):
            raise UsageError(f"{flag} {path}: is a link that leads back to itself")
        if is_stream(path):
            if not os.access(path, os.W_OK):
                raise UsageError(f"{flag} {path}: cannot be written")
            continue
        folder = Path(os.path.realpath(path)).parent if path.is_symlink() else path.parent
        if not folder.is_dir():
            raise UsageError(f"{flag} {path}: there is no folder {folder}")
        if path.exists():
            if not os.access(path, os.W_OK):
                raise UsageError(f"{flag} {path}: cannot be written")
        elif not os.access(folder, os.W_OK):
            raise UsageError(f"{flag} {path}: the folder {folder} cannot be written")
        place = _file(path)
        if place in taken:
            raise UsageError(f"{flag} {path}: is also {taken[place]} of this command")
        taken[place] = flag


def _file(path: Path) -> tuple[int, int] | str:
    """Return what all names of one file share, hard links included; its path if there is none."""
    try:
        found = path.stat()
    except OSError:
        return os.path.realpath(path)  # resolve() raises for a loop of links
    return found.st_dev, found.st_ino


def check_extra(extra: str, module: str) -> None:
    """Check, before any work is done, that the module of an extra is installed.

    Raises
    ------
    MissingExtraError
        If it is not.
    """
    from importlib.util import find_spec

    from hadaropt.errors import MissingExtraError

    if find_spec(module) is None:
        raise MissingExtraError(extra, module)


def check_picture(output: Path, *inputs: Path) -> None:
    """Check, before any work is done, that a picture can be written.

    Raises
    ------
    UsageError
        If the file cannot be written or its suffix names no format of pictures.
    MissingExtraError
        If what draws it is not installed.
    """
    check_outputs(("--out", output), inputs=inputs)
    if output.suffix.lower() not in PICTURES:
        raise UsageError(f"--out {output}: must end in one of {', '.join(PICTURES)}")
    check_extra("plot", "matplotlib")
