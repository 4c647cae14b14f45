"""Policies as text with parameters: ``primal_dual:zero_start[U=1/2,m=2]``, ``random[seed=3]``.

Any policy and any round scheduler may be told wrong iterations: ``fifo[iterations=1/2]``,
``round:hadar[iterations=unknown]``. Primal-dual policies may be told U, L and m of an earlier
instance: ``primal_dual:step[calibrated=bounds]``.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Any

from hadaropt.bench.ratio.calibrated import Calibrated
from hadaropt.bench.ratio.contestants import ROUND, InRounds, make_contestant
from hadaropt.errors import InstanceError, nearest, shown
from hadaropt.online.misinformed import Misinformed
from hadaropt.plugins import POLICIES, PRICES, SCHEDULERS, plugin_facts
from hadaropt.policies import POLICY_NAMES, Policy, PrimalDual, make_policy
from hadaropt.simulate.registry import BUILT_IN

ITERATIONS, CALIBRATED = "iterations", "calibrated"
_TEXT = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<parameters>[^\[\]]*)\])?")


def policy_from_text(text: str) -> Policy:
    """Return the policy of a name with parameters in brackets.

    Raises
    ------
    InstanceError
        For an unknown name or parameter (the nearest is given), or a value out of range.
    """
    called, given = split_text("policy", text)
    policy = make_contestant(called)
    own = () if isinstance(policy, InRounds) else fields(policy)
    known = (*(field.name for field in own if field.repr and field.init), ITERATIONS)
    known += (CALIBRATED,) if isinstance(policy, PrimalDual) else ()
    for name in given:
        if name not in known:
            near = nearest(name, known)
            hint = "" if near is None else f'; did you mean "{near}"?'
            rule = f"must be PARAMETER=VALUE of {', '.join(known)}{hint}"
            raise InstanceError(f"policy {called}", rule, shown(name))
    iterations, source = given.pop(ITERATIONS, None), given.pop(CALIBRATED, None)
    if source is not None and iterations is not None:
        rule = f"must not give {ITERATIONS} and {CALIBRATED}"
        raise InstanceError(f"policy {called}", rule, shown(text))
    policy = replace(policy, **given) if given else policy
    if source is not None and isinstance(policy, PrimalDual):
        return Calibrated(policy, source)
    if iterations is None:
        return policy
    told = Misinformed(policy, iterations)
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


def policy_content(text: str) -> dict[str, object]:
    """Return what identifies a policy in a key: its name, and the package that brings it."""
    name = text.partition("[")[0].strip()
    content: dict[str, object] = {"policy": policy_from_text(text).name, "text": text}
    if name.startswith(ROUND):
        scheduler = name.removeprefix(ROUND)
        if scheduler not in BUILT_IN:
            content |= plugin_facts(SCHEDULERS, scheduler)
    elif name.replace("-", "_") not in POLICY_NAMES:
        made = make_policy(name)
        group, entry = POLICIES, name
        if isinstance(made, PrimalDual) and name.replace("-", "_").startswith("primal_dual:"):
            group, entry = PRICES, made.price_name
        content |= plugin_facts(group, entry)
    return content


def _value(text: str) -> object:
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if re.fullmatch(r"-?\d*\.\d+", text):
        return float(text)
    return text
