"""Policies, schedulers and price functions of other packages, found through their entry points.

An entry point is a callable without arguments that makes one of them; its name is that by which
the command line, `bench` and `adversary` know what it makes.
"""

from __future__ import annotations

import hashlib
import inspect
from importlib import metadata
from pathlib import Path

from hadaropt.errors import InstanceError, shown

POLICIES = "hadaropt.policies"
"""Group of what makes a `hadaropt.policies.Policy`."""
SCHEDULERS = "hadaropt.schedulers"
"""Group of what makes a `hadaropt.simulate.view.Scheduler`."""
PRICES = "hadaropt.prices"
"""Group of what makes a `hadaropt.policies.PriceFunction`."""


def plugin_names(group: str, taken: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the names that other packages register in a group, sorted.

    Raises
    ------
    InstanceError
        If a name is one of ``taken``, or two packages register it.
    """
    seen: dict[str, str] = {}
    for entry in metadata.entry_points(group=group):
        owner = _owner(entry)
        other = "hadaropt" if entry.name in taken else seen.get(entry.name, owner)
        if other != owner:
            rule = f"must not be registered by {owner} and by {other}"
            raise InstanceError(f"entry point of {group}", rule, shown(entry.name))
        seen[entry.name] = owner
    return tuple(sorted(seen))


def make_plugin(group: str, name: str) -> object:
    """Return what the entry point of this name makes when it is called without arguments.

    Raises
    ------
    InstanceError
        If it cannot be loaded or made; the package is named.
    """
    entry = _entry(group, name)
    try:
        made: object = entry.load()()
    except Exception as bad:  # whatever another package raises, named as its
        rule = f"of {_owner(entry)} cannot be used: {type(bad).__name__}: {bad}"
        raise InstanceError(f"entry point of {group}", rule, shown(name)) from bad
    return made


def plugin_facts(group: str, name: str) -> dict[str, str]:
    """Return what a result of a plugin depends on.

    These are its package and the package's version, the place that its entry point names, and the
    SHA-256 of the source file.
    """
    entry = _entry(group, name)
    facts = {"package": _owner(entry), "entry": entry.value}
    if entry.dist is not None:
        facts["version"] = entry.dist.version
    module = inspect.getmodule(entry.load())
    file = None if module is None else inspect.getsourcefile(module)
    if file is not None:
        facts["sha256"] = hashlib.sha256(Path(file).read_bytes()).hexdigest()
    return facts


def _entry(group: str, name: str) -> metadata.EntryPoint:
    found = list(metadata.entry_points(group=group, name=name))
    if not found:
        raise InstanceError(f"entry point of {group}", "is not registered", shown(name))
    return found[0]


def _owner(entry: metadata.EntryPoint) -> str:
    return "unknown" if entry.dist is None else entry.dist.name
