"""Policies as text with parameters: ``primal_dual:zero_start[U=1/2,m=2]``, ``random[seed=3]``.

Any policy and any round scheduler may be told wrong iterations: ``fifo[iterations=1/2]``,
``round:hadar[iterations=unknown]``.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace

from hadaropt.bench.contestants import ROUND, InRounds, make_contestant
from hadaropt.errors import InstanceError, nearest, shown
from hadaropt.online.misinformed import Misinformed
from hadaropt.plugins import POLICIES, SCHEDULERS, plugin_facts
from hadaropt.policies import POLICY_NAMES, Policy
from hadaropt.simulate.registry import BUILT_IN

ITERATIONS = "iterations"
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
    own = () if isinstance(policy, InRounds) else fields(policy)
    known = (*(field.name for field in own if field.repr and field.init), ITERATIONS)
    given: dict[str, object] = {}
    for part in match["parameters"].split(","):
        # Tables write U*2: a name from a table is read as well.
        name, *value = (piece.strip() for piece in re.split("[=*]", part, maxsplit=1))
        if not value or name not in known:
            near = nearest(name, known)
            hint = "" if near is None else f'; did you mean "{near}"?'
            rule = f"must be PARAMETER=VALUE of {', '.join(known)}{hint}"
            raise InstanceError(f"policy {match['name']}", rule, shown(part))
        if name in given:
            raise InstanceError(f"policy {match['name']}", f"must give {name} once", shown(part))
        given[name] = _value(value[0])
    iterations = given.pop(ITERATIONS, None)
    policy = replace(policy, **given) if given else policy
    if iterations is None:
        return policy
    told = Misinformed(policy, iterations)  # type: ignore[arg-type]
    return policy if told.iterations == 1 else told


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
