"""What a sweep computes: tasks, named by their content, and what became of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Status = Literal["done", "error", "breach", "timeout", "crash", "skipped"]
"""``error``: it raised. ``breach``: it contradicts a proved fact. ``timeout``: it was stopped at
its wall limit. ``crash``: its process died, three times. ``skipped``: what it needs has failed."""


@dataclass(frozen=True)
class Task:
    """One cell of a sweep.

    Attributes
    ----------
    key : str
        From `task_key`: equal keys mean equal results, so a stored one is never computed again.
    function : str
        ``package.module:name`` of a function of two arguments, (payload, what is needed or None),
        that returns a mapping; all three are JSON.
    payload : mapping
    needs : str or None
        Key of another task, whose result the function is given.
    seconds : float
        Wall limit: the process of the cell is killed at it.
    """

    key: str
    function: str
    payload: Mapping[str, object]
    needs: str | None = None
    seconds: float = 600.0


@dataclass(frozen=True)
class Outcome:
    """What became of a task.

    Attributes
    ----------
    status : Status
    reason : str
        In one line; "" if it is done.
    result : mapping or None
        What the function returned, if it is done.
    detail : str
        Traceback, or the last words of a process that died.
    seconds : float
        Wall time of the last attempt.
    tries : int
        Attempts: more than one only where processes died.
    compile_seconds : float
        Seconds that its process spent before on loading and compiling; 0 unless it was new.
    """

    status: Status
    reason: str = ""
    result: Mapping[str, object] | None = None
    detail: str = ""
    seconds: float = 0.0
    tries: int = 1
    compile_seconds: float = 0.0


def task_key(content: Mapping[str, object]) -> str:
    """Return the SHA-256 of all that a result depends on, as canonical JSON."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
