"""The best schedule known of a space."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from hadaropt.offline.colgen.plan import Plan, to_plan, to_schedule
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.schedule import Schedule, check_schedule


class Incumbent:
    """The best schedule so far, its exact value, and its columns where it is known by columns.

    Parameters
    ----------
    space : Space
    report : callable, optional
        Called after every improvement.
    """

    def __init__(self, space: Space, report: Callable[[], None] = lambda: None) -> None:
        self._space, self._report = space, report
        # In one store, so that an interrupt finds a schedule with its own value.
        self._best: tuple[Schedule, Fraction, Plan | None]
        self._best = Schedule.empty(space.instance), Fraction(0), None

    @property
    def schedule(self) -> Schedule:
        """The best schedule."""
        return self._best[0]

    @property
    def value(self) -> Fraction:
        """Its exact value."""
        return self._best[1]

    @property
    def plan(self) -> Plan | None:
        """Its columns, where it is known by columns."""
        return self._best[2]

    def offer(self, plan: Plan | None) -> bool:
        """Keep a plan if it is better; return whether it is."""
        if plan is None or plan.value <= self.value:
            return False
        return self.offer_schedule(to_schedule(self._space, plan), plan)

    def offer_schedule(self, schedule: Schedule, plan: Plan | None = None) -> bool:
        """Keep a schedule if it is better; return whether it is.

        Raises
        ------
        ScheduleError
            If it is infeasible.
        """
        value = check_schedule(self._space.instance, schedule).value
        if value <= self.value:
            return False
        if plan is None:
            plan = to_plan(self._space, schedule)
        self._best = schedule, value, plan
        self._report()
        return True


__all__ = ["Incumbent"]
