"""What is known of an instance whatever else goes wrong.

At the least: the schedule to start from, if one was given, and the bound sum_j U_j of completing
every job at its release (`no_waiting_bound`), which zero prices prove. A solve that is interrupted
or fails answers with it.
"""

from __future__ import annotations

import math
import time
from fractions import Fraction

import numpy as np

from hadaropt.errors import ScheduleError, is_number, shown
from hadaropt.instance import Instance
from hadaropt.results import Prices, Result, Status, Termination, Timings
from hadaropt.schedule import Schedule, check_schedule


class Known:
    """The best schedule and the best exact bound of an instance that are known so far.

    Parameters
    ----------
    instance : Instance
    method : str
        In whose name they are given.
    start : Schedule, optional

    Raises
    ------
    ScheduleError
        If ``start`` is infeasible.
    """

    def __init__(self, instance: Instance, method: str, start: Schedule | None = None) -> None:
        self.begin = time.perf_counter()
        self.instance, self.method, self.start = instance, method, start
        self._bound: tuple[Fraction, Prices] | None = None
        self._best: tuple[Schedule, Fraction] | None = None
        if start is not None:
            self._best = start, checked_start(instance, start)

    @property
    def schedule(self) -> Schedule | None:
        """The best schedule; None while there is none."""
        return None if self._best is None else self._best[0]

    @property
    def value(self) -> Fraction:
        """The exact value of `schedule`; 0 without one."""
        return Fraction(0) if self._best is None else self._best[1]

    @property
    def bound(self) -> Fraction:
        """The least exact upper bound on the optimum."""
        return no_waiting_bound(self.instance) if self._bound is None else self._bound[0]

    @property
    def prices(self) -> Prices:
        """The prices k with D(k) <= `bound`."""
        return zero_prices(self.instance) if self._bound is None else self._bound[1]

    @property
    def proved(self) -> bool:
        """Whether the best schedule is optimal: its value equals the bound."""
        return self._best is not None and self.value == self.bound

    def offer(self, schedule: Schedule) -> None:
        """Keep a schedule if it is better; it is checked and valued exactly."""
        value = check_schedule(self.instance, schedule).value
        if self._best is None or value > self.value:
            self._best = schedule, value

    def prove(self, bound: Fraction, prices: Prices) -> None:
        """Keep a bound if it is better, with the prices that prove it."""
        if self._bound is None or bound < self._bound[0]:
            self._bound = bound, prices

    def best(self, termination: Termination) -> Result:
        """Return the best answer known."""
        if self._best is not None and self.value > self.bound:
            # One of the two is wrong, and the checker vouches for the schedule.
            self._bound = None
        proved, none = self.proved, self._best is None
        return Result(
            method=self.method,
            termination=Termination.OPTIMAL if proved else termination,
            status=Status.PROVED if proved else Status.BOUND if none else Status.FEASIBLE,
            value=None if none else self.value,
            bound=self.bound,
            schedule=self.schedule,
            prices=self.prices,
            raw_status="the best that was known",
            timings=Timings(0.0, time.perf_counter() - self.begin, 0.0),
            instance=self.instance,
        )


def checked_start(instance: Instance, start: Schedule) -> Fraction:
    """Return the exact value of a schedule to start from.

    Raises
    ------
    ScheduleError
        If it is infeasible.
    """
    try:
        return check_schedule(instance, start).value
    except ScheduleError as bad:
        raise bad.below("start") from bad


def no_waiting_bound(instance: Instance) -> Fraction:
    """Return a bound that needs no search: every job that can run completes at its release."""
    values = (
        instance.value(j, job.release)
        for j, job in enumerate(instance.jobs)
        if instance.unschedulable(j) is None
    )
    return sum(values, Fraction(0))


def zero_prices(instance: Instance) -> Prices:
    """Return the prices k = 0: D(0) = sum_j max_f U_j(f) is at most `no_waiting_bound`."""
    shape = (instance.num_rounds, len(instance.cluster.accelerators))
    return Prices(np.zeros(shape, np.int64), Fraction(1), "type")


def check_target_gap(target_gap: float) -> None:
    """Raise ValueError unless a target gap is a finite number >= 0; TypeError if it is none."""
    if not is_number(target_gap):
        raise TypeError(f"target_gap = {shown(target_gap)}, must be a number")
    if not 0 <= target_gap < math.inf:
        raise ValueError(f"target_gap = {target_gap}, must be >= 0 and finite")
