"""Where no public data are at hand: fetch what may be fetched, and put it where experiments look.

What is fetched is the Philly log (CC-BY-4.0) and cluster 06 of ITP (MIT), each checked by SHA-256
as for ``hadaropt trace fetch`` and kept in the user's cache. The jobs of both are written below
``OUT/data`` in the format that the experiments read; of Philly those submitted in the three weeks
from 2017-10-09, with their running times in whole seconds.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

from benchmarks.paper._samples import ITP, PHILLY
from benchmarks.paper.claims import SkippedError, data_folder
from benchmarks.paper.plan import Planned
from hadaropt.errors import HadaroptError
from hadaropt.io.files import writing
from hadaropt.traces import read_trace
from hadaropt.traces.fetch import PublicTrace, fetch_trace, public_trace
from hadaropt.traces.trace import Trace

TIMEOUT = 5.0
"""Seconds without a word from a server, after which experiments go on without its file."""
START = datetime(2017, 10, 9, tzinfo=UTC)
WEEKS = 3
FOLDER = "data"


@dataclass(frozen=True)
class Wanted:
    """A file that experiments read: its name there, and the public trace that it is made of."""

    file: str
    entry: PublicTrace
    first: Fraction | None = None
    """On the clock of the trace; None: every job."""


def wanted() -> list[Wanted]:
    """Return what may be fetched, first what no experiment does without."""
    first = Fraction(int(START.timestamp()))
    return [Wanted(PHILLY, public_trace("philly"), first), Wanted(ITP, public_trace("itp-06"))]


def lacking(plans: Sequence[Planned]) -> bool:
    """Return whether an experiment needs traces, and there is no folder of public data at all."""
    try:
        data_folder()
    except SkippedError:
        return any("traces" in plan.needs for plan in plans)
    return False


def fetched(
    out: Path,
    say: Callable[[str], object],
    *,
    files: Sequence[Wanted] | None = None,
    timeout: float = TIMEOUT,
    directory: Path | None = None,
) -> Path | None:
    """Fetch the traces, and return the folder of them; None where the first one cannot be had.

    ``say`` is told, before each download and after, what it is, its licence, and what became of it.
    ``directory`` is where downloads are kept: the user's cache by default. Ctrl-C goes on without.
    """
    folder = out / FOLDER
    for i, own in enumerate(wanted() if files is None else files):
        file = folder / "traces" / f"{own.file}.csv"
        if file.exists():
            say(f"{own.entry.title}: fetched before, {file}")
            continue
        say(
            f"fetching {own.entry.title}, {own.entry.licence}, {own.entry.url} (Ctrl-C: without it)"
        )
        try:
            trace = read_trace(fetch_trace(own.entry, directory=directory, timeout=timeout))
            count = _write(trace, file, own.first)
        except (HadaroptError, OSError, KeyboardInterrupt) as error:
            why = "stopped" if isinstance(error, KeyboardInterrupt) else str(error)
            say(f"  not fetched: {why}")
            if i == 0:
                return None
            continue
        say(f"  fetched: {count:,} jobs, {file}")
    return folder


def _write(trace: Trace, file: Path, first: Fraction | None) -> int:
    """Write the jobs that ran, those of the weeks from ``first`` on if given; return how many."""
    low = Fraction(0) if first is None else first - trace.origin_seconds
    high = None if first is None else low + int(timedelta(weeks=WEEKS).total_seconds())
    jobs = [
        job
        for job in trace.jobs
        if job.duration_seconds and (high is None or low <= job.submit_seconds < high)
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    with writing(file) as draft, draft.open("w", newline="", encoding="utf-8") as opened:
        rows = csv.writer(opened, lineterminator="\n")
        rows.writerow(("job_id", "submit_s", "num_gpus", "gpu_type", "duration_s", "status"))
        for job in jobs:
            assert job.duration_seconds is not None
            seconds = max(1, math.floor(job.duration_seconds))
            submit = math.floor(job.submit_seconds - low)
            rows.writerow((job.name, submit, job.num_gpus, job.gpu_type or "", seconds, job.status))
    return len(jobs)
