"""How much of a limit is used up: of time, or of work that is the same on every machine.

A limit of work makes a solve repeatable: the same instance, seed and limit give the same answer
whatever else the machine does, because no decision looks at the time of day. Work is counted in
elementary operations where it is done: cells of the tables of dynamic programs, simplex iterations
times rows, nodes, ejection chains. One *unit* is a million operations. How long it takes depends on
what is done: 1.5 to 8 milliseconds of one core were measured, the more the larger the instance,
since what is fixed for an instance (tables, checks, the schedule) is not counted. All shares of a
time limit are shares of a work limit just so.

A limit of time is one on solving: while kernels are compiled, its clock stands still.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from numbers import Integral

from hadaropt.errors import is_number, shown
from hadaropt.exact import MAX_COUNT
from hadaropt.kernels.compile_time import compiling_seconds
from hadaropt.results import Termination

UNIT = 10**6
"""Operations in a unit of work."""
PER_SECOND = 10**9
"""Operations that pass for a second where work is counted: all parts of a solve compare their
shares in these, so that only ratios matter, and no second of a machine is meant."""


def _seconds() -> float:
    """Return the seconds of some clock that stands still while kernels are compiled."""
    return time.perf_counter() - compiling_seconds()


@dataclass
class _Source:
    """What passes: seconds, or operations where these are counted."""

    counts: bool
    operations: int = 0
    last: float = math.inf
    """When the seconds are up as well, where operations are counted."""

    def late(self) -> bool:
        return self.last < math.inf and _seconds() >= self.last

    def now(self) -> float:
        if not self.counts:
            return _seconds()
        return math.inf if self.late() else self.operations / PER_SECOND


class Clock:
    """A limit, and what is left of it.

    "Seconds" below are those of the machine, unless there is a limit of work: then a second is
    `PER_SECOND` operations.

    Parameters
    ----------
    time_limit : float, optional
        Seconds.
    work_limit : int, optional
        Units of work. With both limits, the one that is reached first ends it.

    Raises
    ------
    ValueError
        If a limit is negative.
    TypeError
        If ``work_limit`` is not an integer.
    """

    def __init__(self, time_limit: float | None = None, work_limit: int | None = None) -> None:
        if time_limit is not None and not is_number(time_limit):
            raise TypeError(f"time_limit = {shown(time_limit)}, must be a number or None")
        if time_limit is not None and not time_limit >= 0:
            raise ValueError(f"time_limit = {time_limit}, must be >= 0 or None")
        seconds = math.inf if time_limit is None else float(time_limit)
        if work_limit is None:
            self._source, self._limit = _Source(False), seconds
        else:
            work = _check_work(work_limit)
            self._source = _Source(True, last=_seconds() + seconds)
            self._limit = work * UNIT / PER_SECOND
        self._begin = self._source.now()

    @property
    def limited(self) -> bool:
        """Whether it can ever be over."""
        return self._limit < math.inf or self._source.last < math.inf

    @property
    def counts(self) -> bool:
        """Whether work is counted instead of seconds."""
        return self._source.counts

    def part(self, seconds: float, least: float = 0.0) -> Clock:
        """Return a clock that is over after so many seconds from now, or with this clock.

        It is given ``least`` seconds even where fewer are left of this clock.
        """
        part = object.__new__(Clock)
        part._source, part._begin = self._source, self._source.now()
        part._limit = max(least, min(seconds, self.left()))
        return part

    def seconds(self) -> float:
        """Return the seconds that have passed since it began."""
        now = self._source.now()
        return now if now == math.inf else now - self._begin

    def left(self, share: float = 1.0) -> float:
        """Return the seconds left of a share of the limit, at least 0."""
        passed = self.seconds()
        return 0.0 if passed == math.inf else max(0.0, share * self._limit - passed)

    def spent(self) -> float:
        """Return the share of the limit that is used up."""
        left = self.left()
        return 1.0 if left <= 0 else self.seconds() / (self.seconds() + left)

    def over(self) -> bool:
        """Return whether the limit is reached."""
        return self.left() <= 0

    def reached(self) -> Termination:
        """Return how to call the limit that is reached: ``time_limit`` or ``work_limit``."""
        late = not self._source.counts or self._source.late()
        return Termination.TIME_LIMIT if late else Termination.WORK_LIMIT

    def spend(self, operations: int) -> None:
        """Count work that was done."""
        self._source.operations += int(operations)

    def operations(self) -> int:
        """Return the operations that have been counted, in whatever part of the solve."""
        return self._source.operations

    def machine_seconds(self) -> float:
        """Return the seconds of the machine that are left: for a solver that counts in these."""
        if self._source.counts:
            return max(0.0, self._source.last - _seconds())
        return self.left()

    def most(self, operations: int) -> int | None:
        """Return how many steps of so many operations are left; None if none are counted."""
        if not self._source.counts:
            return None
        return min(MAX_COUNT, int(self.left() * PER_SECOND) // operations)


def _check_work(limit: object) -> int:
    if isinstance(limit, bool) or not isinstance(limit, Integral):
        raise TypeError(f"work_limit = {shown(limit)}, must be an integer or None")
    if limit < 0:
        raise ValueError(f"work_limit = {limit}, must be >= 0 or None")
    return int(limit)


__all__ = ["Clock"]
