"""A contradiction between proven facts: raise, and leave the files that reproduce it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NoReturn

from hadaropt.errors import InvariantError
from hadaropt.instance import Instance
from hadaropt.io import write_instance, write_schedule
from hadaropt.schedule import Schedule


def breach(message: str, instance: Instance, schedule: Schedule) -> NoReturn:
    """Write the instance and the schedule to a new folder, and raise `InvariantError`."""
    folder = Path(tempfile.mkdtemp(prefix="hadaropt-breach-"))
    files = (folder / "instance.json", folder / "schedule.json")
    write_instance(instance, files[0])
    write_schedule(instance, schedule, files[1])
    raise InvariantError(message, tuple(map(str, files)))
