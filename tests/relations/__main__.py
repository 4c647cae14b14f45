"""``python -m tests.relations --seconds 600 [--only NAME] [--seed N] [--out FOLDER]``.

Draws small odd inputs until time is up and holds the answers to what must be true of them.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from tests.relations import conservation, loaders, metrics, prover_verifier, solvers

Relation = Callable[[random.Random], None]
"""Draws one input from the generator and checks it. Raises `AssertionError` or whatever the code
under test raises; its notes (`BaseException.add_note`) hold the input."""

RELATIONS: dict[str, Relation] = {
    "solvers": solvers.check_one,
    "rounds": conservation.check,
    "metrics": metrics.check,
    "loaders": loaders.check,
    "proofs": prover_verifier.check,
}


def main() -> int:
    """Run; exit code 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.relations")
    parser.add_argument("--seconds", type=float, default=60.0, help="for all relations together")
    parser.add_argument("--only", choices=RELATIONS, action="append")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("relation-finds"), help="folder for finds")
    options = parser.parse_args()
    names = options.only or list(RELATIONS)
    found = 0
    for name in names:
        found += run(name, options.seed, options.seconds / len(names), options.out)
    return 1 if found else 0


def run(name: str, seed: int, seconds: float, out: Path) -> int:
    """Check one relation for so many seconds; return the number of finds."""
    begin, tried, found = time.monotonic(), 0, 0
    while time.monotonic() < begin + seconds:
        number = seed + tried
        tried += 1
        try:
            RELATIONS[name](random.Random(number))
        except Exception as error:
            found += 1
            out.mkdir(parents=True, exist_ok=True)
            file = out / f"{name}-{number}.txt"
            file.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
            print(f"  FOUND {type(error).__name__}: {error}\n        {file}", flush=True)
    took = time.monotonic() - begin
    print(f"{name}: {tried} examples, {found} finds in {took:.0f} s", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
