"""Who runs in a round of the reference, and on which workers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Pick = tuple[int, str]
"""A job and the type on which it runs."""


def select(
    order: Sequence[str],
    free: Mapping[str, int],
    ranked: Mapping[str, Iterable[tuple[int, float]]],
    scale_factor: Mapping[int, int],
    throughput: Mapping[int, Mapping[str, float]],
    *,
    needs_priority: bool,
) -> list[Pick]:
    """Fill the types one after the other in descending order of rank.

    Parameters
    ----------
    order : sequence of str
        Types in the order in which they are filled.
    free : mapping of str to int
        GPUs of each type.
    ranked : mapping of str to iterable of (job, priority)
        Jobs by descending rank on each type.
    scale_factor, throughput : mapping by job
    needs_priority : bool
        A job of priority 0 is left out, even if GPUs stay idle (FIFO).
    """
    taken: set[int] = set()
    picks = []
    for kind in order:
        left = free[kind]
        for job, priority in ranked[kind]:
            if left == 0:
                break
            fits = scale_factor[job] <= left and throughput[job][kind] > 0
            if job in taken or not fits or (needs_priority and priority <= 0):
                continue
            left -= scale_factor[job]
            taken.add(job)
            picks.append((job, kind))
    return picks


def place(
    picks: Sequence[Pick],
    scale_factor: Mapping[int, int],
    workers: Mapping[str, range],
    previous: Mapping[int, tuple[int, ...]],
) -> dict[int, tuple[int, ...]]:
    """Return the workers of each job: larger gangs first, previous workers kept if all are free.

    Moving costs nothing in the reference, so placement changes no time; it is kept because the
    busy time is counted by worker.
    """
    placed: dict[int, tuple[int, ...]] = {}
    for kind, own in workers.items():
        here = [job for job, where in picks if where == kind]
        taken: set[int] = set()
        for size in sorted({scale_factor[job] for job in here}, reverse=True):
            gangs = [job for job in here if scale_factor[job] == size]
            for job in gangs:
                before = previous.get(job, ())
                if before and before[0] in own and taken.isdisjoint(before):
                    placed[job] = before
                    taken.update(before)
            for job in gangs:
                if job not in placed:
                    placed[job] = tuple(w for w in own if w not in taken)[:size]
                    taken.update(placed[job])
    return placed
