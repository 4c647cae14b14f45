"""Whether a change of the code changes answers: all of them, over the instance library.

``python -m benchmarks.runtime.equality --write FILE`` solves every instance within a limit of work
and records what comes out; ``--compare FILE`` does so again and says what differs (exit code 1).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hadaropt
from benchmarks.instances.library import read_table
from hadaropt.offline.params import SolveParams

WORK, SEED = 100, 1
"""Units of work for each instance, and the seed."""

Record = dict[str, dict[str, str]]
"""Name of an instance -> what is recorded of its answer."""


def answer(
    instance: hadaropt.Instance, work: int, seed: int = SEED, params: SolveParams | None = None
) -> dict[str, str]:
    """Return what a change could change in the answer, as text."""
    found = hadaropt.solve(instance, work_limit=work, seed=seed, params=params)
    assert found.schedule is not None  # `solve` always makes one
    value = hadaropt.check_schedule(instance, found.schedule).value
    if value != found.value:
        raise ValueError(f"the schedule is worth {value}, not {found.value}")
    prices = found.prices
    held = None if prices is None else [str(prices.scale), prices.pool, prices.units.tolist()]
    return {
        "value": str(found.value),
        "bound": str(found.bound),
        "termination": found.termination,
        "schedule": _hash(repr(found.schedule)),
        "prices": _hash(json.dumps(held)),
        "tree": _hash(json.dumps(found.branching_tree, default=str)),
    }


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def record(work: int, tell: Callable[[str], Any]) -> Record:
    """Solve the instances of the library one after the other."""
    found: Record = {}
    for entry in read_table():
        found[entry.name] = answer(entry.instance(), work)
        tell(f"{entry.name}: {found[entry.name]['value']} <= {found[entry.name]['bound']}")
    return found


def differences(before: Record, after: Record) -> list[str]:
    """Return a line for everything that differs."""
    lines = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, {}), after.get(name, {})
        lines += [
            f"{name}: {key} was {old.get(key)}, is {new.get(key)}"
            for key in sorted(old.keys() | new.keys())
            if old.get(key) != new.get(key)
        ]
    return lines


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.runtime.equality")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", type=Path, metavar="FILE", help="record the answers")
    what.add_argument("--compare", type=Path, metavar="FILE", help="say what has changed")
    parser.add_argument("--work", type=int, default=WORK, help="units for each instance")
    chosen = parser.parse_args()
    if chosen.write is not None:
        found = record(chosen.work, lambda line: print(line, file=sys.stderr, flush=True))
        text = json.dumps({"work": chosen.work, "answers": found}, indent=1)
        chosen.write.write_text(text + "\n", encoding="utf-8")
        return 0
    before = json.loads(chosen.compare.read_text(encoding="utf-8"))
    after = record(before["work"], lambda line: print(line, file=sys.stderr, flush=True))
    lines = differences(before["answers"], after)
    print("\n".join(lines) or f"{len(after)} answers, all as before")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
