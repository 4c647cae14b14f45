"""Contestants as text: policies with parameters, and round schedulers.

`hadaropt.online.policy_text` with two more kinds: ``round:hadar[iterations=unknown]``, a round
scheduler, and ``primal_dual:step[calibrated=bounds]``, told U, L and m of an earlier instance.
"""

from __future__ import annotations

from hadaropt.bench.ratio.calibrated import Calibrated
from hadaropt.bench.ratio.contestants import ROUND, InRounds, make_contestant
from hadaropt.errors import InstanceError, shown
from hadaropt.online.policy_text import (
    ITERATIONS,
    check_parameters,
    parameter_names,
    split_text,
    with_parameters,
)
from hadaropt.plugins import POLICIES, PRICES, SCHEDULERS, plugin_facts
from hadaropt.policies import POLICY_NAMES, Policy, PrimalDual, find_policy
from hadaropt.simulate.registry import BUILT_IN, find_scheduler

CALIBRATED = "calibrated"


def policy_from_text(text: str) -> Policy:
    """Return the contestant of a name with parameters in brackets.

    Raises
    ------
    InstanceError
        For an unknown name or parameter (the nearest is given), or a value out of range.
    """
    called, given = split_text("policy", text)
    policy = make_contestant(called)
    known = (ITERATIONS,) if isinstance(policy, InRounds) else parameter_names(policy)
    known += (CALIBRATED,) if isinstance(policy, PrimalDual) else ()
    check_parameters(f"policy {called}", given, known)
    if CALIBRATED in given and ITERATIONS in given:
        rule = f"must not give {ITERATIONS} and {CALIBRATED}"
        raise InstanceError(f"policy {called}", rule, shown(text))
    source = given.pop(CALIBRATED, None)
    policy = with_parameters(policy, given)
    if source is not None and isinstance(policy, PrimalDual):
        return Calibrated(policy, source)
    return policy


def policy_content(text: str) -> dict[str, object]:
    """Return what identifies a policy in a key: its name, and the package that brings it."""
    called = text.partition("[")[0].strip()
    content: dict[str, object] = {"policy": policy_from_text(text).name, "text": text}
    if called.startswith(ROUND):
        scheduler = find_scheduler(called.removeprefix(ROUND))
        if scheduler not in BUILT_IN:
            content |= plugin_facts(SCHEDULERS, scheduler)
    elif (name := find_policy(called)) not in POLICY_NAMES:
        family, _, price = name.partition(":")
        priced = family == "primal_dual" and price
        content |= plugin_facts(PRICES, price) if priced else plugin_facts(POLICIES, name)
    return content
