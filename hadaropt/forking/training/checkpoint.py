"""The whole of a training in one file: books, states and curves, written atomically.

A zip of arrays (``numpy.savez``) and one JSON header; no pickles, so reading runs no code.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hadaropt.errors import PlacedError, TrackerError, shown
from hadaropt.forking.tracking.averaging import check_tree
from hadaropt.forking.tracking.checkpoint import read_tracker_document, tracker_document
from hadaropt.forking.tracking.tracker import Tracker
from hadaropt.forking.training.events import CopyRecord, CurvePoint
from hadaropt.forking.training.tasks.task import State
from hadaropt.io.documents import check_fields, check_format, check_list, parse_json
from hadaropt.io.files import write_bytes

FORMAT = "hadaropt-training/1"
FILE = "checkpoint.npz"
_HEADER = "header"


class Checkpoint(NamedTuple):
    """What a training goes on from.

    Attributes
    ----------
    tracker : Tracker
    states : dict of str to State
        Consolidated state by job.
    settings : dict
        Whatever the caller wants back (JSON).
    curve : list of CurvePoint
    copies : list of CopyRecord
    seconds : float
        Seconds of training so far.
    """

    tracker: Tracker
    states: dict[str, State]
    settings: dict[str, Any]
    curve: list[CurvePoint]
    copies: list[CopyRecord]
    seconds: float


def save_checkpoint(checkpoint: Checkpoint, folder: Path) -> Path:
    """Write ``checkpoint.npz`` into the folder: whole, or the one before stays.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    arrays: list[NDArray[Any]] = []
    header = {
        "format": FORMAT,
        "tracker": tracker_document(checkpoint.tracker),
        "states": {job: _packed(state, arrays) for job, state in checkpoint.states.items()},
        "settings": checkpoint.settings,
        "curve": [list(point) for point in checkpoint.curve],
        "copies": [list(record) for record in checkpoint.copies],
        "seconds": checkpoint.seconds,
    }
    text: Any = np.frombuffer(json.dumps(header, allow_nan=False).encode(), dtype=np.uint8)
    data = io.BytesIO()
    members: dict[str, Any] = {f"a{i}": array for i, array in enumerate(arrays)}
    np.savez(data, **members, **{_HEADER: text})
    file = folder / FILE
    # Or the name may outlive the content in a power cut.
    write_bytes(file, data.getvalue(), sync=True)
    return file


def load_checkpoint(folder: Path) -> Checkpoint:
    """Return the checkpoint in a folder.

    Raises
    ------
    TrackerError
        If the file is not a checkpoint, or breaks a rule: place, value and rule are named.
    OSError
        If it cannot be read.
    """
    file = folder / FILE
    data = file.read_bytes()
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as members:
            arrays = {name: members[name] for name in members.files}
    except (ValueError, EOFError, zipfile.BadZipFile) as bad:
        raise TrackerError(FILE, f"is not a whole checkpoint: {bad}") from None
    if _HEADER not in arrays or arrays[_HEADER].dtype != np.uint8:
        raise TrackerError(FILE, "is not a checkpoint: it holds no header")
    text = arrays.pop(_HEADER).tobytes().decode("utf-8", errors="replace")
    strict = parse_json(text, FILE, TrackerError)  # refuses NaN and duplicate keys
    check_format(strict, FORMAT, TrackerError)
    names = ("format", "tracker", "states", "settings", "curve", "copies", "seconds")
    check_fields(strict, names, error=TrackerError)
    header = json.loads(text)
    try:
        tracker = read_tracker_document(header["tracker"])
    except PlacedError as bad:
        raise bad.below("tracker") from None
    for name in ("states", "settings"):
        if not isinstance(header[name], dict):
            raise TrackerError(name, "must be an object", shown(header[name]))
    seconds = header["seconds"]
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or seconds < 0:
        raise TrackerError("seconds", "must be a number >= 0", shown(seconds))
    packed = header["states"].items()
    states = {job: _unpacked(tree, arrays, f"states.{job}") for job, tree in packed}
    for job in tracker.jobs:
        if job not in states:
            raise TrackerError(f"states.{job}", "is missing")
    curve = [CurvePoint(*row) for row in _rows(header, "curve", len(CurvePoint._fields))]
    copies = [CopyRecord(*row) for row in _rows(header, "copies", len(CopyRecord._fields))]
    return Checkpoint(tracker, states, header["settings"], curve, copies, seconds)


def _rows(header: Mapping[str, Any], name: str, width: int) -> list[list[Any]]:
    rows = check_list(header[name], name, TrackerError)
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != width:
            raise TrackerError(f"{name}[{i}]", f"must be a list of {width}", shown(row))
    return rows  # type: ignore[return-value]


def _packed(tree: object, arrays: list[NDArray[Any]]) -> object:
    """Return the tree with each array replaced by its number in ``arrays``."""
    if isinstance(tree, Mapping):
        return {"map": {str(name): _packed(item, arrays) for name, item in tree.items()}}
    if isinstance(tree, list | tuple):
        return {"list": [_packed(item, arrays) for item in tree]}
    if isinstance(tree, str | bool | int | float | None):
        return tree
    arrays.append(np.asarray(tree))
    return {"array": len(arrays) - 1}


def _unpacked(packed: object, arrays: Mapping[str, NDArray[Any]], place: str) -> Any:
    tree = _tree(packed, arrays, place)
    check_tree(tree, place)
    return tree


def _tree(packed: object, arrays: Mapping[str, NDArray[Any]], place: str) -> Any:
    match packed:
        case None | str() | bool() | int() | float():
            return packed
        case {"map": dict(items), **rest} if not rest:
            return {name: _tree(item, arrays, f"{place}.{name}") for name, item in items.items()}
        case {"list": list(items), **rest} if not rest:
            return [_tree(item, arrays, f"{place}[{i}]") for i, item in enumerate(items)]
        case {"array": int(number), **rest} if not rest and f"a{number}" in arrays:
            return arrays[f"a{number}"]
    raise TrackerError(place, "must be a packed tree whose arrays are there", shown(packed))
