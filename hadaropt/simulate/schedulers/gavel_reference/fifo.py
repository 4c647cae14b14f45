"""FIFO of the reference, blind to speeds: its defects make it send nearly all jobs to one type.

Kept: a job takes the alphabetically last type that still counts as having GPUs, whether or not it
fits there; when that type's count is exactly 0, a type drawn at random is taken off the list, not
the full one. A job that cannot run on the type that it would take gets none, and loses its turn
until the next allocation; as the successor of a completed job it keeps its turn.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from hadaropt.simulate.schedulers.gavel_reference.mechanism import Shares, View


class ReferenceFifo:
    """A policy that remembers where each job was sent.

    Parameters
    ----------
    seed : int
        Of the run.
    """

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self._type: dict[int, str] = {}

    def __call__(self, view: View) -> Shares:
        """Return 1 on the type of each job that was sent somewhere."""
        scale = {job: entry.scale_factor for job, entry in view.jobs.items()}
        queue = [job for job in sorted(view.jobs) if job not in self._type]
        free = dict(view.counts)
        able = {
            job: {kind for kind, speed in entry.throughput.items() if speed > 0}
            for job, entry in view.jobs.items()
        }
        self._replace_completed(queue, scale, able, free)
        self._send(queue, scale, able, free)
        return {
            job: {kind: float(self._type.get(job) == kind) for kind in view.counts}
            for job in view.jobs
        }

    def _replace_completed(
        self,
        queue: list[int],
        scale: Mapping[int, int],
        able: Mapping[int, set[str]],
        free: dict[str, int],
    ) -> None:
        for job in sorted(self._type):
            kind = self._type[job]
            if job in scale:
                free[kind] -= scale[job]
                continue
            del self._type[job]
            if queue and scale[queue[0]] <= free[kind] and kind in able[queue[0]]:
                successor = queue.pop(0)
                self._type[successor] = kind
                free[kind] -= scale[successor]

    def _send(
        self,
        queue: list[int],
        scale: Mapping[int, int],
        able: Mapping[int, set[str]],
        free: dict[str, int],
    ) -> None:
        kinds = sorted(kind for kind, count in free.items() if count > 0)
        while queue and kinds:
            job = queue.pop(0)
            fitting = [i for i, kind in enumerate(kinds) if free[kind] >= scale[job]]
            if not fitting:
                return
            drawn = fitting[self._draw.randrange(len(fitting))]
            last = kinds[-1]
            if last not in able[job]:
                continue
            self._type[job] = last
            free[last] -= scale[job]
            if free[last] == 0:
                kinds.pop(drawn)
