"""Run every experiment of this folder and write one page: claim, published, ours, why.

    python -m benchmarks.paper [--full] [--only NAMES] [--out results/paper] [--minutes 14.5]
        [--no-fetch]

Where there are no public data, the traces that may be fetched are fetched (the Philly log has 1.06
GB; --no-fetch forbids it). What will run, and which data are not here, is said before anything
starts. Each experiment runs in a process of its
own and is stopped at its limit: at reduced size five minutes, and less where all together would
exceed the minutes. What is skipped, stopped or broken stands on the page with its reason. Exit code
0: all that could run did.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from benchmarks.paper._fetching import fetched, lacking
from benchmarks.paper.experiments import Outcome, names, perform
from benchmarks.paper.page import to_html, to_markdown
from benchmarks.paper.plan import Planned, planned, told

MOST, LEAST = 5.0, 0.5
"""Minutes of one experiment at reduced size; the least is kept for each that is still to come."""


def share(minutes: float, experiments: int) -> float:
    """Return the limit of the next experiment, when so many are to come in so many minutes."""
    return max(min(LEAST, minutes / experiments), min(MOST, minutes - LEAST * (experiments - 1)))


def _with_traces(
    chosen: list[str], plans: list[Planned], out: Path, *, forbidden: bool
) -> list[Planned]:
    """Fetch the traces, unless that is forbidden, and return the plans with them."""

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    if forbidden:
        say("No public traces are here, and --no-fetch forbids to fetch them.")
        return plans
    folder = fetched(out, say)
    if folder is None:
        return plans
    os.environ["HADAROPT_DATA"] = str(folder.resolve())
    return [planned(name) for name in chosen]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper", description=__doc__)
    parser.add_argument("--full", action="store_true", help="the sizes of the sources")
    parser.add_argument("--only", default="", help="comma-separated names of experiments")
    parser.add_argument("--out", type=Path, default=Path("results/paper"))
    parser.add_argument("--minutes", type=float, help="of all (14.5; with --full no limit)")
    parser.add_argument(
        "--no-fetch", action="store_true", help="download no traces where there are none"
    )
    options = parser.parse_args(arguments)
    known = names()
    chosen = [name for name in options.only.split(",") if name] or known
    for name in chosen:
        if name not in known:
            parser.error(f"--only {name}: must be among {', '.join(known)}")
    minutes = options.minutes or (None if options.full else 14.5)
    size = "the sizes of the sources" if options.full else "reduced size"
    plans = [planned(name) for name in chosen]
    if lacking(plans):
        plans = _with_traces(chosen, plans, options.out, forbidden=options.no_fetch)
    print(told(plans, size, minutes, options.out), file=sys.stderr, flush=True)
    began = time.monotonic()
    outcomes: list[Outcome] = []
    try:
        for i, name in enumerate(chosen):
            print(f"{name} ...", file=sys.stderr, flush=True)
            left = None if minutes is None else minutes - (time.monotonic() - began) / 60
            limit = None if left is None else share(left, len(chosen) - i)
            outcomes.append(perform(name, options.full, options.out / name, limit))
            print(f"{name}: {outcomes[-1].summary}", file=sys.stderr, flush=True)
    finally:  # also after Ctrl-C: the page says what has been run
        options.out.mkdir(parents=True, exist_ok=True)
        head = f"{'Full' if options.full else 'Reduced'} size, {time.strftime('%Y-%m-%d')}."
        missing = [name for name in chosen if name not in {done.name for done in outcomes}]
        if missing:
            head += f" Interrupted; not run: {', '.join(missing)}."
        for suffix, write in (("md", to_markdown), ("html", to_html)):
            file = options.out / f"paper.{suffix}"
            file.write_text(write(outcomes, head), encoding="utf-8")
            print(file)
    return 1 if any(outcome.broken for outcome in outcomes) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
