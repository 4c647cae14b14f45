"""From what a model decides (levels, GPU counts) to GPUs of nodes, as a schedule."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, MutableSequence, Sequence

from hadaropt.errors import HadaroptError, SolverError
from hadaropt.instance import Instance
from hadaropt.modes.hall_sets import TypeSet
from hadaropt.modes.plans import JobPlan, Way
from hadaropt.offline.compact.divisible import pack_on_single_nodes
from hadaropt.offline.compact.max_flow import distribute, most_violated
from hadaropt.schedule import Allocation, Schedule, trim_schedule

Runs = Mapping[int, Sequence[tuple[JobPlan, Way]]]
"""By round: the gangs that run anywhere, and how."""
Cell = tuple[int, int, int]
"""Node, type, GPUs."""


class PlacementError(HadaroptError):
    """The gangs of some rounds do not fit: Hall's condition fails.

    Attributes
    ----------
    violated : list of (int, frozenset of int)
        Rounds, each with the set of types that violates it most.
    """

    def __init__(self, violated: list[tuple[int, TypeSet]]) -> None:
        self.violated = violated
        super().__init__(f"gangs do not fit in rounds {', '.join(str(t) for t, _ in violated)}")


def take_type(free: Sequence[MutableSequence[int]], r: int, count: int) -> list[Cell]:
    """Take GPUs of one type from the nodes: the fullest that holds all of them, else one by one.

    Parameters
    ----------
    free : (H, R) sequence of sequences of int, or array
        Free GPUs; what is taken is subtracted.
    r, count : int
        Type, and how many GPUs, >= 0; if there are fewer, all are taken.

    Returns
    -------
    list of (node, type, count)
        By node; counts >= 1.
    """
    fits = [h for h in range(len(free)) if free[h][r] >= count]
    order = [min(fits, key=lambda h: (free[h][r], h))] if fits else range(len(free))
    taken = []
    for h in order:
        part = min(count, int(free[h][r]))
        if part:
            free[h][r] -= part
            count -= part
            taken.append((h, r, part))
    return taken


def place_pooled(instance: Instance, runs: Runs) -> Schedule:
    """Place gangs by level: those kept on one node first, then types, then nodes.

    The placement may be faster than the levels: later rounds of a completed job are dropped.

    Raises
    ------
    PlacementError
        If a round does not fit, naming the violated sets of all such rounds.
    """
    cluster = instance.cluster
    jobs: dict[int, list[Allocation]] = defaultdict(list)
    violated: list[tuple[int, TypeSet]] = []
    for t, gangs in sorted(runs.items()):
        demands: dict[object, tuple[int, TypeSet]] = {
            plan.job: (plan.gang_size, frozenset(way.admitted)) for plan, way in gangs
        }
        counts = distribute(demands, cluster.pooled_capacity)
        if counts is None:
            totals: dict[TypeSet, int] = defaultdict(int)
            for amount, admitted in demands.values():
                totals[admitted] += amount
            types = most_violated(totals, cluster.pooled_capacity)
            assert types is not None  # the same flow fell short
            violated.append((t, types))
            continue
        free = [list(row) for row in cluster.capacity]
        kept = {p.job: (w.level, p.gang_size) for p, w in gangs if w.kind == "inside"}
        nodes = pack_on_single_nodes(free, kept)
        if nodes is None:
            raise SolverError(f"round {t} breaks the rows of the gangs that are kept together")
        filled: dict[object, list[Cell]] = {}
        for j, h in nodes.items():
            r, size = kept[j]
            filled[j] = [(h, r, size)]
            free[h][r] -= size
            del counts[j]
        for name, by_type in counts.items():
            cells = [take_type(free, r, count) for r, count in by_type.items()]
            filled[name] = sorted(itertools.chain.from_iterable(cells))
        for plan, _ in gangs:
            jobs[plan.job].append(Allocation(t, tuple(filled[plan.job])))
    if violated:
        raise PlacementError(violated)
    return _schedule(instance, jobs)


def pick(counts: Iterable[tuple[int, int, int]], amount: int) -> list[tuple[int, int, int]]:
    """Return exactly ``amount`` of the GPUs (h, r, count), from the first ones."""
    taken = []
    for h, r, count in counts:
        part = min(count, amount)
        if part > 0:
            taken.append((h, r, part))
            amount -= part
    return taken


def place_counts(
    instance: Instance,
    used: Mapping[tuple[int, int], tuple[JobPlan, Sequence[Way]]],
    counts: Mapping[tuple[int, int], Mapping[tuple[int, int], int]],
) -> Schedule:
    """Place gangs and copies whose GPU counts per node and type are known.

    Parameters
    ----------
    used : mapping of (job, round) to (plan, ways)
        The ways used in that round: one gang, or several copies.
    counts : mapping of (job, round) to mapping of (h, r) to int
        GPUs set aside, at least as many as needed.
    """
    jobs: dict[int, list[Allocation]] = defaultdict(list)
    for (j, t), (plan, ways) in sorted(used.items()):
        held = counts[j, t]
        gpus: list[tuple[int, int, int]] = []
        for way in ways:
            cells = [
                (h, r, count)
                for (h, r), count in sorted(held.items())
                if r in way.admitted and way.node in (-1, h)
            ]
            gpus += pick(cells, plan.gang_size)
        copies = any(way.kind == "copy" for way in ways)
        jobs[j].append(Allocation(t, tuple(sorted(gpus)), copies))
    return _schedule(instance, jobs)


def _schedule(instance: Instance, jobs: Mapping[int, Sequence[Allocation]]) -> Schedule:
    allocations = (tuple(jobs.get(j, ())) for j in range(len(instance.jobs)))
    return trim_schedule(instance, Schedule(tuple(allocations)))
