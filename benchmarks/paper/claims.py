"""What an experiment of this folder hands to ``python -m benchmarks.paper``.

A module of the folder takes part by one function:

    def run(full: bool, out: Path) -> list[Claim]

- ``full``: the size of the source; otherwise a reduced size, some two minutes at most on one core.
- ``out``: an existing folder of its own, for tables and pictures.
- Raise ``SkippedError(reason)`` where something is absent that cannot be computed: public data.
- Print progress to standard error; standard output belongs to the driver.

``python -m benchmarks.paper.NAME`` may do more; ``run`` is what goes on the page.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Claim:
    """One row of the page, plain text each.

    ``claim`` says what is claimed and where; ``published`` gives the figure of the source, with
    its unit; ``ours`` gives ours and its setting (seeds, size, grid); ``why`` says why the two
    differ, or why they agree. None of them may be empty.
    """

    claim: str
    published: str
    ours: str
    why: str

    def __post_init__(self) -> None:
        for name in ("claim", "published", "ours", "why"):
            if not getattr(self, name).strip():
                raise ValueError(f"{name} is empty: a row says all four")


class SkippedError(Exception):
    """The experiment cannot run here, for the reason given."""


def data_folder(*needed: str) -> Path:
    """Return the folder of public data: HADAROPT_DATA, or ``shared/data`` beside the checkout.

    Raises
    ------
    SkippedError
        If there is none, or if it lacks one of the ``needed`` entries.
    """
    beside = Path(__file__).parents[3] / "shared" / "data"
    folder = Path(os.environ.get("HADAROPT_DATA", beside))
    if not folder.is_dir():
        raise SkippedError("the public data are not here; HADAROPT_DATA names their folder")
    for entry in needed:
        if not (folder / entry).exists():
            raise SkippedError(f"{entry} is not in the folder of public data (HADAROPT_DATA)")
    return folder
