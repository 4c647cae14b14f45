"""What jobs can do in a round, for column generation: classes of GPUs, options and states.

A *cell* is an accelerator type (pooled) or a type on a group of nodes. A *group* is one node, or
all nodes of equal GPUs of one type: by symmetry one price for them loses nothing. A *class* is a
set of cells over which a gang may be spread in any way, or within one node of a group: GPUs in one
class are interchangeable for it. A *way* is a class together with the progress that it gives; an
*option* is a progress value, with all its ways. A *state* is what is still needed of a job, as far
as sums of options can tell it apart: 0 when nothing is, the largest when everything is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from hadaropt.errors import LimitError
from hadaropt.instance import Instance
from hadaropt.mip.model import Ints
from hadaropt.modes import Mode, copy_modes, gang_modes, is_pooled
from hadaropt.modes.hall_sets import capacity_sets
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.node_groups import node_groups

MAX_STATES = 2_000
"""Most states of one job for which there is a table. More: labels, which take the longer the more
of them the prices leave, come later; tables take the same whatever the prices, and memory."""
MAX_SUMS = 20_000
"""Most sums of progress among which states are looked for."""
MAX_COPY_STATES = 20_000
"""Most pairs (copies, progress) of one job in a round."""
CHUNK = 10**6
"""Sums of progress that are made at once."""
STATE_OPERATIONS, JOB_OPERATIONS = 50, 100_000
"""What one sum of progress, and one job beside its sums, count for in a limit of work."""


class TooLargeError(LimitError):
    """A job can run in too many ways for column generation, or to list them takes too long."""


@dataclass(frozen=True)
class GangClass:
    """Cells over which a gang may be spread.

    Attributes
    ----------
    cells : tuple of int
        Increasing; all with capacity.
    gang_size : int
        0 where any cell alone could hold the gang; otherwise W, for which the fill is limited by
        the capacity of single cells.
    together : bool
        Whether a gang lies on one node of the group: then the GPUs of the group suffice only if
        the gangs can be packed (see `hadaropt.offline.colgen.node_groups`).
    """

    cells: tuple[int, ...]
    gang_size: int
    together: bool = False


@dataclass(frozen=True)
class Copies:
    """Runs of several copies on distinct nodes.

    Attributes
    ----------
    classes : (H, L) int64
        Class of one copy on each node at each level, or -1.
    step : (M, L) int64
        State after one more copy; state 0 is none.
    option : (M,) int64
        Option (1 .. K) that a state of two or more copies gives; 0 for fewer copies.

    A state here is a pair (copies so far, their progress); there are M of them, and L levels.
    """

    classes: Ints
    step: Ints
    option: Ints


@dataclass(frozen=True)
class JobOptions:
    """One job that can earn something.

    Attributes
    ----------
    job, release, gang_size : int
    values : tuple of Fraction
        U_j > 0 of completing in the rounds release, release + 1, ...
    progress : tuple of int
        Iterations (capped at Q_j) of options 1 .. K, increasing.
    ways : tuple of (option, class, admitted types)
        One gang; the admitted types are those of its level.
    copies : Copies or None
    need : int
        Iterations.
    step : (S + 1, K) int64 or None
        The state that is left of state s once option k has run is ``step[s, k - 1]``: see
        `hadaropt.kernels.pricing.columns`. None where the states are too many for a table.
    """

    job: int
    release: int
    gang_size: int
    values: tuple[Fraction, ...]
    progress: tuple[int, ...]
    ways: tuple[tuple[int, int, frozenset[int]], ...]
    copies: Copies | None
    need: int
    step: Ints | None


@dataclass
class Space:
    """Cells and classes of an instance, and the options of its jobs.

    Attributes
    ----------
    pooled : bool
        Cells are types; otherwise cell g * R + r is type r on group g of the nodes.
    capacity : tuple of int
        GPUs of each cell.
    groups : tuple of tuples of int
        The nodes of each group; every node alone where grouping is not asked for.
    classes : list of GangClass
    jobs : list of JobOptions
        Without the jobs that can earn nothing.
    """

    instance: Instance
    pooled: bool
    capacity: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...] = ()
    classes: list[GangClass] = field(default_factory=list)
    jobs: list[JobOptions] = field(default_factory=list)
    single: dict[int, int] = field(default_factory=dict)
    """Cell -> class of that cell alone; where GPUs of equal progress are not interchangeable."""
    _known: dict[GangClass, int] = field(default_factory=dict)

    @classmethod
    def of(cls, instance: Instance, clock: Clock | None = None, *, grouped: bool = True) -> Space:
        """Return the space of an instance.

        Parameters
        ----------
        instance : Instance
        clock : Clock, optional
        grouped : bool
            Whether equal nodes share cells: a smaller program of the same LP value. Where gangs
            cannot always be packed on them, its integral points may be no schedules.

        Raises
        ------
        TooLargeError
            If a job can run as copies in too many ways, or once the clock is over.
        """
        pooled = is_pooled(instance)
        cluster = instance.cluster
        capacity = cluster.pooled_capacity
        groups: tuple[tuple[int, ...], ...] = ()
        if not pooled:
            groups = node_groups(instance, together=grouped)
            rows = [(len(nodes), cluster.capacity[nodes[0]]) for nodes in groups]
            capacity = tuple(many * count for many, row in rows for count in row)
        space = cls(instance, pooled, capacity, groups)
        clock = Clock() if clock is None else clock
        for j in range(len(instance.jobs)):
            options = space._job(j, clock)
            if options is not None:
                space.jobs.append(options)
        if (not pooled or instance.parallelism == "single_type") and not space.grouped:
            space.single = {c: space._class([c], 1) for c, n in enumerate(capacity) if n > 0}
        return space

    @property
    def grouped(self) -> bool:
        """Whether several nodes share cells."""
        return any(len(nodes) > 1 for nodes in self.groups)

    @cached_property
    def group_of(self) -> tuple[int, ...]:
        """The group of every node; empty where cells are types."""
        found = [-1] * sum(map(len, self.groups))
        for g, nodes in enumerate(self.groups):
            for h in nodes:
                found[h] = g
        return tuple(found)

    def cells_of(self, gpus: Iterable[tuple[int, int, int]]) -> set[int]:
        """Return the cells of GPUs (node, type, count)."""
        if self.pooled:
            return {r for _, r, _ in gpus}
        width = len(self.instance.cluster.accelerators)
        return {self.group_of[h] * width + r for h, r, _ in gpus}

    def by_node(self, cells: Ints) -> Ints:
        """Return an array of shape (T, cells) by type, (T, R), or by node, (T, H, R)."""
        if self.pooled:
            return cells
        width = len(self.instance.cluster.accelerators)
        return cells.reshape(len(cells), -1, width)[:, list(self.group_of)]

    def _class(self, cells: Sequence[int], gang: int, together: int = 0) -> int:
        """Return the index of a class, or -1 if the gang does not fit.

        ``together``: on how many nodes the cells are, where a gang lies on one of them.
        """
        usable = tuple(c for c in cells if self.capacity[c] > 0)
        shared = max(1, together)
        if sum(self.capacity[c] // shared for c in usable) < gang:
            return -1
        bound = gang if any(self.capacity[c] // shared < gang for c in usable) else 0
        key = GangClass(usable, bound, together > 1)
        if key not in self._known:
            self._known[key] = len(self.classes)
            self.classes.append(key)
        return self._known[key]

    def _cells(self, types: Sequence[int], g: int = -1) -> list[int]:
        if self.pooled:
            return list(types)
        width = len(self.instance.cluster.accelerators)
        groups = range(len(self.groups)) if g < 0 else (g,)
        return [group * width + r for group in groups for r in types]

    def _job(self, j: int, clock: Clock) -> JobOptions | None:
        _check_time(clock, j, JOB_OPERATIONS)
        instance, job = self.instance, self.instance.jobs[j]
        if job.release >= instance.num_rounds:
            return None
        every = instance.utility_values(j)
        values = every[: next((i for i, u in enumerate(every) if u == 0), len(every))]
        if not values:
            return None
        gang, need = job.gang_size, job.iterations
        raw: list[tuple[int, int, frozenset[int]]] = []
        for mode in gang_modes(instance, j):
            hosts = range(len(self.groups)) if mode.reach == "node" else (-1,)
            for g in hosts:
                together = len(self.groups[g]) if g >= 0 else 0
                index = self._class(self._cells(mode.types, g), gang, together)
                raw.append((min(mode.iterations, need), index, frozenset(mode.types)))
        raw = self._undominated([way for way in raw if way[1] >= 0])
        classes, sums, step = self._copies(j)
        gains = sorted({gain for gain, _, _ in raw} | {gain for b, gain in sums if b >= 2})
        if not gains:
            return None
        number = {gain: k + 1 for k, gain in enumerate(gains)}
        ways = tuple((number[gain], index, types) for gain, index, types in raw)
        copies = None
        if len(sums) > 1 and any(b >= 2 for b, _ in sums):
            option = [number[gain] if b >= 2 else 0 for b, gain in sums]
            copies = Copies(classes, step, np.array(option, np.int64))
        if gains[-1] * len(values) < need:
            return None
        states = _need_states(need, gains, len(values), j, clock)
        return JobOptions(j, job.release, gang, values, tuple(gains), ways, copies, need, states)

    def _undominated(
        self, raw: list[tuple[int, int, frozenset[int]]]
    ) -> list[tuple[int, int, frozenset[int]]]:
        """Drop ways whose cells and admitted types another way of the same progress includes.

        A gang that lies on one node of a group does not stand for one that may span several.
        Then a cut never counts the other way where it does not count the dropped one.
        """
        best: dict[tuple[int, int], frozenset[int]] = {}
        for gain, index, types in raw:
            key = (gain, index)
            best[key] = max(best.get(key, types), types, key=len)
        cells = {index: frozenset(self.classes[index].cells) for _, index in best}
        # A way that includes another holds its first cell: only those are looked at.
        holding = defaultdict(list)
        for (gain, index), types in best.items():
            for cell in cells[index]:
                holding[gain, cell].append((index, types))
        kept = []
        for (gain, index), types in sorted(best.items(), key=lambda item: item[0]):
            mine = cells[index]
            if not any(
                index != other
                and mine <= cells[other]
                and types <= other_types
                and self.classes[index].together >= self.classes[other].together
                for other, other_types in holding[gain, min(mine)]
            ):
                kept.append((gain, index, types))
        return kept

    def _copies(self, j: int) -> tuple[Ints, list[tuple[int, int]], Ints]:
        """Classes, states (copies, progress) and steps of runs of several copies."""
        instance, job = self.instance, self.instance.jobs[j]
        nodes = range(len(instance.cluster.nodes))
        most = instance.max_copies(j)
        nothing = np.zeros((0, 0), np.int64)
        if most < 2:
            return nothing, [(0, 0)], nothing
        modes = copy_modes(instance, j)
        table = np.array(
            [
                [
                    self._class(self._cells(mode.types, h), job.gang_size)
                    if self._slows(j, mode, h)
                    else -1
                    for mode in modes
                ]
                for h in nodes
            ],
            np.int64,
        ).reshape(len(nodes), len(modes))
        usable = [i for i in range(len(modes)) if (table[:, i] >= 0).any()]
        table = np.ascontiguousarray(table[:, usable])
        hosts = int((table >= 0).any(axis=1).sum())
        if hosts < 2:
            return nothing, [(0, 0)], nothing
        gains = [modes[i].iterations for i in usable]
        # Where every node may have a copy, those beyond two need not be counted.
        cap = 2 if most >= hosts else most
        order = _sums_of_copies(table, gains, most, cap, job.iterations)
        if order is None:
            raise TooLargeError(
                f"jobs[{j}] can run as copies in more than {MAX_COPY_STATES} ways: "
                "too many for column generation"
            )
        place = {state: k for k, state in enumerate(order)}
        steps = [
            [
                -1
                if b == most < hosts
                else place.get((min(cap, b + 1), min(job.iterations, total + gain)), -1)
                for gain in gains
            ]
            for b, total in order
        ]
        return table, order, np.array(steps, np.int64)

    def _slows(self, j: int, mode: Mode, h: int) -> bool:
        """Return whether a copy on node h can be as slow as a mode: on a type of its very speed.

        What a node holds of faster types alone runs at a faster mode, which costs no more.
        """
        speed, row = self.instance.throughput[j], self.instance.cluster.capacity[h]
        return any(row[r] > 0 and speed[r] == speed[mode.level] for r in mode.types)


def _sums_of_copies(
    table: Ints, gains: Sequence[int], most: int, cap: int, need: int
) -> list[tuple[int, int]] | None:
    """Return the pairs (copies up to ``cap``, progress up to ``need``) that copies can make.

    By a recursion over nodes: at most one copy on each, and ``most`` in all. None where there are
    more than `MAX_COPY_STATES`.
    """
    order = [(0, 0)]
    known = set(order)
    for row in table.tolist():
        here = sorted({gain for kind, gain in zip(row, gains, strict=True) if kind >= 0})
        for b, total in order[:]:
            if b == most:
                continue
            for gain in here:
                to = (min(cap, b + 1), min(need, total + gain))
                if to not in known:
                    known.add(to)
                    order.append(to)
        if len(order) > MAX_COPY_STATES:
            return None
    return order


def _check_time(clock: Clock, j: int, operations: int) -> None:
    clock.spend(operations)
    if clock.over():
        raise TooLargeError(f"the states of jobs[{j}] were not listed when time was up")


def _need_states(need: int, steps: Sequence[int], rounds: int, j: int, clock: Clock) -> Ints | None:
    """Return the transitions between the states of the remaining need, or None if too many.

    Two needs are equal when the smallest sum of steps that covers them is: so a state is named by
    that sum, and the sums below the whole need are enumerated.
    """
    gains = np.array(steps, np.int64)
    sums = fresh = np.zeros(1, np.int64)
    for _ in range(rounds):
        width, new = max(1, CHUNK // len(fresh)), np.zeros(0, np.int64)
        for begin in range(0, len(gains), width):
            part = gains[begin : begin + width]
            _check_time(clock, j, STATE_OPERATIONS * len(fresh) * len(part))
            made = (fresh[:, None] + part).ravel()
            new = np.union1d(new, made[made < need])
            if len(new) > MAX_SUMS:
                return None
        fresh = np.setdiff1d(new, sums, assume_unique=True)
        if not len(fresh):
            break
        sums = np.union1d(sums, fresh)
        if len(sums) > MAX_SUMS:
            return None
    ends = np.append(sums, need)

    def covers(needs: Ints) -> Ints:
        """Return the smallest sum that covers each need, the whole need where none does."""
        places = np.searchsorted(sums, needs)
        return np.where(needs <= 0, 0, ends[places])

    rows = max(1, CHUNK // len(gains))
    found = fresh = np.array([need], np.int64)
    while len(fresh):
        new = np.zeros(0, np.int64)
        for begin in range(0, len(fresh), rows):
            part = fresh[begin : begin + rows, None] - gains
            _check_time(clock, j, STATE_OPERATIONS * part.size)
            new = np.union1d(new, covers(part))
        fresh = np.setdiff1d(new, found, assume_unique=True)
        fresh = fresh[fresh > 0]
        found = np.union1d(found, fresh)
        if len(found) > MAX_STATES:
            return None
    states = np.append(0, found)
    table = np.empty((len(states), len(gains)), np.int64)
    for begin in range(0, len(states), rows):
        part = states[begin : begin + rows, None] - gains
        _check_time(clock, j, STATE_OPERATIONS * part.size)
        table[begin : begin + rows] = np.searchsorted(states, covers(part))
    return table


def closed_sets(space: Space, most: int) -> tuple[frozenset[int], ...]:
    """Return the sets of cells that need a capacity row (Hall); empty if there are too many."""
    return capacity_sets((frozenset(kind.cells) for kind in space.classes), most)
