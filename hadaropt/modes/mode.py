"""What a job can do in one round: its modes, and whether the nodes of its GPUs matter.

A mode is one gang, or one copy of a forked job, at one level: the level of type r admits all types
that are at least as fast as r, and the slowest of them sets the speed. Modes are whole: iterations
are not capped at what the job needs, and a mode that another one dominates stays. Sets of copies,
quanta of progress, caps and dominance belong to the encodings that are made of modes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from hadaropt.instance import Instance

Reach = Literal["anywhere", "node", "copy"]
"""Where the GPUs of a mode may lie: on any nodes, inside one node, or inside one node as one of
several copies on distinct nodes."""


@dataclass(frozen=True)
class Mode:
    """One way to run a job in one round.

    Attributes
    ----------
    reach : {"anywhere", "node", "copy"}
    level : int
        The type whose speed is that of the mode.
    types : tuple of int
        Types that it may use, increasing: those at least as fast as ``level``; under
        ``single_type`` only ``level`` itself.
    iterations : int
        Progress of the gang, or of the copy, in one round; >= 1.
    """

    reach: Reach
    level: int
    types: tuple[int, ...]
    iterations: int


def gang_modes(instance: Instance, j: int) -> tuple[Mode, ...]:
    """Return the modes of job j as one gang, by reach, then by level.

    Where spanning nodes slows the gang, those over any nodes come before those inside one node;
    elsewhere a gang inside one node is a special case of a gang anywhere, and is not listed.
    """
    if not is_slowed(instance, j):
        return _modes(instance, j, "anywhere", instance.progress(j))
    across = _modes(instance, j, "anywhere", instance.progress(j, spread=True))
    return across + _modes(instance, j, "node", instance.progress(j))


def copy_modes(instance: Instance, j: int) -> tuple[Mode, ...]:
    """Return the modes of one of several copies of job j, by level; none where it cannot fork."""
    if instance.max_copies(j) < 2:
        return ()
    return _modes(instance, j, "copy", instance.progress(j, copies=True))


def by_progress(modes: Iterable[Mode]) -> list[Mode]:
    """Return modes by progress, then those inside a node first, then by level."""
    return sorted(modes, key=lambda mode: (mode.iterations, mode.reach == "anywhere", mode.level))


def _modes(
    instance: Instance, j: int, reach: Reach, iterations: tuple[int, ...]
) -> tuple[Mode, ...]:
    single = instance.parallelism == "single_type"
    return tuple(
        Mode(reach, r, (r,) if single else instance.admitted(j, r), gain)
        for r, gain in enumerate(iterations)
        if gain > 0
    )


def is_slowed(instance: Instance, j: int) -> bool:
    """Return whether job j is slower when its gang spans nodes: rho_j < 1 and W_j > 1."""
    job = instance.jobs[j]
    return job.spread_factor != 1 and job.gang_size > 1


def is_pooled(instance: Instance, j: int | None = None) -> bool:
    """Whether prices and capacity per type are exact, for job j or for all jobs.

    True iff no gang is slowed by spanning nodes (rho_j = 1 or W_j = 1) and none may run as copies;
    then a placement over types is always a placement on nodes.
    """
    if j is None:
        return all(is_pooled(instance, i) for i in range(len(instance.jobs)))
    return not is_slowed(instance, j) and instance.max_copies(j) < 2
