"""The command line that the experiments on parts and on settings share."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

from benchmarks.paper.claims import Claim

FULL_SAMPLES = 10
REDUCED_SECONDS = 170.0
Perform = Callable[[bool, int, Path, float], list[Claim]]
"""(full size, samples, folder, seconds at the most) -> claims; writes the page of its name."""


def seconds_of(full: bool) -> float:
    """Return the seconds after which no further run is begun: a slow machine has fewer samples."""
    return math.inf if full else REDUCED_SECONDS


def command(name: str, about: str | None, reduced_samples: int, perform: Perform) -> None:
    """Run an experiment as its options say, and print its page."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--samples", type=int)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--out", type=Path, default=Path("results/paper") / name)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    samples = options.samples or (FULL_SAMPLES if options.full else reduced_samples)
    perform(options.full, samples, options.out, options.seconds)
    print((options.out / f"{name}.md").read_text("utf-8"))
