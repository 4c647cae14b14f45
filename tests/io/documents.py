"""A small instance as a document, and what one change makes of it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from hadaropt.errors import InstanceError
from tests.instances_strategy import to_text
from tests.oracle import Json

EXAMPLE: Json = {
    "format": "hadaropt-instance/1",
    "name": "tiny",
    "round_seconds": 360,
    "num_rounds": 12,
    "parallelism": "mixed",
    "consolidation_seconds": 0,
    "accelerators": ["V100", "P100"],
    "nodes": [{"name": "n0", "gpus": {"V100": 2}}, {"name": "n1", "gpus": {"P100": 2}}],
    "jobs": [
        {
            "name": name,
            "release": 0,
            "gang_size": 2,
            "iterations": 4000,
            "throughput": {"V100": Decimal("4.0"), "P100": Decimal("1.5")},
            "spread_factor": Decimal("1.0"),
            "max_copies": 2,
            "utility": {"kind": "linear", "peak": Decimal("100.0"), "decay": Decimal("4.0")},
        }
        for name in "ab"
    ],
}
MISSING = object()
Path_ = tuple[Any, ...]


def changed(document: Json, place: Path_, value: Any) -> Json:
    """A copy of the document with one place set, or removed."""
    out = copy.deepcopy(document)
    target: Any = out
    for key in place[:-1]:
        target = target[key]
    if value is MISSING:
        del target[place[-1]]
    elif isinstance(target, list) and place[-1] == len(target):
        target.append(value)
    else:
        target[place[-1]] = value
    return out


def refused(text: str | bytes, folder: Path, read: Callable[[Path], object]) -> str:
    """The message with which a file of this content is refused."""
    path = folder / "x.json"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(InstanceError) as caught:
        read(path)
    return str(caught.value)


J0: Path_ = ("jobs", 0)


WHOLE = to_text(EXAMPLE, indent=1)
