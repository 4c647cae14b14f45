"""Errors in the middle of a solve carry the best known answer, and what reproduces a defect."""

from __future__ import annotations

import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, Protocol

from hadaropt.errors import (
    InstanceError,
    InvariantError,
    LimitError,
    ScheduleError,
    reproducing_files,
)
from hadaropt.instance import Instance
from hadaropt.io import write_instance, write_schedule
from hadaropt.results import Result, Termination
from hadaropt.schedule import Schedule

FOLDER = "hadaropt-breach-"
"""How the names of the folders begin, among the temporary ones, that reproduce a defect."""


def breach(message: str, instance: Instance, schedule: Schedule) -> NoReturn:
    """Write the instance and the schedule to a new folder, and raise `InvariantError`."""
    raise InvariantError(message, _write(instance, {"schedule": schedule}))


def _write(instance: Instance, schedules: dict[str, Schedule | None]) -> tuple[str, ...]:
    folder = Path(tempfile.mkdtemp(prefix=FOLDER))
    files = [folder / "instance.json"]
    write_instance(instance, files[0])
    for name, schedule in schedules.items():
        if schedule is not None:
            files.append(folder / f"{name}.json")
            write_schedule(schedule, files[-1], instance)
    return tuple(map(str, files))


class Answerer(Protocol):
    """Whatever knows the best answer so far: of which instance, and from which start schedule."""

    instance: Instance

    @property
    def start(self) -> Schedule | None:
        """The start schedule."""
        ...

    def best(self, termination: Termination) -> Result:
        """Return the best answer known, with why the search for a better one ended."""


def foreign(error: BaseException) -> None:
    """Mark an error as one of a callback: it is its author's, and no defect of this package."""
    error.__dict__["of_callback"] = True


def is_foreign(error: BaseException) -> bool:
    """Return whether an error came from a callback."""
    return bool(getattr(error, "of_callback", False))


def _is_defect(error: BaseException) -> bool:
    expected = InstanceError | LimitError | MemoryError | OSError
    if isinstance(error, expected) or not isinstance(error, Exception):
        return False
    return not is_foreign(error)


@contextmanager
def answering(known: Answerer) -> Iterator[None]:
    """Let an error of the block carry the best known answer as its attribute ``best_known``.

    An error that nobody foresaw leaves files that reproduce it as well (attribute ``files``):
    instance, start, best schedule and traceback. So does a schedule that the checker refuses, as
    an `InvariantError`: what was given is checked before.
    """
    try:
        yield
    except ScheduleError as refused:
        error = refused if is_foreign(refused) else InvariantError(f"no schedule: {refused}")
        carry(error, known)
        raise error from refused.__cause__ if error is refused else refused
    except BaseException as error:
        carry(error, known)
        raise


def carry(error: BaseException, known: Answerer) -> None:
    """Attach the best known answer to an error, and for a defect what reproduces it."""
    try:
        answer = known.best(Termination.DEFECT if _is_defect(error) else Termination.FAILED)
    except Exception as other:
        error.add_note(f"the best known answer could not be told: {other!r}")
        return
    error.best_known = answer  # type: ignore[attr-defined]
    if not _is_defect(error):
        return
    try:
        files = reproducing_files(error)
        if not files:
            files = _write(known.instance, {"schedule": answer.schedule, "start": known.start})
            error.files = files  # type: ignore[attr-defined]
            error.add_note(f"reproduce with {', '.join(files)}")
        folder = Path(files[0]).parent
        if known.start is not None and not (folder / "start.json").exists():
            write_schedule(known.start, folder / "start.json", known.instance)
        text = "".join(traceback.format_exception(error))
        (folder / "traceback.txt").write_text(text, encoding="utf-8")
    except OSError as bad:
        error.add_note(f"the files that reproduce it could not be written: {bad}")
