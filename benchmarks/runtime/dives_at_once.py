"""What a second thread gains on P3: gap at the limit, and seconds to the gap of one thread.

With ``--virtual`` the seconds are those of `virtual_cores`, for a machine that others use too;
without it they are those of the clock, which want a quiet machine. ``speed-up`` is the time at
which one thread came to its last gap, over the time at which more threads came to that. With
``--work`` the limit is one of work: then all answers are the same, which is asserted, and the
speed-up is that of the whole solve. ``MB`` is the peak of all processes together.

Run: ``python -m benchmarks.runtime.dives_at_once [--threads 1 2] [--rounds 24] [--virtual]``
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hadaropt import Result, solve
from hadaropt.offline.monitor import Progress

from .families import FAMILIES, make
from .virtual_cores import virtual


@dataclass(frozen=True)
class Outcome:
    """What one solve gave."""

    answer: Result
    curve: list[tuple[float, float]]
    """(seconds, gap in per cent) whenever the gap became less."""
    seconds: float
    note: str
    """Megabytes; or virtual seconds in which a core was idle, and of dives that were dropped."""

    @property
    def gap(self) -> float:
        """Relative gap in per cent."""
        return self.curve[-1][1]

    def seconds_to(self, gap: float) -> float | None:
        """Return the seconds until the gap was no more than this."""
        return next((seconds for seconds, now in self.curve if now <= gap), None)


@contextmanager
def real(_: int) -> Iterator[None]:
    """Let solves dive in processes."""
    yield


def measure(
    family: str, rounds: int, seed: int, threads: int, options: argparse.Namespace
) -> Outcome:
    """Solve one instance."""
    instance = make(family, 100, rounds, load=1.3, seed=seed)
    curve: list[tuple[float, float]] = []
    with virtual(threads) if options.virtual else real(threads) as cores:
        clock: Callable[[], float] = time.perf_counter if cores is None else cores.seconds
        begin = clock()

        memory = 0.0

        def note(progress: Progress) -> None:
            nonlocal memory
            memory = max(memory, 0.0 if options.virtual else megabytes())
            gap = 100 * progress.gap
            if not curve or gap < curve[-1][1]:
                curve.append((clock() - begin, gap))

        answer = solve(
            instance,
            time_limit=None if options.work else options.seconds,
            work_limit=options.work,
            callback=note,
            threads=threads,
        )
        seconds = clock() - begin
        lost = f"{memory:.0f}" if cores is None else f"{cores.idle:.1f}, {cores.dropped:.1f}"
        return Outcome(answer, curve, seconds, lost)


def megabytes() -> float:
    """Return the peak memory of this process so far, and of those that it has started."""
    processes = ["self"]
    for task in Path("/proc/self/task").iterdir():
        processes += (task / "children").read_text().split()
    total = 0
    for process in processes:
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                total += int(line.split()[1])
    return total / 1024


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--rounds", nargs="+", type=int, default=[24])
    parser.add_argument("--seeds", nargs="+", type=int, default=list(range(5)))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], help="1 first")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--work", type=int, help="units of work instead of seconds")
    parser.add_argument("--virtual", action="store_true", help="seconds of virtual cores")
    options = parser.parse_args()
    solve(make("six-class", 70, 8), time_limit=2)  # compile first
    lost = "idle, dropped s" if options.virtual else "MB"
    heads = ("case", "threads", "value", "bound", "gap %", "to its last gap, s", "s", lost)
    print(f"| {' | '.join(heads)} | speed-up |\n{'|---' * len(heads)}|---|", flush=True)
    found: dict[int, list[float]] = {}
    for family, rounds, seed in (
        (family, rounds, seed)
        for family in options.families
        for rounds in options.rounds
        for seed in options.seeds
    ):
        first: Outcome | None = None
        for threads in options.threads:
            now = measure(family, rounds, seed, threads, options)
            first = now if first is None else first
            one = first.seconds if options.work else first.seconds_to(first.gap)
            more = now.seconds if options.work else now.seconds_to(first.gap)
            if options.work:
                assert (now.answer.value, now.answer.bound) == (
                    first.answer.value,
                    first.answer.bound,
                )
                assert now.answer.schedule == first.answer.schedule
            assert one is not None
            gain = one / more if more else 0.0
            found.setdefault(threads, []).append(gain)
            cells = (
                f"{family} T={rounds} seed {seed}",
                f"{threads}",
                f"{float(now.answer.value or 0):.3f}",
                f"{float(now.answer.bound or 0):.3f}",
                f"{now.gap:.3f}",
                f"{now.seconds_to(now.gap) or 0:.1f}",
                f"{now.seconds:.1f}",
                now.note,
                f"{gain:.2f}" if gain else "not reached",
            )
            print(f"| {' | '.join(cells)} |", flush=True)
    for threads, gains in found.items():
        print(f"\n{threads} threads: median speed-up {statistics.median(gains):.2f}")


if __name__ == "__main__":
    main()
