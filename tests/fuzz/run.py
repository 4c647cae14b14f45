"""The loop: seeded mutations of the seeds; every find is written to a file."""

from __future__ import annotations

import hashlib
import random
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.mutate import mutate
from tests.fuzz.targets import Target, seed_bytes, try_bytes


@dataclass
class Report:
    """What a run did.

    Attributes
    ----------
    verdicts : Counter
        Inputs accepted and refused.
    finds : dict
        Last line and place of each traceback -> the input.
    """

    verdicts: Counter[str] = field(default_factory=Counter)
    finds: dict[str, bytes] = field(default_factory=dict)

    def save(self, folder: Path) -> list[Path]:
        """Write the inputs of all finds and return the files."""
        folder.mkdir(parents=True, exist_ok=True)
        files = []
        for data in self.finds.values():
            files.append(folder / f"find-{hashlib.sha256(data).hexdigest()[:12]}")
            files[-1].write_bytes(data)
        return files


def where(error: BaseException) -> str:
    """Return a short name of a failure, equal for failures at one place."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno} ({last.name})"


def fuzz(target: Target, seed: int, folder: Path, more: Callable[[int], bool]) -> Report:
    """Try mutated inputs while ``more(number tried)``; inputs that are accepted breed further."""
    rng, report = random.Random(f"{target.name} {seed}"), Report()
    pool = seed_bytes(target)
    seeds = len(pool)
    tried = 0
    while more(tried):
        data = mutate(rng.choice(pool), rng)
        tried += 1
        try:
            verdict = try_bytes(target, data, folder)
        except Exception as error:
            report.finds.setdefault(f"{where(error)}: {error}"[:300], data)
            continue
        report.verdicts[verdict] += 1
        if verdict == "accepted" and len(data) < 20_000:
            # The pool keeps its seeds and the latest hundred descendants.
            if len(pool) >= seeds + 100:
                pool.pop(seeds)
            pool.append(data)
    return report


def for_seconds(seconds: float) -> Callable[[int], bool]:
    """Return a condition that holds for so long."""
    end = time.monotonic() + seconds
    return lambda tried: time.monotonic() < end
