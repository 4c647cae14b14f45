"""Gavel in rounds: shares of time by a linear program, followed by priorities (OSDI 2020).

The mechanism of the public simulator with its defects repaired: no clock jumps over waiting jobs
and idle gaps are not counted as service (the engine's clock); a gang's steps are not split by
worker, so that none fails at its end; jobs without shares get them at once instead of waiting for
the next reallocation; what is owed is measured from the last reallocation, always; the shortest
duration is optimal. The policy ``fifo`` is left out: the reference gives it to a stale type, and
``fifo_perf`` is what it says.
"""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np

from hadaropt.mip.model import Floats
from hadaropt.simulate.placement import Counts, place_gangs
from hadaropt.simulate.problem import Placement
from hadaropt.simulate.schedulers.in_order import over_types
from hadaropt.simulate.shares.model import Solver
from hadaropt.simulate.shares.policy import Candidate, SharePolicy
from hadaropt.simulate.standstill import without_standstill
from hadaropt.simulate.view import QueuedJob, RoundView

SECONDS_BETWEEN_REALLOCATIONS = 1920
NEW_PRIORITY = 1e9


class Gavel:
    """A named policy with the priority mechanism; every gang that one type can hold is on one type.

    In each round each type, in the cluster's order, takes the jobs with the largest (priority,
    deficit, share) that fit. Priority = share / (part of the type's time that the job has had since
    the last reallocation, with half a round given to each job at the start). GPUs left over go to
    jobs of priority 0, except under FIFO. Policies that do not look at speeds fill the types in an
    order that is shuffled in each round. A gang that no single type can hold has no share, and
    takes a mix of what is left over.

    Parameters
    ----------
    policy : str
        One of `hadaropt.simulate.shares.policy.POLICIES`.
    seed : int
        Of the shuffle.
    solver : {"interior", "prices"}
        How the shares are computed, see `SharePolicy`.

    Raises
    ------
    InstanceError
        If there is no policy of this name.
    """

    def __init__(self, policy: str, *, seed: int = 0, solver: Solver = "interior") -> None:
        self.name = f"gavel:{policy}" + (f":{solver}" if solver != "interior" else "")
        self._policy = SharePolicy(policy, solver=solver)
        self._shuffler = None if policy.endswith("_perf") else random.Random(seed)
        self._fifo = policy.startswith("fifo")
        self._shares: dict[int, Floats] = {}
        self._deficit: dict[int, Floats] = {}
        self._time: dict[int, Floats] = {}
        self._ran: dict[int, tuple[int, int]] = {}
        self._last = Fraction(0)

    def plan(self, view: RoundView) -> dict[int, Placement]:
        """Return what each job that runs in this round holds."""
        self._book(view)
        new = any(q.index not in self._shares for q in view.queue)
        left = len(self._shares) > len(view.queue) and (
            view.now - self._last >= SECONDS_BETWEEN_REALLOCATIONS
        )
        if new or left:
            self._reallocate(view)
        wanted = self._select(view)
        self._ran = {
            q.index: (int(np.argmax(wanted[q.index])), q.rounds)
            for q in view.queue
            if q.index in wanted and any(view.problem.usable(q.index))
        }
        return without_standstill(view, place_gangs(view.problem, wanted, view.held))

    def _book(self, view: RoundView) -> None:
        """Add the time of the round before to the jobs that are still there."""
        for q in view.queue:
            if q.index in self._ran:
                r, rounds = self._ran[q.index]
                self._time[q.index][r] += float((q.rounds - rounds) * view.problem.round_seconds)

    def _reallocate(self, view: RoundView) -> None:
        types = len(view.problem.cluster.accelerators)
        elapsed, half = float(view.now - self._last), float(view.problem.round_seconds) / 2
        for q in view.queue:
            zero = np.zeros(types)
            had = self._time[q.index] - half if q.index in self._time else zero
            owed = self._shares.get(q.index, zero) * elapsed
            self._deficit[q.index] = self._deficit.get(q.index, zero) + owed - had
            self._time[q.index] = np.full(types, half)
        jobs = [
            Candidate(
                q.index,
                q.job.gang_size,
                _speeds(q, view),
                float(q.job.weight),
                q.remaining,
                float(view.now - q.job.arrival),
            )
            for q in view.queue
        ]
        self._shares = self._policy.shares(jobs, view.problem.cluster.pooled_capacity)
        self._last = view.now

    def _select(self, view: RoundView) -> dict[int, Counts]:
        free = list(view.problem.cluster.pooled_capacity)
        order = list(range(len(free)))
        if self._shuffler is not None:
            self._shuffler.shuffle(order)
        total = sum((self._time[q.index] for q in view.queue), np.zeros(len(free)))
        wanted: dict[int, Counts] = {}
        for r in order:
            for key, q in self._ranked(view, r, float(total[r])):
                if q.job.gang_size > free[r] or q.index in wanted:
                    continue
                if not view.problem.usable(q.index)[r] or (self._fifo and key[0] <= 0):
                    continue
                free[r] -= q.job.gang_size
                counts = [0] * len(free)
                counts[r] = q.job.gang_size
                wanted[q.index] = tuple(counts)
        for q in view.queue:
            mix = over_types(q, view, free)
            if mix is not None:
                free = [left - count for left, count in zip(free, mix, strict=True)]
                wanted[q.index] = mix
        return wanted

    def _ranked(
        self, view: RoundView, r: int, total: float
    ) -> list[tuple[tuple[float, float, float], QueuedJob]]:
        ranked = []
        for q in view.queue:
            share = float(self._shares[q.index][r])
            part = float(self._time[q.index][r]) / total if total > 0 else 0.0
            able = share > 0 and view.problem.usable(q.index)[r]
            priority = (share / part if part > 0 else share * NEW_PRIORITY) if able else 0.0
            ranked.append(((priority, float(self._deficit[q.index][r]), share), q))
        ranked.sort(key=lambda entry: entry[0], reverse=True)
        return ranked


def _speeds(q: QueuedJob, view: RoundView) -> list[float]:
    able = view.problem.usable(q.index)
    return [float(x) if ok else 0.0 for x, ok in zip(q.job.speed, able, strict=True)]
