"""Limits of time against the wall: how long `solve` takes that was given so many seconds.

    python -m benchmarks.runtime.limits [--large]

A limit is kept if wall <= seconds of compiling + 1.05 limit + 0.5. This is measured and not tested:
on a busy machine any of them can be missed.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import hadaropt
from hadaropt.generate import generate

from .clusters import write_inputs


def on_gpus(gpus: int) -> hadaropt.Instance:
    """Return 50 jobs on that many GPUs."""
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(Path(folder), gpus, 50)
        return hadaropt.read_instance(Path(folder) / "instance.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="also 100,000 jobs")
    options = parser.parse_args()
    cases = [
        ("30 jobs", 10, lambda: generate("small_uniform", seed=1, num_jobs=30, num_rounds=24)),
        ("50 jobs on 32 GPUs", 5, lambda: on_gpus(32)),
        ("50 jobs on 2,048 GPUs", 5, lambda: on_gpus(2048)),
    ]
    if options.large:
        make = lambda: generate("six_class", seed=0, num_jobs=100_000, num_rounds=100)  # noqa: E731
        cases.append(("100,000 jobs", 120, make))
    print(f"{'case':24} {'limit':>6} {'wall':>7} {'compile':>8} {'kept':>5} {'gap %':>8}")
    for name, limit, make in cases:
        instance = make()
        began = time.perf_counter()
        result = hadaropt.solve(instance, time_limit=limit)
        wall = time.perf_counter() - began
        compiled = result.timings.compile or 0.0
        kept = "yes" if wall <= compiled + 1.05 * limit + 0.5 else "NO"
        gap = 100 * float(result.gap or 0)
        print(f"{name:24} {limit:6} {wall:7.2f} {compiled:8.2f} {kept:>5} {gap:8.3f}", flush=True)
        assert result.schedule is not None
        hadaropt.check_schedule(instance, result.schedule)


if __name__ == "__main__":
    main()
