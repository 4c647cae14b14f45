"""HadarE: training jobs that are forked into copies on several nodes.

Names are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

_HOME = {
    "Closed": "hadaropt.forking.tickets",
    "Copy": "hadaropt.forking.tickets",
    "Ticket": "hadaropt.forking.tickets",
    "Tracker": "hadaropt.forking.tracker",
    "Verdict": "hadaropt.forking.tickets",
    "consolidate": "hadaropt.forking.averaging",
    "split_steps": "hadaropt.forking.split",
    "step_average": "hadaropt.forking.averaging",
}

__all__ = list(_HOME)

if TYPE_CHECKING:
    from hadaropt.forking.averaging import consolidate as consolidate
    from hadaropt.forking.averaging import step_average as step_average
    from hadaropt.forking.split import split_steps as split_steps
    from hadaropt.forking.tickets import Closed as Closed
    from hadaropt.forking.tickets import Copy as Copy
    from hadaropt.forking.tickets import Ticket as Ticket
    from hadaropt.forking.tickets import Verdict as Verdict
    from hadaropt.forking.tracker import Tracker as Tracker


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'hadaropt.forking' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
