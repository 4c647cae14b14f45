"""The manifest of a results folder, checked before it is believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hadaropt.errors import InstanceError, shown

Rows = Mapping[str, str]


@dataclass(frozen=True)
class Recorded:
    """What a rerun must find again.

    Attributes
    ----------
    definition : dict
        The experiment as a document.
    results : mapping
        Figures of each cell, by its place.
    instances : mapping
        SHA-256 of each instance, by its place.
    """

    definition: dict[str, Any]
    results: Rows
    instances: Rows


def definition_of(manifest: Mapping[str, object]) -> dict[str, Any]:
    """Return the definition in a manifest.

    Raises
    ------
    InstanceError
        If there is none, or it is no object.
    """
    definition = _field(manifest, "definition")
    if not isinstance(definition, dict):
        raise InstanceError("definition", "must be an object", shown(definition))
    return definition


def recorded(manifest: Mapping[str, object]) -> Recorded:
    """Return what a manifest says of an experiment.

    Raises
    ------
    InstanceError
        Naming the place, the value and the rule.
    """
    results: dict[str, str] = {}
    for i, row in enumerate(_rows(manifest, "results")):
        if not (_is_list(row, 2) and all(isinstance(text, str) for text in row)):
            raise InstanceError(f"results[{i}]", "must be [cell, figures], two texts", shown(row))
        _add(results, row[0], row[1], f"results[{i}]")
    instances: dict[str, str] = {}
    for i, row in enumerate(_rows(manifest, "instances")):
        kinds = (str, int, str, str)
        if not (_is_list(row, 4) and all(map(isinstance, row, kinds))):
            rule = "must be [family, seed, parallelism, SHA-256]"
            raise InstanceError(f"instances[{i}]", rule, shown(row))
        _add(instances, instance_place(row), row[3], f"instances[{i}]")
    return Recorded(definition_of(manifest), results, instances)


def instance_place(row: list[Any]) -> str:
    """Return the place of an instance as text."""
    return " ".join(str(part) for part in row[:3]).rstrip()


def changed(before: Rows, after: Rows) -> list[tuple[str, str, str]]:
    """Return (place, then, now) of all that differs."""
    return [
        (place, before.get(place, "absent"), after.get(place, "absent"))
        for place in sorted(before.keys() | after.keys())
        if before.get(place) != after.get(place)
    ]


def _field(manifest: Mapping[str, object], name: str) -> object:
    if name not in manifest:
        raise InstanceError(name, "is missing")
    return manifest[name]


def _rows(manifest: Mapping[str, object], name: str) -> list[Any]:
    rows = _field(manifest, name)
    if not isinstance(rows, list):
        raise InstanceError(name, "must be a list", shown(rows))
    return rows


def _is_list(row: object, length: int) -> bool:
    return isinstance(row, list) and len(row) == length


def _add(rows: dict[str, str], place: str, value: str, path: str) -> None:
    if rows.setdefault(place, value) != value:
        raise InstanceError(path, "must not contradict another entry", shown(place))
