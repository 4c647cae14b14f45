"""Policies as text with parameters: ``primal_dual:zero_start[U=1/2,m=2]``, ``random[seed=3]``."""

from __future__ import annotations

import re
from dataclasses import fields, replace

from hadaropt.bench.contestants import ROUND, make_contestant
from hadaropt.errors import InstanceError, nearest, shown
from hadaropt.plugins import POLICIES, SCHEDULERS, plugin_facts
from hadaropt.policies import POLICY_NAMES, Policy
from hadaropt.simulate.registry import BUILT_IN

_TEXT = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<parameters>[^\[\]]*)\])?")


def policy_from_text(text: str) -> Policy:
    """Return the policy of a name with parameters in brackets.

    Raises
    ------
    InstanceError
        For an unknown name or parameter (the nearest is given), or a value out of range.
    """
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise InstanceError("policy", "must be NAME or NAME[PARAMETER=VALUE,...]", shown(text))
    policy = make_contestant(match["name"].strip())
    if match["parameters"] is None:
        return policy
    known = tuple(field.name for field in fields(policy) if field.repr and field.init)
    given: dict[str, object] = {}
    for part in match["parameters"].split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name not in known:
            near = nearest(name, known)
            hint = "" if near is None else f'; did you mean "{near}"?'
            rule = f"must be PARAMETER=VALUE of {', '.join(known) or 'nothing'}{hint}"
            raise InstanceError(f"policy {match['name']}", rule, shown(part))
        given[name] = _value(value)
    return replace(policy, **given)


def policy_content(text: str) -> dict[str, object]:
    """Return what identifies a policy in a key: its name, and the package that brings it."""
    name = text.partition("[")[0].strip()
    content: dict[str, object] = {"policy": policy_from_text(text).name, "text": text}
    if name.startswith(ROUND):
        scheduler = name.removeprefix(ROUND)
        if scheduler not in BUILT_IN:
            content |= plugin_facts(SCHEDULERS, scheduler)
    elif name.replace("-", "_") not in POLICY_NAMES:
        content |= plugin_facts(POLICIES, name)
    return content


def _value(text: str) -> object:
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if re.fullmatch(r"-?\d*\.\d+", text):
        return float(text)
    return text
