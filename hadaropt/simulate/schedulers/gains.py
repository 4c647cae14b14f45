"""Iterations per round and gangs of the queue as arrays, kept from round to round."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.errors import LimitError
from hadaropt.simulate.placement import Counts
from hadaropt.simulate.view import QueuedJob, RoundView

Ints = npt.NDArray[np.int64]


class Gains:
    """What each job of a queue makes of a round, without asking twice."""

    def __init__(self) -> None:
        self._rows: dict[int, int] = {}
        self._gain = np.zeros((0, 0), np.int64)
        self._gang = np.zeros(0, np.int64)

    def of(self, view: RoundView) -> tuple[Ints, Ints]:
        """Return the iterations of a round by slowest type, (J, R), and the gangs, (J,).

        Where gangs mix types, no type counts for less than a slower one: at least what a gang can
        do whose slowest type it is.

        Raises
        ------
        LimitError
            If a job makes 2**62 iterations in a round or more.
        """
        if not self._rows:
            self._gain = np.zeros((0, len(view.problem.cluster.accelerators)), np.int64)
        new = [q for q in view.queue if q.index not in self._rows]
        if new:
            for q in new:
                self._rows[q.index] = len(self._rows)
            self._gain = np.concatenate((self._gain, [_gains(q, view) for q in new]))
            self._gang = np.concatenate((self._gang, [q.job.gang_size for q in new]))
        rows = [self._rows[q.index] for q in view.queue]
        return self._gain[rows], self._gang[rows]


def _gains(q: QueuedJob, view: RoundView) -> Counts:
    problem, speed = view.problem, q.job.speed
    gains = tuple(problem.gain(q.index, r) for r in range(len(speed)))
    if problem.mixing:
        # A fast type alone may not hold the gang within a node, where with a slower one it does. It
        # counts for no less then: what a gang does is the least over its types.
        gains = tuple(
            max(gain for gain, other in zip(gains, speed, strict=True) if other <= own)
            if own
            else 0
            for own in speed
        )
    if max(gains, default=0) >= 2**62:
        raise LimitError(
            f"jobs[{q.index}] makes {max(gains)} iterations in a round, must be < 2**62 "
            "for the tables of hadar"
        )
    return gains
