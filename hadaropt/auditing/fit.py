"""Whether the recorded schedule fits the cluster, moment by moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from hadaropt.auditing.capacity import Capacity
from hadaropt.auditing.log import Log, held_changes


@dataclass(frozen=True)
class Misfit:
    """Where more GPUs are held than there are.

    Attributes
    ----------
    place : str
        The pool, or the node.
    gpus : int
        What there is.
    first, worst : int
        When it begins, and when most are held, in ticks.
    held : int
        The most held at once.
    ticks : int
        For how long more are held than there are.
    """

    place: str
    gpus: int
    first: int
    worst: int
    held: int
    ticks: int


def misfits(log: Log) -> list[Misfit]:
    """Return where the recorded schedule holds more than there is, pools first, then nodes.

    Nodes are looked at where the log says which node a job of one attempt held, and the cluster
    has a node of that name. A job that is left out of sums holds its GPUs all the same. Pools that
    have what was held (`Log.over_time`) fit.
    """
    held = held_changes(log.jobs)
    pools = {pool: own for pool, own in held.items() if pool not in log.over_time}
    nodes: dict[str, list[tuple[int, int]]] = {}
    sizes: dict[str, int] = {}
    if log.cluster is not None:
        names = zip(log.cluster.nodes, log.cluster.capacity, strict=True)
        sizes = {node: sum(row) for node, row in names}
    for job in log.jobs:
        if len(job.attempts) == 1:
            start, end = job.attempts[0]
            for node, count in job.nodes:
                if node in sizes:
                    nodes.setdefault(node, []).extend(((start, count), (end, -count)))
    return [*_over(pools, log.pools), *_over(nodes, sizes)]


def as_used(log: Log) -> Log:
    """Return the log on a cluster in which what it records fits.

    Whenever more GPUs of a pool are held than it has, it has as many as are held; nodes are given
    up. A log that fits, or records nothing, stays as it is.
    """
    if not misfits(log):
        return log
    changes = held_changes(log.jobs)
    capacity = {
        pool: Capacity.of_changes(0, changes.get(pool, ()), max(1, size))
        for pool, size in log.pools.items()
    }
    more = {pool: own for pool, own in capacity.items() if not own.constant}
    # If only nodes hold more than they have, no pool changes.
    return replace(log, cluster=None, over_time=more or capacity)


def _over(
    changes: Mapping[str, list[tuple[int, int]]], sizes: Mapping[str, int]
) -> Iterable[Misfit]:
    for place, events in changes.items():
        size, held, since = sizes[place], 0, 0
        first: int | None = None
        worst, most, ticks = 0, size, 0
        for time, change in sorted(events):
            if held > size:
                ticks += time - since
            held, since = held + change, time
            if held > size and first is None:
                first = time
            if held > most:
                worst, most = time, held
        if first is not None:
            yield Misfit(place, size, first, worst, most, ticks)
