"""What a solve knows while it runs: best value, proven bound, and how they came about."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.display import per_cent
from hadaropt.errors import shown
from hadaropt.instance import Instance
from hadaropt.offline.clock import Clock
from hadaropt.offline.contradiction import breach, foreign
from hadaropt.results import Prices, relative_gap
from hadaropt.schedule import Schedule, check_schedule

DISPLAY_SECONDS = 1.0
"""Seconds between two lines on standard error, at the least."""


@dataclass(frozen=True)
class Progress:
    """The state of a solve, as its callback sees it.

    Attributes
    ----------
    seconds : float
        Since the solve began.
    phase : str
        ``bound``, ``greedy``, ``build``, ``search``, ``exact`` or ``check``.
    value : Fraction
        Exact value of the best schedule.
    bound : Fraction or None
        Proven upper bound on the optimum; None before there is one.
    """

    seconds: float
    phase: str
    value: Fraction
    bound: Fraction | None

    @property
    def gap(self) -> float:
        """(bound - value) / max(1, value), rounded up; inf without a bound."""
        if self.bound is None:
            return math.inf
        return relative_gap(self.bound, self.value)


Callback = Callable[[Progress], "bool | np.bool_ | None"]
"""Called with a `Progress`; if it returns True, the solve stops; False or None: it goes on."""


def says_stop(callback: Callable[..., object], *facts: object) -> bool:
    """Call a callback; return whether it says stop.

    Raises
    ------
    TypeError
        If it returns anything but True, False (of Python or numpy) or None. This and what the
        callback itself raises is marked as its author's: see
        `hadaropt.offline.contradiction.foreign`.
    """
    try:
        answer = callback(*facts)
        if answer is not None and not isinstance(answer, bool | np.bool_):
            raise TypeError(f"the callback returned {shown(answer)}, must be True, False or None")
    except Exception as error:
        foreign(error)
        raise
    return bool(answer)


class Monitor:
    """Keeps the best schedule and the best bound, reports them, and says when to stop.

    Parameters
    ----------
    instance : Instance
    clock : Clock
        With the limits.
    target_gap : float
    callback : callable or None
    display : bool
        Whether to write a line on standard error now and then.
    """

    def __init__(
        self,
        instance: Instance,
        clock: Clock,
        target_gap: float,
        callback: Callback | None,
        display: bool,
    ) -> None:
        self.begin = time.perf_counter()
        self.instance, self.clock = instance, clock
        self._target, self._callback, self._display = target_gap, callback, display
        self.phase = ""
        # Each in one store, so that an interrupt finds a schedule with its own value.
        self._best = Schedule.empty(instance), Fraction(0)
        self._proof: tuple[Fraction, Prices | None, object] | None = None
        self._announced = Fraction(0)
        self._announced_bound: Fraction | None = None
        self.stopped = False
        self.history: list[tuple[float, Fraction | None, Fraction | None]] = []
        self._shown = -math.inf

    @property
    def schedule(self) -> Schedule:
        """The best schedule; at first the empty one."""
        return self._best[0]

    @property
    def value(self) -> Fraction:
        """The exact value of `schedule`."""
        return self._best[1]

    @property
    def bound(self) -> Fraction | None:
        """The least proven upper bound on the optimum; None before there is one."""
        return None if self._proof is None else self._proof[0]

    @property
    def prices(self) -> Prices | None:
        """The prices that prove `bound`, alone or at the root of `tree`."""
        return None if self._proof is None else self._proof[1]

    @property
    def tree(self) -> object:
        """The branching tree that proves `bound`; None where prices alone do."""
        return None if self._proof is None else self._proof[2]

    def seconds(self) -> float:
        """Return the seconds since the solve began."""
        return time.perf_counter() - self.begin

    def left(self, share: float = 1.0) -> float:
        """Return the seconds left of a share of the limit, as the clock counts them."""
        return self.clock.left(share)

    def offer(self, schedule: Schedule) -> None:
        """Keep a schedule if it is better; it is checked and valued exactly.

        Raises
        ------
        ScheduleError
            If it is infeasible.
        InvariantError
            If it is worth more than the bound.
        """
        value = check_schedule(self.instance, schedule).value
        if self.bound is not None and value > self.bound:
            refuted = self.bound
            # The checker vouches for the schedule; so the bound is what is wrong.
            self._best, self._proof, self._announced_bound = (schedule, value), None, None
            breach(f"the value {value} exceeds the bound {refuted}", self.instance, schedule)
        if value > self.value:
            self._best = schedule, value
            self._record()
        self.report()

    def announce(self, value: Fraction, bound: Fraction | None = None) -> None:
        """Note an exact value, and bound, whose schedule and proof will follow: they take long."""
        self._announced = max(self._announced, value)
        if bound is not None and (self._announced_bound is None or bound < self._announced_bound):
            self._announced_bound = bound
        self._record()
        self.report()

    def prove(self, bound: Fraction, prices: Prices | None, tree: object = None) -> None:
        """Keep a bound if it is better, with what proves it.

        Raises
        ------
        InvariantError
            If it is below the value of the best schedule.
        """
        if bound < self.value:
            breach(
                f"the bound {bound} is below the value {self.value}", self.instance, self.schedule
            )
        if self.bound is None or bound < self.bound:
            self._proof = bound, prices, tree
            self._record()
        self.report()

    def _record(self) -> None:
        """Note what has become better."""
        now = self.progress()
        if not self.history or self.history[-1][1:] != (now.value, now.bound):
            self.history.append((now.seconds, now.value, now.bound))

    def progress(self) -> Progress:
        """Return the state."""
        bounds = [b for b in (self.bound, self._announced_bound) if b is not None]
        value = max(self.value, self._announced)
        return Progress(self.seconds(), self.phase, value, min(bounds, default=None))

    def report(self) -> None:
        """Call the callback, and write a line if it is time to."""
        now = self.progress()
        if self._display and now.seconds >= self._shown + DISPLAY_SECONDS:
            self.show()
        if self._callback is not None and says_stop(self._callback, now):
            self.stopped = True

    def mute(self) -> None:
        """Call the callback no more, and show nothing more."""
        self._callback, self._display = None, False

    def show(self) -> None:
        """Write a line on standard error."""
        now = self.progress()
        bound = "-" if now.bound is None else f"{float(now.bound):.6g}"
        gap = "-" if now.bound is None else per_cent(now.gap)
        line = f"{now.seconds:8.1f} s  {now.phase:7}"
        line += f"  value {float(now.value):.6g}  bound {bound}  gap {gap}"
        print(line, file=sys.stderr, flush=True)
        self._shown = now.seconds

    @property
    def proved(self) -> bool:
        """Whether the best schedule is optimal."""
        return self.bound is not None and self.bound == self.value

    @property
    def close(self) -> bool:
        """Whether the gap is at most the target."""
        return self.proved or self.progress().gap <= self._target

    def done(self) -> bool:
        """Return whether to stop."""
        return self.close or self.stopped or self.clock.over()
