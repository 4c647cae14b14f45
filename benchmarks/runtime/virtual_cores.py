"""How long a solve with several dives at once would take on a quiet machine of two cores.

All work is done in this process, one thing after the other, and its processor time laid out on a
virtual clock, by which the limits of the solve go too: this process and those that dive share the
cores equally, a process that dives first loads, and what is dropped runs
until then. Not in it: what processes tell each other, and that cores share caches.

Run: ``python -m benchmarks.runtime.virtual_cores [--threads 1 2] [--seconds 60] [--seeds 5]``
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import hadaropt.offline.solve as door
from hadaropt.offline import clock as clocks
from hadaropt.offline.clock import Clock
from hadaropt.offline.heuristics.dive import Allowance, Descent, Dive
from hadaropt.offline.heuristics.divers import AHEAD, Divers, OneDiver
from hadaropt.offline.heuristics.diving import Diving

CORES = 2
LOADS = "import hadaropt.offline.heuristics.diving, hadaropt.kernels.cache"
"""What a process does before it can dive."""


@cache
def loading_seconds() -> float:
    """Return the processor seconds until a process can dive."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", LOADS], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@dataclass
class Task:
    """A dive on a virtual process."""

    owner: Cores
    left: float
    found: Descent
    clock: Clock
    waited_for: bool = True
    seconds: float = field(init=False)

    def __post_init__(self) -> None:
        self.seconds = self.left

    def result(self) -> Descent:
        """Wait for it on the virtual clock, until its limit."""
        self.owner.work()
        while self.left > 0:
            step = min(self.left, self.clock.machine_seconds())
            if step <= 0:
                self.drop()
                return Descent(None, (), 0)
            self.owner.pass_time(step, waits=True)
        self.waited_for = False
        return self.found

    def drop(self) -> None:
        """Forget it."""
        self.owner.work()
        self.owner.dropped += self.seconds - self.left
        self.left, self.waited_for = 0.0, False


class Cores:
    """Virtual cores, and who dives on them.

    Attributes
    ----------
    now : float
        Virtual seconds.
    idle : float
        Core seconds in which nobody worked.
    dropped : float
        Core seconds of dives that were dropped.
    """

    def __init__(self, threads: int) -> None:
        self._threads, self.count = threads, AHEAD * threads
        self.now = self.idle = self.dropped = 0.0
        self._measured = time.process_time()
        self._children: list[deque[Task]] = []
        self._diving: Diving | None = None
        self._descent = Descent(None, (), 0)

    def seconds(self) -> float:
        """Return the virtual time."""
        self.work()
        return self.now

    def work(self) -> None:
        """Lay out what this process has done since the last time."""
        now = time.process_time()
        done, self._measured = now - self._measured, now
        if done > 0:
            self.pass_time(done, waits=False)

    def pass_time(self, work: float, waits: bool) -> None:
        """Let this process do some work, or at most so much of each other while it waits."""
        while work > 0:
            running = [
                next(t for t in c if t.left > 0)
                for c in self._children
                if any(t.left > 0 for t in c)
            ]
            active = len(running) + (not waits)
            assert active
            rate = min(1.0, CORES / active)
            step = min([work, *(t.left for t in running)])
            for task in running:
                task.left = task.left - step if task.left > step + 1e-12 else 0.0
            self.now += step / rate
            self.idle += step / rate * max(0, CORES - active)
            work -= step
            if waits:
                return

    def start(self) -> None:
        """Let the processes load."""
        if self._children:
            return
        self.work()
        self._children = [
            deque([Task(self, loading_seconds(), self._descent, Clock(), waited_for=False)])
            for _ in range(self._threads)
        ]

    def load(self, diving: Diving) -> None:
        """Let the next dives be those of ``diving``."""
        self._diving = diving

    def begin(self, dive: Dive, value: Fraction, clock: Clock) -> Task:
        """Dive, and lay it on the process that was asked for the fewest."""
        self.work()
        assert self._diving is not None
        allowance = Allowance(work=Allowance.of(clock).work)
        found = self._diving.descend(dive, value, allowance)
        now = time.process_time()
        task = Task(self, now - self._measured, found, clock)
        self._measured = now
        child = min(self._children, key=lambda tasks: sum(t.waited_for for t in tasks))
        while child and child[0].left <= 0 and not child[0].waited_for:
            child.popleft()
        child.append(task)
        return task


@contextmanager
def virtual(threads: int) -> Iterator[Cores]:
    """Let solves dive on virtual cores, and limits go by their clock."""
    cores = Cores(threads)

    @contextmanager
    def divers(threads: int | None) -> Iterator[Divers]:
        yield OneDiver() if threads in (None, 1) else cores

    true = door.divers, clocks._seconds  # type: ignore[attr-defined]
    door.divers, clocks._seconds = divers, cores.seconds  # type: ignore[attr-defined]
    try:
        yield cores
    finally:
        door.divers, clocks._seconds = true  # type: ignore[attr-defined]
