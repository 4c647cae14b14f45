"""Policies as text with parameters: ``primal_dual:zero_start[U=1/2,m=2]``, ``random[seed=3]``.

Any policy may be told wrong iterations: ``fifo[iterations=1/2]``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from hadaropt.errors import InstanceError, nearest, shown
from hadaropt.exact import MAX_DIGITS
from hadaropt.online.misinformed import Misinformed
from hadaropt.policies import Policy, make_policy

ITERATIONS = "iterations"
_TEXT = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<parameters>[^\[\]]*)\])?")


def policy_from_text(text: str) -> Policy:
    """Return the policy of a name with parameters in brackets.

    Raises
    ------
    InstanceError
        For an unknown name or parameter (the nearest is given), or a value out of range.
    """
    called, given = split_text("policy", text)
    policy = make_policy(called)
    check_parameters(f"policy {called}", given, parameter_names(policy))
    return with_parameters(policy, given)


def parameter_names(policy: Policy) -> tuple[str, ...]:
    """Return the parameters that a policy may be given in its text."""
    own = (field.name for field in fields(policy) if field.repr and field.init)
    return (*own, ITERATIONS)


def check_parameters(what: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    """Check that every parameter of a text is known.

    Raises
    ------
    InstanceError
        If one is not; the nearest is given.
    """
    for name in given:
        if name not in known:
            near = nearest(name, known)
            hint = "" if near is None else f'; did you mean "{near}"?'
            rule = f"must be PARAMETER=VALUE of {', '.join(known)}{hint}"
            raise InstanceError(what, rule, shown(name))


def with_parameters(policy: Policy, given: Mapping[str, Any]) -> Policy:
    """Return the policy with parameters of its own, or told wrong iterations."""
    own = {name: value for name, value in given.items() if name != ITERATIONS}
    policy = replace(policy, **own) if own else policy
    if ITERATIONS not in given:
        return policy
    told = Misinformed(policy, given[ITERATIONS])
    return policy if told.iterations == 1 else told


def split_text(what: str, text: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of NAME[PARAMETER=VALUE,...].

    Tables write ``U*2``: a name from a table is read as well.

    Raises
    ------
    InstanceError
        If it is not of that form.
    """
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise InstanceError(what, "must be NAME or NAME[PARAMETER=VALUE,...]", shown(text))
    called, given = match["name"].strip(), {}
    for part in [] if match["parameters"] is None else match["parameters"].split(","):
        name, *value = (piece.strip() for piece in re.split("[=*]", part, maxsplit=1))
        if not value:
            raise InstanceError(f"{what} {called}", "must be PARAMETER=VALUE", shown(part))
        if name in given:
            raise InstanceError(f"{what} {called}", f"must give {name} once", shown(part))
        given[name] = _value(value[0])
    return called, given


def _value(text: str) -> object:
    if len(text) > MAX_DIGITS:
        return text
    if re.fullmatch(r"-?[0-9]+", text):
        return int(text)
    if re.fullmatch(r"-?[0-9]*\.[0-9]+", text):
        return float(text)
    return text


__all__ = ["parameter_names", "policy_from_text", "split_text", "with_parameters"]
