"""Names that are written on the command line: one spelling, in which ``-`` stands for ``_``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hadaropt.cli.common.options import UsageError, one_of_rule
from hadaropt.names import spelled
from hadaropt.policies import DEFAULT_POLICY, FAMILY, unnamed_price


def one_of(option: str, text: str, known: Sequence[str]) -> str:
    """Return the known name that a text spells.

    Raises
    ------
    UsageError
        If there is none; the nearest is named.
    """
    name = spelled(text, known)
    if name is None and DEFAULT_POLICY in known and spelled(text, (FAMILY,)):
        return DEFAULT_POLICY
    if name is None:
        rule = unnamed_price(text) or one_of_rule(text, known)
        raise UsageError(f"{option} {text}: {rule}")
    return name


def chosen(
    option: str,
    text: str | None,
    default: Sequence[str],
    known: Sequence[str],
    *,
    parameters: bool = False,
) -> tuple[str, ...]:
    """Return the names of a comma-separated list, each known, each once.

    With ``parameters`` a name may be followed by some in brackets, which are not checked here.

    Raises
    ------
    UsageError
        For an empty selection or name, a name twice, or an unknown one; the nearest is named.
    """
    if text is None:
        return tuple(default)
    parts = [name.strip() for name in re.split(r",(?![^\[]*\])", text)]
    if not any(parts):
        raise UsageError(f'{option} "{text}": selects nothing')
    if not all(parts):
        raise UsageError(f'{option} "{text}": holds an empty name')
    names: list[str] = []
    for part in parts:
        own, bracket, told = part.partition("[") if parameters else (part, "", "")
        name = f"{one_of(option, own, known)}{bracket}{told}"
        if name in names:
            raise UsageError(f'{option} "{text}": names {name} twice')
        names.append(name)
    return tuple(names)
