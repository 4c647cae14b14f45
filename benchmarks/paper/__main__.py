"""Run every experiment of this folder and write one page: claim, published, ours, why.

    python -m benchmarks.paper [--full] [--only NAMES] [--out results/paper] [--minutes 5]

Each experiment runs in a process of its own and is stopped at its limit of minutes; what is
skipped, stopped or broken stands on the page with its reason. Exit code 0: all that could run did.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks.paper.experiments import Outcome, names, perform
from benchmarks.paper.page import to_html, to_markdown


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper", description=__doc__)
    parser.add_argument("--full", action="store_true", help="the sizes of the sources")
    parser.add_argument("--only", default="", help="comma-separated names of experiments")
    parser.add_argument("--out", type=Path, default=Path("results/paper"))
    parser.add_argument("--minutes", type=float, help="limit of each (5; with --full none)")
    options = parser.parse_args(arguments)
    known = names()
    chosen = [name for name in options.only.split(",") if name] or known
    for name in chosen:
        if name not in known:
            parser.error(f"--only {name}: must be among {', '.join(known)}")
    minutes = options.minutes or (None if options.full else 5.0)
    outcomes: list[Outcome] = []
    try:
        for name in chosen:
            print(f"{name} ...", file=sys.stderr, flush=True)
            outcomes.append(perform(name, options.full, options.out / name, minutes))
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
