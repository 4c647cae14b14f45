"""The round mechanism of Gavel's public simulator, bit for bit, its defects kept.

Source of the behaviour: measurements of stanford-futuredata/gavel (MIT), the simulator of
D. Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads",
OSDI 2020. This module is for validation only: comparisons use the repaired `gavel`. Kept here: the
clock jumps over waiting jobs that have no allocation yet; idle gaps count as busy time; a gang
whose last round has fewer steps than workers fails and is dropped after five failures; new jobs
wait for the next reallocation even on an idle cluster; deficits inflate after the last arrival.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from hadaropt.simulate.schedulers.gavel_reference.inputs import TYPES, ReferenceJob
from hadaropt.simulate.schedulers.gavel_reference.selection import place, select

SECONDS_BETWEEN_REALLOCATIONS = 1920
FAILURES_UNTIL_DROPPED = 5
SEED_OFFSET = 5
NEW_PRIORITY = 1e9

Shares = Mapping[int, Mapping[str, float]]
"""X[job][type]: the share of the time that a job should spend on a type."""


@dataclass(frozen=True)
class RoundPick:
    """One job in one round."""

    round: int
    start: float
    job: int
    type: str
    steps: int
    workers: tuple[int, ...]


@dataclass(slots=True)
class Progress:
    """What the mechanism knows about one admitted job.

    Attributes
    ----------
    time : dict of str to float
        Seconds run on each type since the last reset, with half a round added at the start.
    """

    remaining: int
    time: dict[str, float]
    deficit: dict[str, float]
    failures: int = 0


@dataclass
class View:
    """What a policy sees when it is asked for an allocation."""

    now: float
    jobs: Mapping[int, ReferenceJob]
    remaining: Mapping[int, int]
    counts: Mapping[str, int]


Policy = Callable[[View], Shares]


@dataclass
class Mechanism:
    """The state of one run; `run` carries it to the end.

    ``may_starve``: a gang that no single type can hold, or that has fewer steps than workers, never
    completes, as in the reference.

    Parameters
    ----------
    jobs : sequence of ReferenceJob
        In order of arrival.
    counts : mapping of str to int
        GPUs of each type.
    policy : callable
        Answers with an allocation when the mechanism asks for one.
    name : str
        Name of the policy, which decides about shuffling (no ``perf`` or ``packed`` in it) and
        idle leftovers (``fifo``).
    round_seconds : float
    seed : int
    """

    may_starve: ClassVar[bool] = True
    jobs: tuple[ReferenceJob, ...]
    counts: Mapping[str, int]
    policy: Policy
    name: str
    round_seconds: float = 360.0
    seed: int = 0
    picks: list[RoundPick] = field(default_factory=list)
    finish: dict[int, float] = field(default_factory=dict)
    dropped: dict[int, float] = field(default_factory=dict)
    rounds: int = 0
    solves: int = 0
    now: float = 0.0

    def __post_init__(self) -> None:
        self._types = [kind for kind in TYPES if self.counts.get(kind, 0) > 0]
        self._workers, first = {}, 0
        for kind in sorted(self._types):
            self._workers[kind] = range(first, first + self.counts[kind])
            first += self.counts[kind]
        self.busy = [0.0] * first
        self._shuffled = not any(word in self.name for word in ("perf", "packed", "allox"))
        self._shuffler = random.Random(self.seed + SEED_OFFSET)
        self._active: dict[int, Progress] = {}
        self._shares: Shares = {}
        self._type_time = dict.fromkeys(self._types, 0.0)
        self._last_reset, self._need = 0.0, True
        self._round_start, self._round_end = 0.0, 0.0
        self._running: list[tuple[float, int, int, str, tuple[int, ...]]] = []
        self._placed: dict[int, tuple[int, ...]] = {}
        self._arrived = 0

    def run(self) -> None:
        """Run until no job is left, or until none of those left will ever run."""
        while self._active or self._arrived < len(self.jobs):
            before = self.now
            self._advance()
            self._collect()
            admitted = self._admit()
            solved = self._reallocate()
            self._start_round()
            stuck = not self._running and not (admitted or solved) and self.now == before
            if stuck and self._arrived == len(self.jobs):
                return

    def _advance(self) -> None:
        if not self._running and self._arrived == len(self.jobs):
            self._last_reset = 0.0
        if self._running:
            self.now = -self._running[0][0]
            self._round_start, self._round_end = self._round_end, self.now
        elif self._arrived < len(self.jobs):
            self.now = self.jobs[self._arrived].arrival

    def _collect(self) -> None:
        """Book the round that has just ended, latest finish first."""
        while self._running:
            negated, job, steps, kind, workers = heapq.heappop(self._running)
            elapsed = -negated - self._round_start
            progress = self._active[job]
            if elapsed <= 0 or steps // len(workers) <= 0:
                progress.failures += 1
                if progress.failures == FAILURES_UNTIL_DROPPED:
                    self.dropped[job] = -negated
                    self._leave(job)
                continue
            progress.failures = 0
            progress.remaining -= steps
            progress.time[kind] += elapsed
            self._type_time[kind] += elapsed
            for worker in workers:
                self.busy[worker] += elapsed
            if progress.remaining <= 0:
                self.finish[job] = -negated
                self._leave(job)

    def _leave(self, job: int) -> None:
        del self._active[job]
        self._need = True

    def _admit(self) -> bool:
        before = self._arrived
        while self._arrived < len(self.jobs) and self.jobs[self._arrived].arrival <= self.now:
            self._active[self._arrived] = Progress(
                self.jobs[self._arrived].steps,
                dict.fromkeys(self._types, self.round_seconds / 2),
                dict.fromkeys(self._types, 0.0),
            )
            self._arrived += 1
            self._need = True
        return self._arrived > before

    def _reallocate(self) -> bool:
        elapsed = self.now - self._last_reset
        due = elapsed >= SECONDS_BETWEEN_REALLOCATIONS or self._last_reset == 0
        if not (self._need and due):
            return False
        half = self.round_seconds / 2
        for kind in self._types:
            self._type_time[kind] = 0.0
            for job, progress in self._active.items():
                owed = self._shares[job][kind] * elapsed if job in self._shares else 0.0
                progress.deficit[kind] += owed - (progress.time[kind] - half)
                progress.time[kind] = half
                self._type_time[kind] += half
        self._last_reset = self.now
        view = View(
            self.now,
            {job: self.jobs[job] for job in self._active},
            {job: progress.remaining for job, progress in self._active.items()},
            {kind: self.counts[kind] for kind in self._types},
        )
        self._shares = self.policy(view) if view.jobs else {}
        self._need = False
        self.solves += 1
        return True

    def _priority(self, job: int, kind: str) -> float:
        share = self._shares[job][kind] if job in self._shares else 0.0
        if share == 0 or self.jobs[job].throughput[kind] == 0:
            return 0.0
        whole = self._type_time[kind]
        fraction = self._active[job].time[kind] / whole if whole != 0 else 0.0
        return share / fraction if fraction > 0 else share * NEW_PRIORITY

    def _ranked(self, kind: str) -> list[tuple[int, float]]:
        keys = {
            job: (
                self._priority(job, kind),
                progress.deficit[kind],
                self._shares[job][kind] if job in self._shares else 0.0,
            )
            for job, progress in self._active.items()
        }
        order = sorted(keys, key=lambda job: keys[job], reverse=True)
        return [(job, keys[job][0]) for job in order]

    def _start_round(self) -> None:
        order = list(self._types)
        if self._shuffled:
            self._shuffler.shuffle(order)
        scale = {job: self.jobs[job].scale_factor for job in self._active}
        chosen = select(
            order,
            self.counts,
            {kind: self._ranked(kind) for kind in order},
            scale,
            {job: self.jobs[job].throughput for job in self._active},
            needs_priority=self.name.startswith("fifo"),
        )
        picks = [(job, kind) for job, kind in chosen if job in self._shares]
        self._placed = place(picks, scale, self._workers, self._placed)
        for job, kind in picks:
            speed = self.jobs[job].throughput[kind]
            steps = min(int(speed * self.round_seconds), self._active[job].remaining)
            entry = (-(self.now + steps / speed), job, steps, kind, self._placed[job])
            heapq.heappush(self._running, entry)
            self.picks.append(RoundPick(self.rounds, self.now, job, kind, steps, self._placed[job]))
        self.rounds += 1
