"""The same jobs scheduled anew in continuous time, on pooled GPUs, with the gangs as recorded.

`fifo` starts jobs in the order of submission, each as early as it fits and none before an earlier
one; `backfill` lets later jobs overtake where they fit; `shortest` and `smallest` start the job of
least service, or of least GPU-time, that fits; all of these run each job in one piece. `preemptive`
pauses running jobs for one that has less GPU-time left. The last three know how long jobs take.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from hadaropt.auditing.capacity import Capacity

Rule = Literal["fifo", "backfill", "shortest", "smallest", "preemptive"]
RULES: tuple[Rule, ...] = get_args(Rule)
MEANING: dict[str, str] = {
    "fifo": "jobs start in the order of submission, none before an earlier one",
    "backfill": "as fifo, and later jobs overtake where they fit",
    "shortest": "of the jobs that fit, the one that runs for the least time starts first",
    "smallest": "of the jobs that fit, the one of the least GPU-time starts first",
    "preemptive": "as smallest, and running jobs pause for one that has less GPU-time left",
}
"""The rules in words; the last three know how long jobs take."""
Asked = tuple[int, int, int]
"""Release, service and gang of a job."""

_ORDER: dict[str, Callable[[Asked], int]] = {
    "fifo": lambda job: job[0],
    "backfill": lambda job: job[0],
    "shortest": lambda job: job[1],
    "smallest": lambda job: job[1] * job[2],
    "preemptive": lambda job: job[1] * job[2],
}


def replay(jobs: Sequence[Asked], gpus: int | Capacity, rule: Rule) -> list[list[tuple[int, int]]]:
    """Return when each job runs: its pieces (start, end), ascending; none if it never fits.

    Parameters
    ----------
    jobs : sequence of (release, service, gang)
        Integers; 1 <= gang <= gpus.
    gpus : int or Capacity
        A rule without preemption starts a job only where it fits until its end.
    rule : {"fifo", "backfill", "shortest", "smallest", "preemptive"}

    Examples
    --------
    >>> replay([(0, 10, 1), (1, 2, 1)], 1, "preemptive")
    [[(0, 1), (3, 12)], [(1, 3)]]
    """
    return _Replay(jobs, Capacity.of(gpus), rule).run()


@dataclass
class _Replay:
    jobs: Sequence[Asked]
    capacity: Capacity
    rule: Rule
    pieces: list[list[tuple[int, int]]] = field(default_factory=list)

    def run(self) -> list[list[tuple[int, int]]]:
        jobs = self.jobs
        self.pieces = [[] for _ in jobs]
        self.left = [job[1] for job in jobs]
        self.waiting: dict[int, list[tuple[int, int]]] = {}
        self.running: dict[int, int] = {}  # job: start
        self.ends: list[tuple[int, int]] = []
        self.by_gang: dict[int, list[tuple[int, int]]] = {}  # gang: heap of (-end, job)
        self.free, self.now = self.capacity.counts[0], 0
        changes, self.at = self.capacity.times, 0
        last = len(changes) - 1
        order = sorted(range(len(jobs)), key=lambda j: jobs[j][0])
        i = 0
        while i < len(order) or self.ends or (self.at < last and any(self.waiting.values())):
            due = [self.ends[0][0]] if self.ends else []
            due += [jobs[order[i]][0]] if i < len(order) else []
            self.now = min([*due, *changes[self.at + 1 : self.at + 2]])
            while self.ends and self.ends[0][0] <= self.now:
                end, j = heapq.heappop(self.ends)
                if self._runs_until(j, end):
                    self._stop(j)
            while self.at < last and changes[self.at + 1] <= self.now:
                self.at += 1
                self.free += self.capacity.counts[self.at] - self.capacity.counts[self.at - 1]
            while self.free < 0:  # only if preemptive: the others fit until their ends
                self._pause_longest()
            while i < len(order) and jobs[order[i]][0] <= self.now:
                self._wait(order[i])
                i += 1
            self._start_all()
        return self.pieces

    def _runs_until(self, j: int, end: int) -> bool:
        return j in self.running and self.running[j] + self.left[j] == end

    def _key(self, j: int) -> int:
        if self.rule == "preemptive":
            return self.left[j] * self.jobs[j][2]
        return _ORDER[self.rule](self.jobs[j])

    def _wait(self, j: int) -> None:
        if self.left[j] == 0:
            self.pieces[j].append((self.now, self.now))
            return
        heapq.heappush(self.waiting.setdefault(self.jobs[j][2], []), (self._key(j), j))

    def _stop(self, j: int) -> None:
        start = self.running.pop(j)
        self.free += self.jobs[j][2]
        if self.now > start:
            self.pieces[j].append((start, self.now))
            self.left[j] -= self.now - start

    def _start_all(self) -> None:
        while True:
            heads = [(queue[0], gang) for gang, queue in self.waiting.items() if queue]
            if not heads:
                return
            if self.rule == "fifo":
                (_, j), gang = min(heads)
                if not self._fits(j, gang):
                    return
            elif self.rule == "preemptive":
                found = self._with_room(sorted(heads))
                if found is None:
                    return
                j, gang = found
            else:
                fitting = [head for head in heads if self._fits(head[0][1], head[1])]
                if not fitting:
                    return
                (_, j), gang = min(fitting)
            heapq.heappop(self.waiting[gang])
            self.running[j] = self.now
            self.free -= gang
            end = self.now + self.left[j]
            heapq.heappush(self.ends, (end, j))
            if self.rule == "preemptive":
                heapq.heappush(self.by_gang.setdefault(gang, []), (-end, j))

    def _fits(self, j: int, gang: int) -> bool:
        """Return whether it fits until its end, if what runs now ran as long."""
        if gang > self.free or self.capacity.constant:
            return gang <= self.free
        running = self.capacity.counts[self.at] - self.free
        return self.capacity.has(running + gang, self.now, self.now + self.left[j])

    def _pause_longest(self) -> None:
        longest = self._longest()
        assert longest is not None
        _, j = heapq.heappop(self.by_gang[longest[1]])
        self._stop(j)
        self._wait(j)

    def _with_room(self, heads: Sequence[tuple[tuple[int, int], int]]) -> tuple[int, int] | None:
        """Return the first job that fits, once jobs with more left are paused; None if none."""
        for (key, j), gang in heads:
            if gang <= self.free:
                return j, gang
            room, chosen = self.free, []
            while room < gang:
                longest = self._longest()
                if longest is None or longest[0] <= key:
                    break
                room += longest[1]
                chosen.append((longest[1], heapq.heappop(self.by_gang[longest[1]])))
            if room >= gang:
                for _, (_, k) in chosen:
                    self._stop(k)
                    self._wait(k)
                return j, gang
            for width, entry in chosen:
                heapq.heappush(self.by_gang[width], entry)
        return None

    def _longest(self) -> tuple[int, int] | None:
        """Return the most GPU-time that is left to a running job, and its gang; None if none runs.

        Of gangs of one size, what ends last has most left, now and later. Ties: the first job.
        """
        best: tuple[int, int] | None = None
        found: tuple[int, int] | None = None
        for width, ends in self.by_gang.items():
            while ends and not self._runs_until(ends[0][1], -ends[0][0]):
                heapq.heappop(ends)  # was paused, or is complete
            if ends:
                left = (-ends[0][0] - self.now) * width
                if best is None or (-left, ends[0][1]) < best:
                    best, found = (-left, ends[0][1]), (left, width)
        return found
