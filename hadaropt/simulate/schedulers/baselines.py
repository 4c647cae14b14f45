"""Baselines for orientation: shortest remaining time, least attained service, chance."""

from __future__ import annotations

import random
from fractions import Fraction

from hadaropt.simulate.placement import Counts, counts_of
from hadaropt.simulate.problem import Placement
from hadaropt.simulate.schedulers.in_order import (
    gang_on,
    on_fastest_type,
    on_first_type,
    over_types,
    run_in_order,
    usable_types,
)
from hadaropt.simulate.view import QueuedJob, RoundView


class Srtf:
    """Shortest remaining time first, preemptive; an oracle that knows every remaining time.

    The remaining time is that on the job's fastest type; ties by arrival. Each gang takes the
    fastest type with room, and smaller jobs overtake a gang that finds none.
    """

    name = "srtf"

    def plan(self, view: RoundView) -> dict[int, Placement]:
        """Return what each job that runs in this round holds."""

        def remaining(q: QueuedJob) -> Fraction:
            return q.remaining / max(q.job.speed)

        return run_in_order(view, sorted(view.queue, key=remaining), on_fastest_type)


class Las:
    """Least attained service first, preemptive: GPU-seconds held so far, ties by arrival.

    Neither sizes nor speeds are known. A gang takes the first type with room.
    """

    name = "las"

    def plan(self, view: RoundView) -> dict[int, Placement]:
        """Return what each job that runs in this round holds."""
        return run_in_order(view, sorted(view.queue, key=lambda q: q.gpu_rounds), on_first_type)


class RandomOrder:
    """Jobs in an order and on types drawn at random; nothing is known and nothing is preempted.

    Parameters
    ----------
    seed : int
    """

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self._draw = random.Random(seed)

    def plan(self, view: RoundView) -> dict[int, Placement]:
        """Return what each job that runs in this round holds."""
        running = [q for q in view.queue if q.held is not None]
        waiting = [q for q in view.queue if q.held is None]
        self._draw.shuffle(waiting)
        return run_in_order(view, [*running, *waiting], self._choose)

    def _choose(self, q: QueuedJob, view: RoundView, free: list[int]) -> Counts | None:
        if q.held is not None:
            return counts_of(q.held, len(free))
        types = usable_types(q, view, free)
        if not types:
            return over_types(q, view, free)
        return gang_on(self._draw.choice(types), q, len(free))
