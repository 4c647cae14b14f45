"""Hadar with a guarantee: the exact round on values discounted by the rounds that a job needs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from hadaropt.exact import to_integer
from hadaropt.simulate.levels import rounds_needed
from hadaropt.simulate.placement import place_gangs
from hadaropt.simulate.problem import PerRound, Placement
from hadaropt.simulate.schedulers.discounted import Discount, score, scores
from hadaropt.simulate.schedulers.exact_round import best_round, bounded_round
from hadaropt.simulate.schedulers.gains import Gains
from hadaropt.simulate.schedulers.worth import Worth
from hadaropt.simulate.standstill import without_standstill
from hadaropt.simulate.view import RoundView

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PlannedRound:
    """What a round was planned with.

    Attributes
    ----------
    round : int
    rounds : int
        k of that round.
    bound : Fraction
        No feasible set of gangs, pooled over nodes, has a greater total score.
    """

    round: int
    rounds: int
    bound: Fraction


class Guaranteed:
    """In every round, a feasible set of the greatest total score (theorems R1, R2, R2l, R2k).

    The score of an allocation with which job j needs q more rounds in round t is
    U_j(t + q - a_j) beta^(q-1), beta = 1 - 1/k; 0 where q > k. Hadar's own value is the case beta
    = 1, for which no ratio is finite (R2x).

    Parameters
    ----------
    rounds : int, optional
        k >= 1, declared: no job takes more rounds. By default the most rounds that a job takes
        which has arrived, on any level on which it is worth something.

    Attributes
    ----------
    planned : list of PlannedRound
        One for each round of an instance that was planned; none on a workload, whose values are
        rounded and for which no theorem is claimed.
    """

    name = "hadar:guaranteed"

    def __init__(self, rounds: int | None = None) -> None:
        self.declared = rounds is not None
        self._rounds = 1 if rounds is None else to_integer(rounds, "rounds", least=1)
        self._discount = Discount(self._rounds)
        self._seen: set[int] = set()
        self._gains, self._utility = Gains(), Worth("utility")
        self.planned: list[PlannedRound] = []

    def plan(self, view: RoundView) -> dict[int, Placement]:
        """Return what each job that runs in this round holds."""
        self._learn(view)
        gain, gang = self._gains.of(view)
        left = np.array([q.remaining for q in view.queue], np.int64)
        needed = -(-left[:, None] // np.maximum(gain, 1)) * (gain > 0)
        capacity = np.array(view.problem.cluster.pooled_capacity, np.int64)
        if all(isinstance(q.job.value, PerRound) for q in view.queue):
            worth = self._rounded(view, gain, needed)
            taken = best_round(capacity, gang, worth, view.problem.mixing)
        else:
            taken = self._exact(view, capacity, gang, needed)
        wanted = {
            view.queue[i].index: tuple(taken[i].tolist())
            for i in np.flatnonzero(taken.any(axis=1)).tolist()
        }
        return without_standstill(view, place_gangs(view.problem, wanted, view.held))

    def _learn(self, view: RoundView) -> None:
        if self.declared:
            return
        most = self._rounds
        for q in view.queue:
            if q.index not in self._seen:
                self._seen.add(q.index)
                most = max(most, *rounds_needed(view.problem, q.index), 1)
        if most > self._rounds:
            self._rounds, self._discount = most, Discount(most)

    def _rounded(self, view: RoundView, gain: Ints, needed: Ints) -> Ints:
        """Return the scores of values that fall as 1/d, as integers."""
        worth, k = self._utility.of(view, gain), self._rounds
        factor = self._discount.floats()[np.minimum(needed, k)]
        score = np.maximum(np.floor(worth * factor).astype(np.int64), 1)
        return np.where((worth > 0) & (needed <= k), score, 0)

    def _exact(self, view: RoundView, capacity: Ints, gang: Ints, needed: Ints) -> Ints:
        """Return the best set, or what ran before where that is better before rounding."""
        found = scores(view, needed.tolist(), self._discount)
        taken, upper = bounded_round(capacity, gang, found.worth, view.problem.mixing)
        bound = upper * found.unit + found.over
        self.planned.append(PlannedRound(view.round, self._rounds, bound))
        before = np.zeros_like(taken)
        for i, q in enumerate(view.queue):
            for _, r, count in q.held or ():
                before[i, r] += count
        lead = _total(found.worth, taken) - _total(found.worth, before)
        if lead * found.unit >= 2 * found.over or (taken == before).all():
            return taken
        better = self._score(view, needed, taken) >= self._score(view, needed, before)
        return taken if better else before

    def _score(self, view: RoundView, needed: Ints, taken: Ints) -> Fraction:
        """Return the total score of a set, exactly."""
        most = np.where(taken > 0, needed, 0).max(axis=1)
        return sum(
            (
                score(view.queue[i], view.round, int(most[i]), self._discount)
                for i in np.flatnonzero(taken.any(axis=1)).tolist()
            ),
            Fraction(0),
        )


def _total(worth: Ints, taken: Ints) -> int:
    """Return the worth of a set: each gang by its slowest type."""
    runs = taken.any(axis=1)
    least = np.where(taken > 0, worth, np.iinfo(np.int64).max).min(axis=1)
    return int(least[runs].sum())
