"""Recorded allocations as a policy: what separates the mechanism from the LP solver."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from hadaropt.errors import TraceError, shown
from hadaropt.simulate.schedulers.gavel_reference.inputs import TYPES
from hadaropt.simulate.schedulers.gavel_reference.mechanism import Shares, View
from hadaropt.traces.table import parse_table, read_text

COLUMNS = ("time_s", "job_id", *TYPES)


class Replay:
    """Answers with the allocation that was recorded at exactly this instant.

    Parameters
    ----------
    path : path
        csv of ``time_s, job_id, v100, p100, k80`` (``.gz`` is unpacked), one row for each job of
        each allocation; an empty share is 0.

    Raises
    ------
    TraceError
        If the file has other columns or a malformed field.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        file = Path(path)
        self._source = file.name
        table = parse_table(read_text(file), file.name)
        if table.first != COLUMNS:
            rule = f"must have columns {list(COLUMNS)}, has {list(table.first)}"
            raise TraceError(file.name, rule)
        self._recorded: dict[float, dict[str, dict[str, float]]] = {}
        for row in table.rows():
            instant, job = row.number("time_s"), row.text("job_id")
            if instant is None or job is None:
                raise TraceError(row.place, "must have a time_s and a job_id")
            shares = {kind: _share(row.fields[kind], f"{row.place}: {kind}") for kind in TYPES}
            self._recorded.setdefault(float(instant), {})[job] = shares

    def __call__(self, view: View) -> Shares:
        """Return the recorded allocation.

        Raises
        ------
        TraceError
            If none was recorded now: the run is another one.
        """
        try:
            recorded: Mapping[str, Mapping[str, float]] = self._recorded[view.now]
        except KeyError:
            rule = f"has no allocation at time_s = {view.now!r}, where the run asks for one"
            raise TraceError(self._source, rule) from None
        return {
            index: recorded[job.name] for index, job in view.jobs.items() if job.name in recorded
        }


def _share(text: str, place: str) -> float:
    """Return a share as the double that was written: a record is replayed, not rounded."""
    try:
        return float(text) if text.strip() else 0.0
    except ValueError:
        raise TraceError(place, "must be a number", shown(text)) from None
