"""P2 to P4: optima proved by branch-and-price, and the gaps of what does not close.

Every answer is certified and the certificate verified without a solver; that is asserted, and its
time is reported. ``cpu`` is processor time, which a busy machine distorts less than the clock.

Run: ``python -m benchmarks.runtime.exact_optima [P2 | P3 | P4 | ratio] [--seeds N] [--compact]``
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hadaropt import branch_and_price, certify, solve_ilp, verify
from hadaropt.generate import generate
from hadaropt.instance import PARALLELISM, Instance

from .families import FAMILIES, make


@dataclass(frozen=True)
class Case:
    """One line of the table: instances by seed, and the seconds allowed for each."""

    name: str
    build: Callable[[int], Instance]
    seconds: float


def case(family: str, jobs: int, rounds: int, load: float, seconds: float) -> Case:
    """Return a case of the benchmark families."""
    name = f"{family} J={jobs} T={rounds} load {load}"
    return Case(name, lambda seed: make(family, jobs, rounds, load=load, seed=seed), seconds)


def cases(row: str) -> Iterator[Case]:
    """Yield the cases of one row of the performance page."""
    if row == "ratio":
        for family in ("small_uniform", "overloaded_tight", "adversarial_price"):
            for world in PARALLELISM:
                yield Case(
                    f"{family} {world}",
                    lambda seed, f=family, w=world: generate(f, seed=seed, parallelism=w),
                    10,
                )
        return
    sizes = {
        "P2": [(jobs, 24, load, 60) for jobs in (20, 30, 40) for load in (0.7, 1.3)],
        "P3": [(100, 24, 1.3, 60), (100, 50, 1.3, 60)],
        "P4": [(400, 24, 0.7, 20), (200, 50, 0.7, 20)],
    }
    for family in FAMILIES:
        for jobs, rounds, load, seconds in sizes[row]:
            yield case(family, jobs, rounds, load, seconds)


@dataclass(frozen=True)
class Outcome:
    """What one instance gave."""

    proved: bool
    gap: float
    wall: float
    cpu: float
    nodes: int
    check: float
    compact: float
    compact_gap: float


def measure(instance: Instance, seconds: float, compact: bool) -> Outcome:
    """Solve, certify and verify one instance."""
    wall, cpu = time.perf_counter(), time.process_time()
    answer = branch_and_price(instance, time_limit=seconds)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    begin = time.perf_counter()
    checked = verify(instance, certify(instance, answer))
    check = time.perf_counter() - begin
    assert checked.value == answer.objective
    assert checked.best_bound is not None
    assert checked.best_bound <= answer.bound
    assert checked.proved == (answer.grade == "proved")
    other, other_gap = float("nan"), float("nan")
    if compact:
        begin = time.perf_counter()
        peer = solve_ilp(instance, time_limit=seconds)
        other, other_gap = time.perf_counter() - begin, peer.gap
        if checked.proved and peer.schedule is not None:
            assert peer.objective <= answer.objective
    return Outcome(checked.proved, answer.gap, wall, cpu, answer.nodes, check, other, other_gap)


def spread(values: list[float], unit: str = "", digits: int = 2) -> str:
    """Return median and worst."""
    return f"{statistics.median(values):.{digits}f}{unit} / {max(values):.{digits}f}{unit}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", default=["P2"])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--compact", action="store_true", help="HiGHS on the compact form beside")
    options = parser.parse_args()
    branch_and_price(make("six-class", 4, 8))  # compile first
    print("median / worst over the seeds")
    for row in options.rows:
        for one in cases(row):
            found = [
                measure(one.build(seed), one.seconds, options.compact)
                for seed in range(options.seeds)
            ]
            line = [
                f"{row:5} {one.name:38} proved {sum(o.proved for o in found)}/{len(found)}",
                f"gap {spread([100 * o.gap for o in found], '%', 3)}",
                f"wall {spread([o.wall for o in found], 's')}",
                f"cpu {spread([o.cpu for o in found], 's')}",
                f"nodes {spread([o.nodes for o in found], '', 0)}",
                f"verify {spread([o.check for o in found], 's')}",
            ]
            if options.compact:
                line.append(f"compact {spread([o.compact for o in found], 's')}")
                line.append(f"gap {spread([100 * o.compact_gap for o in found], '%', 3)}")
            print("  ".join(line), flush=True)


if __name__ == "__main__":
    main()
