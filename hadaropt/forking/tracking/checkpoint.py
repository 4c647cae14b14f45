"""A job tracker's checkpoint as a document, and as a file written atomically.

``{"format": "hadaropt-tracker/1", "session": 0, "jobs": [{"name": "a", "total": 9, "done": 4,
"rounds": 1, "speeds": {"n0": 20000000}}]}``, speeds in steps per 10^6 s.
"""

from __future__ import annotations

import os

from hadaropt.errors import PlacedError, TrackerError, check_type, shown
from hadaropt.exact import to_integer
from hadaropt.forking.tracking.tickets import Book
from hadaropt.forking.tracking.tracker import Tracker
from hadaropt.io.documents import (
    check_fields,
    check_format,
    check_list,
    check_string,
    load_json,
    save_json,
)

FORMAT = "hadaropt-tracker/1"
LARGEST = 10**40  # Python's integers have no end, but a file is not to fill the memory
_FIELDS = ("name", "total", "done", "rounds", "speeds")


def tracker_document(tracker: Tracker) -> dict[str, object]:
    """Return what is settled; an open round is left out, as if never opened."""
    jobs = [{"name": name, **book._asdict()} for name, book in tracker.books().items()]
    return {"format": FORMAT, "session": tracker.session, "jobs": jobs}


def read_tracker_document(document: dict[str, object]) -> Tracker:
    """Return the tracker that goes on from a document, as the next session, without nodes.

    Raises
    ------
    TrackerError
        Naming the place, the value and the rule.
    """
    check_format(document, FORMAT, TrackerError)
    check_fields(document, ("format", "session", "jobs"), error=TrackerError)
    books: dict[str, Book] = {}
    for j, job in enumerate(check_list(document["jobs"], "jobs", TrackerError)):
        place = f"jobs[{j}]"
        fields = check_fields(job, _FIELDS, path=place, error=TrackerError)
        name = check_string(fields["name"], f"{place}.name", TrackerError)
        if name in books:
            raise TrackerError(f"{place}.name", "must not be there twice", shown(name))
        books[name] = _book(fields, place)
    session = _integer(document["session"], "session", 0)
    return Tracker.reopen(session + 1, books)


def save_tracker(tracker: Tracker, path: str | os.PathLike[str]) -> None:
    """Write a checkpoint of the books; a half-written file is never left.

    Raises
    ------
    TypeError
        If the arguments are in another order.
    """
    check_type("tracker", tracker, Tracker, "save_tracker(tracker, path)")
    save_json(path, tracker_document(tracker))


def load_tracker(path: str | os.PathLike[str]) -> Tracker:
    """Return the tracker of a checkpoint, as the next session.

    Save it again before any work is given out, so that no two sessions have one number.

    Raises
    ------
    TrackerError
        Naming the place, the value and the rule.
    OSError
        If the file cannot be read.
    """
    return read_tracker_document(load_json(path, TrackerError))


def _book(fields: dict[str, object], place: str) -> Book:
    total = _integer(fields["total"], f"{place}.total", 1)
    done = _integer(fields["done"], f"{place}.done", 0)
    if done > total:
        raise TrackerError(f"{place}.done", f"must be <= {total}, the total", shown(done))
    speeds = fields["speeds"]
    if not isinstance(speeds, dict):
        raise TrackerError(f"{place}.speeds", "must be an object", shown(speeds))
    read = {n: _integer(v, f"{place}.speeds[{shown(n)}]", 1) for n, v in speeds.items()}
    return Book(total, done, _integer(fields["rounds"], f"{place}.rounds", 0), read)


def _integer(value: object, path: str, least: int) -> int:
    try:
        return to_integer(value, path, least=least, most=LARGEST)
    except PlacedError as bad:
        raise TrackerError(bad.path, bad.rule, bad.value) from None
