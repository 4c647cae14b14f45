"""Names of the last release that are still understood, until the next one."""

from __future__ import annotations

from collections.abc import Sequence

OPTIONS: dict[tuple[str, ...], dict[str, str]] = {
    (): {"--output": "--out"},
    ("adversary",): {"--budget": "--time-limit"},
    ("bench", "ratio"): {"--cell-limit": "--cell-time-limit"},
    ("bench", "schedulers"): {"--cell-limit": "--cell-time-limit"},
    ("train",): {"--patience": "--patience-seconds"},
    ("trace", "fetch"): {"--directory": "--out", "-d": "-o"},
}
"""Command (none: every one) -> old option -> new option."""
CHOICES: dict[tuple[str, ...], dict[str, dict[str, str]]] = {
    ("solve",): {"--method": {"configuration": "configuration_lp"}},
}
"""Command -> option -> old choice -> new choice."""


def renamed(tokens: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the tokens in the names of now, and a line for each name that is old.

    What comes after ``--`` is no option, and stays.
    """
    options: dict[str, str] = {}
    choices: dict[str, dict[str, str]] = {}
    for command, names in OPTIONS.items():
        options |= names if _is(command, tokens) else {}
    for command, own in CHOICES.items():
        choices |= own if _is(command, tokens) else {}
    end = tokens.index("--") if "--" in tokens else len(tokens)
    found: list[str] = []
    notes: list[str] = []
    for token in tokens[:end]:
        option, equals, value = token.partition("=")
        if option in options and (equals or token.startswith("-")):
            notes.append(f"{option} is now {options[option]}")
            option = options[option]
        place = option if equals else found[-1] if found else ""
        words = choices.get(place, {})
        given = value if equals else token
        if given in words:
            notes.append(f"{given} is now {words[given]}")
            found.append(f"{option}={words[given]}" if equals else words[given])
            continue
        found.append(option + equals + value)
    return [*found, *tokens[end:]], notes


def _is(command: tuple[str, ...], tokens: Sequence[str]) -> bool:
    return tuple(tokens[: len(command)]) == command
