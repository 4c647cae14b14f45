"""Fill one round with gangs and copies, in a given order of preference, leaving no node idle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from hadaropt.forking.planning.problem import ForkProblem

Placement = tuple[tuple[int, int, int], ...]
"""GPUs held in one round: (node, type, count), ascending.

W_j in all: one gang. k W_j in all with W_j on each of k >= 2 nodes: k copies.
"""


@dataclass(frozen=True)
class Request:
    """A wish for copies of one job.

    Attributes
    ----------
    job : int
    level : int
        The slowest type that a copy may use.
    nodes : tuple of int or None
        Where; None: anywhere.
    most : int or None
        Most copies for this wish; None: no limit but kappa_j.
    alone : bool
        Only as the single copy of a job that has nothing yet.
    """

    job: int
    level: int
    nodes: tuple[int, ...] | None = None
    most: int | None = None
    alone: bool = False


class RoundFill:
    """The GPUs of one round and who holds them.

    Parameters
    ----------
    problem : ForkProblem
    held : mapping of job to placement, optional
        Of the round before: its nodes are preferred.
    """

    def __init__(self, problem: ForkProblem, held: Mapping[int, Placement] | None = None) -> None:
        self._problem = problem
        self._free: npt.NDArray[np.int64] = np.array(problem.cluster.capacity, np.int64)
        self._left = int(self._free.sum())
        self._held = {j: {h for h, _, _ in place} for j, place in (held or {}).items()}
        self._copies: dict[int, dict[int, int]] = {}
        self._places: dict[int, list[tuple[int, int, int]]] = {}
        self._spread: dict[int, int] = {}
        self._gains: dict[tuple[int, int, bool], int] = {}

    @property
    def placements(self) -> dict[int, Placement]:
        """What each job holds."""
        return {j: tuple(sorted(places)) for j, places in sorted(self._places.items())}

    @property
    def full(self) -> bool:
        """Whether every GPU is held."""
        return self._left == 0

    def progress(self, j: int) -> int:
        """Return the iterations that job j makes in this round, were it long enough."""
        if j in self._spread:
            return self._spread[j]
        copies = self._copies.get(j, {})
        return sum(self._gain(j, level, len(copies) > 1) for level in copies.values())

    def add(self, request: Request) -> int:
        """Grant a wish as far as it helps; return the number of new copies.

        Copies are added while GPUs are free, kappa_j allows them, the iterations left are not all
        covered and the job gains. A job that has nothing and fits in no node becomes one gang over
        nodes.
        """
        j, level = request.job, request.level
        problem, job = self._problem, self._problem.jobs[request.job]
        have = len(self._copies.get(j, {}))
        if self.full or j in self._spread or (request.alone and have):
            return 0
        now = self.progress(j)
        if now >= job.remaining:
            return 0
        single, each = self._gain(j, level, False), self._gain(j, level, True)
        most = problem.copies(j) - have
        if request.most is not None or request.alone:
            most = min(most, request.most or 1)
        if not have and single >= job.remaining:
            most = min(most, 1)
        elif each > 0:
            most = min(most, max(1, -(-(job.remaining - self._after(j, level, 0)) // each)))
        hosts = self._hosts(j, level, request.nodes)[:most]
        if not hosts:
            return self._add_spread(j, level) if not have and request.nodes is None else 0
        if not have and single >= (self._after(j, level, len(hosts)) if len(hosts) > 1 else 0):
            hosts = hosts[:1]  # One copy alone loses no time to consolidation.
        gained = single if have + len(hosts) == 1 else self._after(j, level, len(hosts))
        if gained <= now:
            return 0
        for h in hosts:
            self._take(j, level, h)
        return len(hosts)

    def shorten(self, order: Iterable[int]) -> None:
        """Give free nodes to jobs that end in this round anyway, if they then end earlier."""
        for j in order:
            if self.full:
                return
            copies = self._copies.get(j, {})
            if not copies or self.progress(j) < self._problem.jobs[j].remaining:
                continue
            room = self._problem.copies(j) - len(copies)
            extra: list[tuple[int, int]] = []
            for level in self._problem.levels(j):
                taken = {h for h, _ in extra}
                extra += [(h, level) for h in self._hosts(j, level, None) if h not in taken]
            extra = extra[:room]
            levels = list(copies.values())
            if extra and self._seconds(j, [*levels, *(at for _, at in extra)]) < self._seconds(
                j, levels
            ):
                for h, level in extra:
                    self._take(j, level, h)

    def fits(self, j: int, use: Iterable[Sequence[int]]) -> bool:
        """Whether these GPUs (H, R) are free and the job has nothing yet."""
        return j not in self._places and bool((np.array(use) <= self._free).all())

    def adopt(self, j: int, use: Iterable[Sequence[int]], *, copies: bool) -> None:
        """Enter GPUs (H, R) that another planner chose for a job that has nothing yet."""
        used = [(h, r, n) for h, row in enumerate(use) for r, n in enumerate(row) if n]
        speed = self._problem.jobs[j].speed
        at = {h: [r for g, r, _ in used if g == h] for h, _, _ in used}
        self._enter(j, used)
        slowest = {h: min(types, key=lambda r: speed[r]) for h, types in at.items()}
        if copies or len(at) == 1:
            self._copies[j] = slowest
        else:
            level = min(slowest.values(), key=lambda r: speed[r])
            self._spread[j] = self._problem.progress(j, level, spread=True)

    def _seconds(self, j: int, levels: Sequence[int]) -> Fraction:
        job = self._problem.jobs[j]
        lost = self._problem.consolidation_seconds if len(levels) > 1 else Fraction(0)
        return lost + job.remaining / sum((job.speed[at] for at in levels), Fraction(0))

    def _gain(self, j: int, level: int, copies: bool) -> int:
        key = j, level, copies
        if key not in self._gains:
            self._gains[key] = self._problem.progress(j, level, copies=copies)
        return self._gains[key]

    def _after(self, j: int, level: int, more: int) -> int:
        levels = self._copies.get(j, {}).values()
        return sum(self._gain(j, at, True) for at in levels) + more * self._gain(j, level, True)

    def _hosts(self, j: int, level: int, nodes: tuple[int, ...] | None) -> list[int]:
        """Return nodes with room for a copy: those of the round before, then the fullest."""
        admitted, gang = list(self._problem.admitted(j, level)), self._problem.jobs[j].gang_size
        free = self._free[:, admitted].sum(axis=1)
        if nodes is None:
            able = np.flatnonzero(free >= gang).tolist()
        else:
            able = [h for h in nodes if free[h] >= gang]
        have, before = self._copies.get(j, {}), self._held.get(j, set())
        able = [h for h in able if h not in have]
        return sorted(able, key=lambda h: (h not in before, int(free[h]), h))

    def _take(self, j: int, level: int, h: int) -> None:
        speed = self._problem.jobs[j].speed
        need = self._problem.jobs[j].gang_size
        used = []
        # The slowest admitted GPUs first: the faster ones may serve another job.
        for r in sorted(self._problem.admitted(j, level), key=lambda r: (speed[r], r)):
            part = min(need, int(self._free[h, r]))
            if part:
                used.append((h, r, part))
                need -= part
        self._enter(j, used)
        self._copies.setdefault(j, {})[h] = min((r for _, r, _ in used), key=lambda r: speed[r])

    def _add_spread(self, j: int, level: int) -> int:
        problem, gang = self._problem, self._problem.jobs[j].gang_size
        if gang < 2 or not problem.progress(j, level, spread=True):
            return 0
        admitted = problem.admitted(j, level)
        if int(self._free[:, list(admitted)].sum()) < gang:
            return 0
        speed, used, need = problem.jobs[j].speed, [], gang
        slow = sorted(admitted, key=lambda r: (speed[r], r))
        for h in np.argsort(-self._free[:, list(admitted)].sum(axis=1), kind="stable").tolist():
            if not need:
                break
            for r in slow:
                part = min(need, int(self._free[h, r]))
                if part:
                    used.append((h, r, part))
                    need -= part
        self._enter(j, used)
        slowest = min((r for _, r, _ in used), key=lambda r: speed[r])
        self._spread[j] = problem.progress(j, slowest, spread=True)
        return 1

    def _enter(self, j: int, used: list[tuple[int, int, int]]) -> None:
        for h, r, count in used:
            self._free[h, r] -= count
            self._left -= count
        self._places.setdefault(j, []).extend(used)


def fill_round(
    problem: ForkProblem,
    requests: Sequence[Request],
    held: Mapping[int, Placement] | None = None,
) -> dict[int, Placement]:
    """Grant wishes in order, then shorten the jobs that end anyway; return what each job holds."""
    filled = RoundFill(problem, held)
    for request in requests:
        if filled.full:
            break
        filled.add(request)
    filled.shorten(dict.fromkeys(request.job for request in requests))
    return filled.placements
