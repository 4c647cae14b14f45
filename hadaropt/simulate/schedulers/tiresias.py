"""Tiresias: discretised two-dimensional least attained service (J. Gu et al., NSDI 2019)."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.simulate.placement import Counts, counts_of
from hadaropt.simulate.problem import Placement
from hadaropt.simulate.schedulers.in_order import on_first_type, run_in_order
from hadaropt.simulate.view import QueuedJob, RoundView


@dataclass(frozen=True, slots=True)
class _Seen:
    """What holds of a job as long as its service does not grow.

    Attributes
    ----------
    queue : int
    waits : bool
        Whether the job was waiting when it was looked at.
    starved_after : Fraction or None
        The instant after which it is promoted if it still waits.
    """

    queue: int
    waits: bool
    starved_after: Fraction | None


class Tiresias:
    """Queues by GPU-seconds of service, first come first served within a queue, preemptive.

    A job moves down a queue when its service passes a threshold. A job that has waited more than
    ``promote`` times as long as it has run goes back to the first queue with its service counted
    anew. The cluster is taken to be homogeneous: speeds are not looked at, only whether a type can
    run the job. A running job stays on its type if there is room when its turn comes; a new one
    takes the first type with room, on one node where one can take it.

    Parameters
    ----------
    thresholds : sequence of number
        GPU-seconds at which a job leaves each queue but the last, ascending. The default is that of
        the published simulator.
    promote : number or None
        None: no promotion.
    """

    name = "tiresias"

    def __init__(
        self,
        thresholds: Sequence[int | Fraction] = (3250, 7200, 18000),
        promote: int | Fraction | None = 8,
    ) -> None:
        self._thresholds, self._promote = tuple(thresholds), promote
        self._steps: tuple[int, ...] = ()
        self._forgiven: dict[int, tuple[int, int]] = {}
        self._seen: dict[int, _Seen] = {}

    def queue_of(self, q: QueuedJob, view: RoundView) -> int:
        """Return the queue of a job, 0 the first; promotes it if it has starved."""
        known, waits = self._seen.get(q.index), q.held is None
        if known is None or not (known.waits and waits):
            known = self._seen[q.index] = self._look(q, view, waits=waits)
        if known.starved_after is not None and view.now > known.starved_after:
            self._forgiven[q.index] = (q.gpu_rounds, q.rounds)
            known = self._seen[q.index] = self._look(q, view, waits=True)
        return known.queue

    def _look(self, q: QueuedJob, view: RoundView, *, waits: bool) -> _Seen:
        gpu_rounds, rounds = self._forgiven.get(q.index, (0, 0))
        queue = bisect_right(self._steps, q.gpu_rounds - gpu_rounds)
        ran, starved = q.rounds - rounds, None
        if waits and ran and self._promote is not None:
            starved = q.idle_since + self._promote * ran * view.problem.round_seconds
        return _Seen(queue, waits, starved)

    def plan(self, view: RoundView) -> dict[int, Placement]:
        """Return what each job that runs in this round holds."""
        tau = view.problem.round_seconds
        self._steps = tuple(math.ceil(least / tau) for least in self._thresholds)  # GPU-rounds
        rank = {q.index: self.queue_of(q, view) for q in view.queue}
        return run_in_order(view, sorted(view.queue, key=lambda q: rank[q.index]), _stay_or_move)


def _stay_or_move(q: QueuedJob, view: RoundView, free: list[int]) -> Counts | None:
    if q.held is not None:
        counts = counts_of(q.held, len(free))
        if all(count <= left for count, left in zip(counts, free, strict=True)):
            return counts
    return on_first_type(q, view, free)
