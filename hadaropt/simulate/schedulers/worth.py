"""What Hadar takes an allocation of this round to be worth, as integers, under each objective."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from hadaropt.exact import nearest_float
from hadaropt.simulate.problem import PerRound
from hadaropt.simulate.view import QueuedJob, RoundView

Ints = npt.NDArray[np.int64]
Aim = Literal["utility", "makespan", "finish_time_fairness"]

VALUE_BITS = 46
"""Values are rounded down to multiples of the largest one / 2**VALUE_BITS."""


class Worth:
    """Values a gang by the slowest type that it uses; 0 where it cannot run.

    With n_jr the rounds that job j still needs at type r, n_j the least of them, W_j its gang:

    - ``utility``: U_j at the round in which it would complete if it kept that allocation;
    - ``makespan``: W_j n_j (n_j / n_jr), so that the longest remaining time per GPU goes first,
      where it is not slowed down (longest remaining processing time first);
    - ``finish_time_fairness``: W_j rho_j (n_j / n_jr), so that the largest ratio goes first:
      rho_j = (age + n_j tau) / (Q_j / isolated speed), the isolated speed that of a 1/n share of
      each type with n jobs in the queue, as in `hadaropt.simulate.metrics`.

    Parameters
    ----------
    aim : {"utility", "makespan", "finish_time_fairness"}
    """

    def __init__(self, aim: Aim = "utility") -> None:
        self._aim = aim
        self._top = Fraction(0)
        self._units: dict[int, int] = {}
        self._near: dict[int, float] = {}
        self._alone: dict[int, Fraction] = {}

    def of(self, view: RoundView, gain: Ints) -> Ints:
        """Return the worth of each job of the queue by type, shape (J, R).

        Parameters
        ----------
        view : RoundView
        gain : (J, R) int64
            Iterations of a round when r is the slowest type.
        """
        remaining = np.array([q.remaining for q in view.queue], np.int64)
        needed = -(-remaining[:, None] // np.maximum(gain, 1)) * (gain > 0)
        if self._aim == "utility":
            if all(isinstance(q.job.value, PerRound) for q in view.queue):
                return self._per_round(view, needed)
            return _scaled(
                [
                    [q.job.value(view.round - 1 + n) if n else None for n in row]
                    for q, row in zip(view.queue, needed.tolist(), strict=True)
                ]
            )
        rows = needed.tolist()
        least = [min(filter(None, row), default=0) for row in rows]
        priority = self._ratio if self._aim == "finish_time_fairness" else _rounds
        most = [
            q.job.gang_size * priority(q, view, n) if n else 0
            for q, n in zip(view.queue, least, strict=True)
        ]
        return _slowed(most, least, rows)

    def _ratio(self, q: QueuedJob, view: RoundView, least: int) -> Fraction:
        """Return rho_j; the isolated speed is sum_r C_r X_jr / max(n W_j, sum_r C_r)."""
        counts = view.problem.cluster.pooled_capacity
        if q.index not in self._alone:
            alone = sum((x * c for x, c in zip(q.job.speed, counts, strict=True)), Fraction(0))
            self._alone[q.index] = alone / q.job.iterations
        time = view.now - q.job.arrival + least * view.problem.round_seconds
        return time * self._alone[q.index] / max(len(view.queue) * q.job.gang_size, sum(counts))

    def _per_round(self, view: RoundView, needed: Ints) -> Ints:
        """Return A_j / d with A_j an integer share of the largest one, d the flow time."""
        top = self._largest(view)
        if top == 0:
            return np.zeros_like(needed)
        if top != self._top:
            self._top, self._units = top, {}
        up, down = top.denominator << VALUE_BITS, top.numerator
        for q in view.queue:
            if q.index not in self._units:
                own = _at_once(q)
                self._units[q.index] = own.numerator * up // (own.denominator * down)
        units = np.array([self._units[q.index] for q in view.queue], np.int64)
        waited = np.array([view.round - q.job.release for q in view.queue], np.int64)
        worth = units[:, None] // (waited[:, None] + np.maximum(needed, 1))
        return np.asarray(np.where((needed > 0) & (units[:, None] > 0), np.maximum(worth, 1), 0))

    def _largest(self, view: RoundView) -> Fraction:
        """Return the largest value of completing at once: among those with the largest float."""
        for q in view.queue:
            if q.index not in self._near:
                self._near[q.index] = nearest_float(_at_once(q))
        most = max(self._near[q.index] for q in view.queue)
        return max(_at_once(q) for q in view.queue if self._near[q.index] == most)


def _at_once(q: QueuedJob) -> Fraction:
    assert isinstance(q.job.value, PerRound)
    return q.job.value.at_once


def _rounds(q: QueuedJob, view: RoundView, least: int) -> int:
    return least


def _slowed(
    most: Sequence[Fraction | int], least: Sequence[int], needed: Sequence[Sequence[int]]
) -> Ints:
    """Return most * least / needed, 0 where nothing is needed, as integers as in `_scaled`."""
    top = max(most)
    worth = np.zeros((len(needed), len(needed[0])), np.int64)
    if top == 0:
        return worth
    for i, (own, n, row) in enumerate(zip(most, least, needed, strict=True)):
        up = own.numerator * n * top.denominator << VALUE_BITS
        down = own.denominator * top.numerator
        if up:
            worth[i] = [max(1, up // (down * other)) if other else 0 for other in row]
    return worth


def _scaled(values: Sequence[Sequence[Fraction | None]]) -> Ints:
    """Return values as integers: rounded down, but at least 1 where they are positive."""
    zero = Fraction(0)
    top = max((max(filter(None, row), default=zero) for row in values), default=zero)
    worth = np.zeros((len(values), len(values[0]) if values else 0), np.int64)
    if top == 0:
        return worth
    up, down = top.denominator << VALUE_BITS, top.numerator
    for i, row in enumerate(values):
        for r, v in enumerate(row):
            if v:
                worth[i, r] = max(1, v.numerator * up // (v.denominator * down))
    return worth
