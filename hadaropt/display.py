"""How answers are printed, shown in notebooks, and turned into rows and data frames."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hadaropt.errors import one_of, printable, shown
from hadaropt.figures import decimal
from hadaropt.rows import Row, job_rows, schedule_rows, to_frame
from hadaropt.schedule import check_schedule, jobs_in_vain

if TYPE_CHECKING:
    from hadaropt.instance import Instance
    from hadaropt.schedule import Schedule

COLUMNS = {
    "schedule": ("round", "job", "node", "type", "gpus", "copies"),
    "jobs": ("job", "release", "gang_size", "iterations", "completion", "flow_time", "value"),
    "prices": ("round", "node", "type", "price"),
}
"""What rows an answer has, and their columns."""

Lines = list[tuple[str, str]]


class Printed:
    """Something that prints, and shows in notebooks, as lines of a label and a text."""

    def lines(self) -> Lines:
        """Return (label, text) for people."""
        raise NotImplementedError

    def __str__(self) -> str:
        lines = self.lines()
        width = max(len(label) for label, _ in lines)
        return "\n".join(f"{label:<{width}}  {printable(text)}" for label, text in lines)

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><th>{html.escape(label)}</th><td>{html.escape(printable(text))}</td></tr>"
            for label, text in self.lines()
        )
        return f"<table>{cells}</table>"


class Display(Printed):
    """An answer that prints in at most ten lines, and has rows.

    Attributes
    ----------
    instance : Instance or None
        What was solved; None where an answer was made without it.
    schedule : Schedule or None
    """

    if TYPE_CHECKING:

        @property
        def instance(self) -> Instance | None: ...  # noqa: D102
        @property
        def schedule(self) -> Schedule | None: ...  # noqa: D102

    def price_rows(self) -> list[Row]:
        """Return a row for each price; none where the answer has no prices."""
        return []

    def to_rows(self, what: str = "schedule") -> list[Row]:
        """Return the answer as rows: mappings from column to value, numbers exact.

        Parameters
        ----------
        what : {"schedule", "jobs", "prices"}
            Who holds which GPUs in each round; each job with its completion and value; or each
            price of a GPU.

        Raises
        ------
        ValueError
            If there are no such rows, or the answer does not know its instance.
        """
        if what not in COLUMNS:
            raise ValueError(f"what = {shown(what)}, {one_of(str(what), COLUMNS)}")
        if what == "prices":
            return self.price_rows()
        if self.schedule is None:
            return []
        if self.instance is None:
            raise ValueError("this answer was made without its instance, which names the rows")
        if what == "schedule":
            return schedule_rows(self.instance, self.schedule)
        return job_rows(self.instance, check_schedule(self.instance, self.schedule).completion)

    def to_frame(self, what: str = "schedule") -> Any:
        """Return the answer as a data frame of polars, or else of pandas, numbers as floats.

        Parameters
        ----------
        what : {"schedule", "jobs", "prices"}
            See `to_rows`.

        Raises
        ------
        MissingExtraError
            If neither polars nor pandas is installed.
        """
        rows = self.to_rows(what)
        return to_frame(rows, COLUMNS[what])


def completed(
    instance: Instance | None, schedule: Schedule | None, completion: Sequence[int | None] = ()
) -> str:
    """Return how many jobs complete, for people."""
    if schedule is None:
        return "no schedule"
    if not completion and instance is not None:
        completion = check_schedule(instance, schedule).completion
    if not completion and schedule.jobs:
        return f"{sum(bool(rounds) for rounds in schedule.jobs)} of {len(schedule.jobs)} run"
    text = f"{sum(last is not None for last in completion)} of {len(completion)} complete"
    vain = len(jobs_in_vain(schedule, completion))
    return f"{text}; {vain} hold{'s' if vain == 1 else ''} GPUs in vain" if vain else text


def per_cent(gap: float | None) -> str:
    """Return a gap in per cent, rounded up: to three digits, above 1000 % (to a million) whole.

    Examples
    --------
    >>> per_cent(0.0), per_cent(0.01234567), per_cent(13.7501), per_cent(None)
    ('0 %', '1.24 %', '1376 %', 'none')
    """
    if gap is None:
        return "none"
    if not math.isfinite(gap):
        return "infinite"
    value = 100 * Fraction(gap)
    if 999 < value <= 10**6:
        return f"{math.ceil(value)} %"
    return f"{decimal(value, 3, up=True)} %"
