"""Jobs of a schedule that are worth scheduling anew together."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from hadaropt.mip.model import Floats
from hadaropt.offline.colgen.plan import Plan
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.colgen.pricing_problem import Column
from hadaropt.offline.heuristics.params import DivingParams

Draw = Callable[[Plan, np.random.Generator], Floats]
"""(plan, random numbers) -> keys of the jobs; those of least keys are drawn."""


class Neighbourhoods:
    """Draws jobs: about the same time, of large gangs, or where a plan and an LP point disagree.

    Parameters
    ----------
    space : Space
    shares : mapping of Column to float
        The LP point: how much of each column it holds.
    params : DivingParams, optional
    """

    def __init__(
        self, space: Space, shares: Mapping[Column, float], params: DivingParams | None = None
    ) -> None:
        self._space, self._shares = space, shares
        self._params = DivingParams() if params is None else params
        self._gang = np.array([job.gang_size for job in space.jobs], np.float64)
        self._idle = np.ones(len(space.jobs))
        for column, share in shares.items():
            self._idle[column.job] -= share
        self._kinds: tuple[Draw, ...] = (self._disputed, self._at_a_time, self._large)

    def draw(self, plan: Plan, size: int, random: np.random.Generator) -> tuple[int, ...]:
        """Return so many jobs, of a kind that is chosen at random too."""
        key = self._kinds[int(random.integers(len(self._kinds)))](plan, random)
        return tuple(np.argsort(key, kind="stable")[:size].tolist())

    def _disputed(self, plan: Plan, random: np.random.Generator) -> Floats:
        """Prefer jobs of whose schedule in the plan the LP point holds little."""
        held = self._idle.copy()
        for i, column in plan.columns.items():
            held[i] = self._shares.get(column, 0.0)
        return held + self._params.dispute * random.random(len(held))

    def _at_a_time(self, plan: Plan, random: np.random.Generator) -> Floats:
        """Prefer jobs that run, or may run, about a round."""
        now = int(random.integers(self._space.instance.num_rounds))
        distance = np.zeros(len(self._space.jobs))
        for i, job in enumerate(self._space.jobs):
            column = plan.columns.get(i)
            if column is None:
                first, last = job.release, job.release + len(job.values) - 1
            else:
                first, last = column.rounds[0][0], column.rounds[-1][0]
            # Jobs that get nothing yet come after those that hold something now.
            distance[i] = max(0, first - now, now - last) + (column is None)
        return distance + 2 * random.random(len(distance))

    def _large(self, plan: Plan, random: np.random.Generator) -> Floats:
        """Prefer large gangs to small ones."""
        key: Floats = np.log(random.random(len(self._gang)))
        return -key / self._gang**self._params.gang_chance


__all__ = ["Neighbourhoods"]
