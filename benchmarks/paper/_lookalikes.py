"""Where the Philly trace is not at hand: a generated log like it, marked as such wherever it shows.

It has as many jobs as the sample of three weeks, with gangs, durations and arrivals of the family
``philly_like`` (`hadaropt.generate.philly`), whose figures were read off a summary of the trace.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.paper._samples import PHILLY
from benchmarks.paper.claims import Claim, SkippedError, data_folder
from hadaropt.generate.draws import Draws
from hadaropt.generate.philly import philly_arrivals
from hadaropt.io.files import writing

JOBS = 34_684
SHOUTED = "GENERATED"
"""Every mark holds it."""


def shown(text: str, size: str) -> str:
    """Return a text for a picture, with a short mark where the ``size`` bears the mark."""
    return f"{text} (generated look-alike)" if SHOUTED in size else text


@dataclass(frozen=True)
class Traces:
    """A folder of public data, and a mark where what lies there is generated, else nothing."""

    data: Path
    mark: str

    def size(self, text: str) -> str:
        """Return the size of an experiment, with the mark."""
        return f"{text}, {self.mark}" if self.mark else text

    def label(self, text: str) -> str:
        """Return the name of what is drawn or listed, with a short mark."""
        return shown(text, self.size(text))

    def cells(self, out: Path, name: str = "cells") -> Path:
        """Return where runs are kept: those on a look-alike by themselves."""
        return out / (f"{name}-lookalike" if self.mark else name)

    def marked(self, claims: Sequence[Claim]) -> list[Claim]:
        """Return claims of which every one bears the mark."""
        return [
            claim if self.mark in claim.ours else replace(claim, ours=f"{self.mark}: {claim.ours}")
            for claim in claims
        ]


def traces_or_lookalike(out: Path, needed: Sequence[str], instead: str) -> Traces:
    """Return the folder of public data; without it, one made below ``out``, named ``instead``."""
    try:
        return Traces(data_folder(*needed), "")
    except SkippedError:
        folder = out / "lookalike"
        write_lookalike(folder / "traces" / f"{PHILLY}.csv")
        return Traces(folder, f"on {instead}")


def write_lookalike(file: Path) -> None:
    """Write the log as a normalised csv, unless it is there; times in whole seconds."""
    if file.exists():
        return
    drawn = philly_arrivals(Draws("lookalike", 0), JOBS, None)
    times = drawn.clock(drawn.times)
    file.parent.mkdir(parents=True, exist_ok=True)
    with writing(file) as draft, draft.open("w", newline="", encoding="utf-8") as opened:
        rows = csv.writer(opened, lineterminator="\n")
        rows.writerow(("job_id", "submit_s", "num_gpus", "gpu_type", "duration_s", "status"))
        for i, (time, gang, seconds) in enumerate(
            zip(times, drawn.gangs, drawn.seconds, strict=True)
        ):
            rows.writerow((f"generated-{i:06d}", int(time), gang, "", max(1, int(seconds)), ""))
